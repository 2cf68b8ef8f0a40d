export {
  asError,
  authorMistakes,
  findOut,
  isMidcallError,
  MidcallError,
  type MidcallErrorCode,
  messageOf,
  noSuchTool,
  nothingNow,
} from './errors.ts';
export { needed } from './needed.ts';
