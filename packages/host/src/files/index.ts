export { withFileLock } from './file-lock.ts';
export { ownerFile } from './owner-file.ts';
