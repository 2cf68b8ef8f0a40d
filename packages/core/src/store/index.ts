export { boundedStore } from './bounded-store.ts';
export { BoundedTexts } from './bounded-texts.ts';
export type { SetOptions } from './entry.ts';
export { checkEntry, checkKey } from './entry.ts';
export type { SortedSets } from './sorted-sets.ts';
export { checkMembers, checkScore } from './sorted-sets.ts';
export type { Store } from './store.ts';
