export type { Bridge, BridgeOptions } from './bridge.ts';
export { startBridge } from './bridge.ts';
export { HostStdio } from './host-stdio.ts';
