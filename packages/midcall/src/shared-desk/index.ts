export { DeskLink } from './desk-link.ts';
export { type DeskSocket, listenForBridges } from './desk-socket.ts';
export { endWhenIdle } from './end-when-idle.ts';
export { deskSocketPath, findDesk, handedOver } from './find-desk.ts';
export type { Peer } from './peer.ts';
