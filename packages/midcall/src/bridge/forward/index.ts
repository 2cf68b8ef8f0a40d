export { bridgeMidcall } from './bridge-midcall.ts';
export { hostServer } from './host-server.ts';
export { pendingServer } from './pending-server.ts';
