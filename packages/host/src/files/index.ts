export { withFileLock } from './file-lock.ts';
export { ownerFile } from './owner-file.ts';
export { isMark, mayRun, ownMark, type ProcessMark } from './process-mark.ts';
