export { boundedStore } from './bounded-store.ts';
export { BoundedTexts } from './bounded-texts.ts';
export type { SetOptions, SortedSets, Store } from './store.ts';
export { checkEntry, checkKey, checkMembers, checkScore } from './store.ts';
