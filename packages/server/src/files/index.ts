export { type FileAccess, type FileAccesses, fileAccess } from './file-access.ts';
export { heldFiles } from './held-files.ts';
