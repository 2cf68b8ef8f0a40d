/** What passes through a transport of the SDK, seen on its way. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { KeptWith } from '../kept-with.ts';

/** @param sending - told of each message before it is sent */
export function tapSent(transport: Transport, sending: (message: JSONRPCMessage) => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    sending(message);
    return send(message, options);
  };
}

/**
 * @param transport - connected to a server, which listens to it by then
 * @param received - told of each message after the server was given it
 */
export function tapReceived(transport: Transport, received: (message: JSONRPCMessage) => void): void {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    receive?.(message, extra);
    received(message);
  };
}

/** What passes every frame that is no business of its own on as it is, and is ours. */
const passing = new KeptWith<object, { readonly next: unknown }>();

/** Marks a function of ours that is put before another: calls of tools and their results are nothing to it. */
export const passesCalls = (ours: object, next: unknown): void => void passing.set(ours, { next });

/** How the SDK listens to a transport: its server, and the entry that chooses one for it. */
const listens = [/\b_onrequest\(/, /^\(?\w+\)?\s*=>\s*\{?\s*\w+\.push\(\w+\)[;,]\s*\w+\(\);?\s*\}$/];

/**
 * True where frames go through nothing but the SDK, and what was marked. What a tracer, or a log, has put between has a text of its
 * own; it is to see every frame.
 */
export function isOfSdk(transport: Transport, member: 'onmessage' | 'send'): boolean {
  let found: unknown = Object.hasOwn(transport, member) ? transport[member] : undefined;
  while (typeof found === 'function' && passing.has(found)) found = passing.get(found)?.next;
  if (member === 'send') return found === undefined;
  return typeof found === 'function' && listens.some(text => text.test(Function.prototype.toString.call(found)));
}
