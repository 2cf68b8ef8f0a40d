export { commandWords } from './command-words.ts';
export { hostConfigs } from './host-configs.ts';
export {
  commandTarget,
  isHeaderName,
  isHeaderValue,
  type MissingValue,
  originOf,
  type ServerEntry,
  type ServerTarget,
  type TaskServer,
  taskServerOf,
  urlTarget,
} from './server-entry.ts';
export { type ListedServer, readServerList } from './server-list.ts';
export { serverName } from './server-name.ts';
