export { type Bridge, type BridgeOptions, startBridge } from './bridge.ts';
