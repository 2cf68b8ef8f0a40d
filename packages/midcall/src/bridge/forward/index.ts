export { bridgeMidcall } from './bridge-midcall.ts';
export { hostServer, pendingServer } from './host-server.ts';
