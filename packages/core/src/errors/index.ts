export { authorMistakes, isMidcallError, MidcallError, type MidcallErrorCode, noSuchTool } from './errors.ts';
export { findOut, nothingNow } from './in-doubt.ts';
export { needed } from './needed.ts';
