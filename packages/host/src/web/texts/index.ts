export { type Kept, keptTexts } from './kept.ts';
export { personTexts } from './person.ts';
export { spelledAge, spelledLeft, spelledSpan, texts } from './texts.ts';
