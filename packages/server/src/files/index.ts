export type { FileAccess, FileAccesses } from './file-access.ts';
export { lazyFileAccess } from './lazy-access.ts';
