export {
  authorMistakes,
  findOut,
  isMidcallError,
  MidcallError,
  type MidcallErrorCode,
  noSuchTool,
  nothingNow,
} from './errors.ts';
export { needed } from './needed.ts';
