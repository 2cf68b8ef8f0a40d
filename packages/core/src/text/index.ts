export { capitalized } from './capitalized.ts';
export { counted } from './counted.ts';
export { documentation } from './documentation.ts';
export type { VisibleOptions } from './visible.ts';
export { hides, visible, visibleJson } from './visible.ts';
