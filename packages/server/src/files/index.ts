export { type FileAccess, type FileAccesses, fileAccess } from './file-access.ts';
export { guardedFiles } from './guarded-files.ts';
