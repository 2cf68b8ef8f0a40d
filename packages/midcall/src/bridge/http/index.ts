export { readAuthFile } from './auth-file.ts';
export { principalId } from './callers.ts';
export type { BridgedEntry, BridgeFleet, HttpBridge, HttpBridgeOptions } from './http-bridge.ts';
export { startHttpBridge } from './http-bridge.ts';
