export { boundedStore } from './bounded-store.ts';
export { BoundedTexts } from './bounded-texts.ts';
export type { SetOptions } from './entry.ts';
export { checkEntry, checkKey } from './entry.ts';
export type { Store } from './store.ts';
