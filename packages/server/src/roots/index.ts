export type { Root } from '@midcall/core/roots';
export { type Boundary, boundaryOf, type RootsAnswer } from './boundary.ts';
export { type BoundaryOptions, type Ceiling, ceiling } from './ceiling.ts';
export type { FileHandle, Files } from './files.ts';
export { type LiveRoots, listedRoots, liveRoots } from './live-roots.ts';
