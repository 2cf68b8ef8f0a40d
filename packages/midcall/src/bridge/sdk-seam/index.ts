export { aroundMessages } from './around-messages.ts';
export { BufferedTransport } from './buffered-transport.ts';
