export type { ListedRoots } from './read-roots-list.ts';
export { readRootsList } from './read-roots-list.ts';
export type { Root } from './root.ts';
export type { PathStyle } from './uri.ts';
export { toPath, toUri } from './uri.ts';
