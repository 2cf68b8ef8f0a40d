export { fileChanges, withFileLock } from './file-lock.ts';
export { followFile } from './follow-file.ts';
export { ownerFile } from './owner-file.ts';
