export type { ListedRoots, Root } from './read-roots-list.ts';
export { readRootsList } from './read-roots-list.ts';
export type { PathStyle } from './uri.ts';
export { toPath, toUri } from './uri.ts';
