export { type Boundary, type BoundaryMode, type BoundaryOptions, boundary } from './boundary.ts';
export type { Entry, FileHandle, FileStat, Files, Guarantee, Root } from './files.ts';
export { type LiveRoots, type LiveRootsOptions, liveRoots } from './live-roots.ts';
export { type PathStyle, toPath, toUri } from './uri.ts';
