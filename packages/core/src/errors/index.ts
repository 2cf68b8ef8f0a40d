export { isMidcallError, MidcallError, type MidcallErrorCode, noSuchTool } from './errors.ts';
export { needed } from './needed.ts';
