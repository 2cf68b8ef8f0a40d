export { AnnouncedRoots } from './announced-roots.ts';
export { type OfferedRoot, OfferedRoots } from './offered-roots.ts';
