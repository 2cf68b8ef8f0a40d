export { configPath } from './config-path.ts';
export { ownVersion } from './own-version.ts';
