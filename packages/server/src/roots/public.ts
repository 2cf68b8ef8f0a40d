/** `@midcall/server/roots`: files inside a boundary that holds. */

export type { Root } from '@midcall/core/roots';
export { type PathStyle, toPath, toUri } from '@midcall/core/roots';
export { type Boundary, boundary, type RootsAnswer } from './boundary.ts';
export type { BoundaryMode, BoundaryOptions } from './ceiling.ts';
export type { Entry, FileHandle, FileStat, Files, Guarantee } from './files.ts';
export { type LiveRoots, type LiveRootsOptions, liveRoots } from './live-roots.ts';
