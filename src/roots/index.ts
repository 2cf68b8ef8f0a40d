export { type Boundary, type BoundaryMode, type BoundaryOptions, boundary, type Said } from './boundary.ts';
export type { Entry, FileHandle, FileStat, Files, Guarantee, Root } from './files.ts';
export { listedRoots } from './listed.ts';
export { type LiveRoots, type LiveRootsOptions, liveRoots } from './live-roots.ts';
export { type PathStyle, toPath, toUri } from './uri.ts';
