export type { MidcallErrorCode } from './errors.ts';
export { isMidcallError, MidcallError } from './errors.ts';
export { needed } from './needed.ts';
export { noSuchTool } from './no-such-tool.ts';
