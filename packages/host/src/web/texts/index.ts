export { spelledAge, spelledLeft, spelledSpan, texts } from './texts.ts';
