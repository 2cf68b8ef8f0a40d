export { aroundMessages } from './around-messages.ts';
export { HeldTransport } from './held-transport.ts';
