export { documentation } from './documentation.ts';
export type { VisibleOptions } from './visible.ts';
export { hides, visible, visibleJson } from './visible.ts';
export { capitalized, counted } from './words.ts';
