export { readAuthFile } from './auth-file.ts';
export type { BridgedEntry, HttpBridge, HttpBridgeOptions } from './http-bridge.ts';
export { startHttpBridge } from './http-bridge.ts';
export { manyDesk } from './many-desk.ts';
