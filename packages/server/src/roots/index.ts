export type { Root } from '@midcall/core/roots';
export { type Boundary, type BoundaryOptions, boundary, type RootsAnswer } from './boundary.ts';
export type { FileHandle, Files } from './files.ts';
export { listedRoots } from './listed.ts';
export { type LiveRoots, liveRoots } from './live-roots.ts';
