export type { Bridge, BridgeOptions } from './stdio/index.ts';
export { startBridge } from './stdio/index.ts';
