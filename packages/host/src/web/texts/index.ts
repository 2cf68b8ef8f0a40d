export { personTexts } from './person.ts';
export { spelledAge, spelledLeft, spelledSpan, texts } from './texts.ts';
