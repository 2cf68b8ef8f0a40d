/**
 * Requests that are answered before the SDK gets them, whose schemas would check every member. If more than a result turns out
 * to be needed, the request is left to its handler: then the SDK gets it as if it had just arrived.
 *
 * - direct-D1 A request has one answer: if it was left to its handler, was cancelled, or its client is gone, nothing is sent
 *   directly.
 * - direct-D2 A request that contains more than the call itself (an answered round, a task) goes to the handler from the start.
 *
 * What this relies on in the SDK is tested in test/server/direct-answers.test.ts.
 */
import { isRecord, own } from '@midcall/core/json';
import { afterClose } from '@midcall/core/sdk-seam';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type McpServer,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { inEnvelopes } from '../era.ts';
import { tapSent } from './tapped-transport.ts';

/** A request of a method that is handled entirely, before its handler is called. */
export interface DirectRequest {
  readonly id: string | number;
  /** The parameters as they arrived, without the protocol's own members of `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The protocol's own members of `_meta` (2026-07-28); empty on 2025-11-25. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** What the client declares. */
  readonly capabilities: unknown;
  /** Notifies the client on the stream of this request. Rejects if the client is gone. */
  notify(notification: {
    readonly method: string;
    readonly params?: Readonly<Record<string, unknown>> | undefined;
  }): Promise<void>;
}

/** A request that is being answered before its handler is called. */
export interface DirectAnswer {
  /** The complete result; undefined if the request must go to the handler. Must not reject. */
  readonly result: Promise<Readonly<Record<string, unknown>> | undefined>;
  /**
   * Called when nobody waits for the result any more: the client has cancelled the request or is gone, or the handler it was
   * left to has responded.
   */
  end(how: 'cancelled' | 'gone'): void;
}

/** Begins to answer a request; undefined if its handler should be called at once. */
export type Direct = (request: DirectRequest) => DirectAnswer | undefined;

const directs = new WeakMap<McpServer, Map<string, Direct>>();

/** Answers requests of one method in this way; call it before the server is connected. */
export function answerDirectly(server: McpServer, method: string, direct: Direct): void {
  const answersOfServer = directs.get(server);
  if (answersOfServer) {
    answersOfServer.set(method, direct);
    return;
  }
  const methods = new Map([[method, direct]]);
  directs.set(server, methods);
  const connect = server.connect.bind(server);
  server.connect = async transport => {
    await connect(transport);
    intercept(server, transport, methods);
  };
}

function intercept(server: McpServer, transport: Transport, methods: ReadonlyMap<string, Direct>): void {
  /** Those that have no response yet. */
  const open = new Map<unknown, DirectAnswer>();
  const receive = transport.onmessage?.bind(transport);
  const end = (id: unknown, how: 'cancelled' | 'gone'): void => {
    const answer = open.get(id);
    open.delete(id);
    answer?.end(how);
  };
  tapSent(transport, message => {
    if (!('method' in message)) end(message.id, 'cancelled');
  });
  transport.onmessage = (message, extra) => {
    if ('method' in message && !('id' in message) && message.method === 'notifications/cancelled')
      end(own(message.params, 'requestId'), 'cancelled');
    const request = requestIn(server, transport, message);
    const answer = request && !open.has(request.id) ? methods.get(request.method)?.(request) : undefined;
    if (!request || !answer) return receive?.(message, extra);
    const { id, method } = request;
    open.set(id, answer);
    void answer.result.then(result => {
      if (open.get(id) !== answer) return;
      if (!result) return receive?.(message, extra);
      open.delete(id);
      // A client that is gone needs no answer.
      transport.send(responseOf(server, id, method, result)).catch(() => {});
    });
  };
  afterClose(server.server, () => {
    for (const id of [...open.keys()]) end(id, 'gone');
  });
}

/** Members that a handler does not get: they belong to the protocol. */
const envelopeKeys = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
] as const;

/** @returns undefined if the SDK must see it (direct-D2), or may refuse it */
function requestIn(
  { server }: McpServer,
  transport: Transport,
  message: JSONRPCMessage,
): (DirectRequest & { readonly method: string }) | undefined {
  if (!('method' in message && 'id' in message)) return undefined;
  const { id, method, params = {} } = message as { id: string | number; method: string; params?: unknown };
  if (!isRecord(params) || 'task' in params || 'inputResponses' in params || 'requestState' in params) return undefined;
  const { _meta: meta = {}, ...rest } = params;
  const version = server.getNegotiatedProtocolVersion();
  if (version === undefined || !isRecord(meta)) return undefined;
  const envelope: Record<string, unknown> = {};
  const others = { ...meta };
  for (const key of envelopeKeys) {
    if (!(key in others)) continue;
    envelope[key] = others[key];
    delete others[key];
  }
  const fits = inEnvelopes(version)
    ? envelope[PROTOCOL_VERSION_META_KEY] === version &&
      isRecord(envelope[CLIENT_CAPABILITIES_META_KEY]) &&
      isRecord(envelope[CLIENT_INFO_META_KEY])
    : Object.keys(envelope).length === 0;
  if (!fits) return undefined;
  return {
    id,
    method,
    params: Object.keys(others).length > 0 ? { ...rest, _meta: others } : rest,
    envelope,
    capabilities: envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities(),
    notify: notification =>
      transport.send({ jsonrpc: '2.0', ...notification } as JSONRPCMessage, { relatedRequestId: id }),
  };
}

/** The response that the SDK would make of a handler's result; an error if it cannot be made of that. */
function responseOf(
  server: McpServer,
  id: string | number,
  method: string,
  result: Readonly<Record<string, unknown>>,
): JSONRPCMessage {
  try {
    return { jsonrpc: '2.0', id, result: encoded(server, method, result) } as JSONRPCMessage;
  } catch {
    const message = 'The protocol has no such result, so it was not passed on. What was called did run.';
    return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message } };
  }
}

/** A result in the client's revision. @throws TypeError if its content is invalid */
function encoded(
  { server }: McpServer,
  method: string,
  result: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const sdk = server as unknown as {
    _wireCodec(): {
      encodeResult(
        method: string,
        result: Readonly<Record<string, unknown>>,
        server: unknown,
      ): Readonly<Record<string, unknown>>;
    };
    _outboundServerInfo(): unknown;
  };
  const fits = method === 'tools/call' ? server.projectCallToolResult(result as never, undefined) : result;
  return sdk._wireCodec().encodeResult(method, fits as Readonly<Record<string, unknown>>, sdk._outboundServerInfo());
}
