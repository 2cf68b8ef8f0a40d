export { configPath } from './config-path.ts';
export { dataPath } from './data-path.ts';
export { ownCommand } from './own-command.ts';
export { ownVersion } from './own-version.ts';
