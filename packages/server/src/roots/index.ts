export type { Root } from '@midcall/core/roots';
export { type Boundary, boundaryOf, type RootsAnswer } from './boundary.ts';
export { type BoundaryOptions, type Ceiling, ceiling } from './ceiling.ts';
export type { FileHandle, Files } from './files.ts';
export { listedRoots } from './listed.ts';
export { type LiveRoots, liveRoots } from './live-roots.ts';
