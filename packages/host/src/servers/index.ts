export { commandWords } from './command-words.ts';
export { isHeaderName, isHeaderValue } from './header-syntax.ts';
export {
  commandTarget,
  originOf,
  type ServerEntry,
  type ServerTarget,
  type TaskServer,
  taskServerOf,
  urlTarget,
} from './server-entry.ts';
export { readServerList } from './server-list.ts';
