/** Observes the messages that pass through a transport of the SDK. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { KeptWith } from '../base/index.ts';

/** @param sending - called with each message before it is sent */
export function tapSent(transport: Transport, sending: (message: JSONRPCMessage) => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    sending(message);
    return send(message, options);
  };
}

/**
 * @param transport - connected to a server, which listens to it by then
 * @param received - called with each message after the server got it
 */
export function tapReceived(transport: Transport, received: (message: JSONRPCMessage) => void): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    receive?.(message, extra);
    received(message);
  };
}

/** Our own wrappers, which pass on every frame that does not concern them unchanged. */
const passing = new KeptWith<object, { readonly next: unknown }>();

/** Marks one of our wrapper functions, which tool calls and their results do not concern. */
export const passesCalls = (ours: object, next: unknown): void => void passing.set(ours, { next });

/** How the SDK listens to a transport: its server, and the entry that chooses one for it. */
const listens = [/\b_onrequest\(/, /^\(?\w+\)?\s*=>\s*\{?\s*\w+\.push\(\w+\)[;,]\s*\w+\(\);?\s*\}$/];

/**
 * True if frames only go through the SDK and marked functions. A tracer's or logger's wrapper has a different source text; it
 * must see every frame.
 */
export function isOfSdk(transport: Transport, member: 'onmessage' | 'send'): boolean {
  let found: unknown = Object.hasOwn(transport, member) ? transport[member] : undefined;
  while (typeof found === 'function' && passing.has(found)) found = passing.get(found)?.next;
  if (member === 'send') return found === undefined;
  return typeof found === 'function' && listens.some(text => text.test(Function.prototype.toString.call(found)));
}
