export { type ListedRoots, type PathStyle, type Root, readRootsList, toPath, toUri } from './uri.ts';
