export { configPath, dataPath, ownCommand, ownVersion } from './installation.ts';
