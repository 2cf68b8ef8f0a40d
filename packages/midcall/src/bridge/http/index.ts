export { readAuthFile } from './auth-file.ts';
export type { BridgedEntry, BridgeFleet, HttpBridge, HttpBridgeOptions } from './http-bridge.ts';
export { startHttpBridge } from './http-bridge.ts';
