/** A message to a client, sealed for the stream it waits in: without what the protocol, or the stream, says of it anyway. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { bare, bareRequest, requestAgain } from '../state/index.ts';
import { type Member, openAt, sealAt } from './member.ts';

/** @param events - the key of the stream */
export const sealEvent = (member: Member, events: string, message: JSONRPCMessage): string =>
  sealAt(member, events, bareMessage(events, message));

/** @returns undefined if it was not sealed with this fleet's key, or for another stream */
export function openEvent(member: Member, events: string, text: unknown): JSONRPCMessage | undefined {
  const stored = openAt<unknown>(member, events, text);
  return stored === undefined ? undefined : (messageAgain(events, stored) as JSONRPCMessage);
}

/** The ids of a call's questions begin with its name, as the key of its stream ends. */
const nameIn = (events: string): string => events.slice(events.lastIndexOf(':') + 1);

/** Never change what this rebuilds: stored events are read by it. */
function messageAgain(events: string, stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored;
  const [ask, ...request] = stored;
  return { jsonrpc: '2.0', id: `${nameIn(events)}.${ask}`, ...(requestAgain(request) as object) };
}

function bareMessage(events: string, message: JSONRPCMessage): unknown {
  const { jsonrpc: _, id, ...request } = message as { jsonrpc: string; id?: unknown };
  const short = bareRequest(request);
  if (!Array.isArray(short)) return message;
  const ask = String(id).slice(nameIn(events).length + 1);
  return bare(message, [ask, ...short], list => messageAgain(events, list));
}
