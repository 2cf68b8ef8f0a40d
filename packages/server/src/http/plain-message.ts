/**
 * Recognizes messages that need no schema: they contain nothing that the SDK would refuse, or remove, before it passes a
 * message to its server. Every other message is checked by the SDK.
 */
import { isRecord } from '@midcall/core/json';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** @returns the message, unchanged; undefined if the SDK must check it */
export function plainMessage(body: unknown): JSONRPCMessage | undefined {
  if (!isRecord(body) || body['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params, result } = body;
  const names = Object.keys(body).length;
  const hasId = typeof id === 'string' || Number.isSafeInteger(id);
  if (typeof method === 'string') {
    if (method === 'initialize' || (id !== undefined && !hasId)) return undefined;
    const known = 2 + (id === undefined ? 0 : 1) + (params === undefined ? 0 : 1);
    return names === known && (params === undefined || isPlain(params)) ? (body as JSONRPCMessage) : undefined;
  }
  return names === 3 && hasId && isPlain(result) ? (body as JSONRPCMessage) : undefined;
}

function isPlain(part: unknown): boolean {
  if (!isRecord(part) || Object.hasOwn(part, '__proto__')) return false;
  const { _meta: meta } = part;
  if (meta === undefined) return !Object.hasOwn(part, '_meta');
  if (!isRecord(meta)) return false;
  return Object.entries(meta).every(([name, value]) =>
    name === 'progressToken'
      ? typeof value === 'string' || Number.isSafeInteger(value)
      : // The protocol's own members have their own schemas.
        name !== '__proto__' && !name.startsWith('io.modelcontextprotocol/'),
  );
}
