/**
 * Requests that are answered before the SDK gets them, whose schemas would check every member. If more than a result turns out
 * to be needed, the request is left to its handler: then the SDK gets it as if it had just arrived.
 *
 * - direct-D1 A request has one answer: if it was left to its handler, was cancelled, or its client is gone, nothing is sent
 *   directly.
 * - direct-D2 A request that contains more than the call itself (an answered round, a task) goes to the handler from the start.
 * - direct-D3 A transport of our own passes such requests, and takes their answers, without the SDK's entry point for standard
 *   input and output, which checks each by schemas too; but only once that has chosen a server for the connection, and never
 *   ahead of an earlier message that was left to it.
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
  type MessageExtraInfo,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server';
import { hasRounds } from '../base/index.ts';
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

/** A transport of our own below the SDK's entry point. */
interface DirectWire extends Transport {
  /** Offered each request first, unless an earlier message was left to the SDK just now. @returns false if the SDK must get it */
  ondirect: ((message: JSONRPCMessage) => boolean) | undefined;
}

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
  const wire = directWireOf(transport);
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
    if (!begun(message, extra, transport)) receive?.(message, extra);
    // The SDK's entry point has passed a request to this server, so it does not choose another one.
    else if (wire && !wire.ondirect) wire.ondirect = direct;
  };
  /** @param over - takes the answer. @returns false if the SDK must get the message */
  const begun = (message: JSONRPCMessage, extra: MessageExtraInfo | undefined, over: Transport): boolean => {
    const request = requestIn(server, transport, message);
    const answer = request && !open.has(request.id) ? methods.get(request.method)?.(request) : undefined;
    if (!request || !answer) return false;
    const { id, method } = request;
    open.set(id, answer);
    void answer.result.then(result => {
      if (open.get(id) !== answer) return;
      if (!result) return receive?.(message, extra);
      open.delete(id);
      // A client that is gone needs no answer.
      over.send(responseOf(server, id, method, result)).catch(() => {});
    });
    return true;
  };
  const direct = (message: JSONRPCMessage): boolean => begun(message, undefined, wire!);
  afterClose(server.server, () => {
    if (wire?.ondirect === direct) wire.ondirect = undefined;
    for (const id of [...open.keys()]) end(id, 'gone');
  });
}

/** The transport below the SDK's entry point, if it is one of ours. */
function directWireOf(transport: Transport): DirectWire | undefined {
  const { _wire: wire } = transport as { readonly _wire?: Transport };
  return wire && 'ondirect' in wire ? (wire as DirectWire) : undefined;
}

/** Members that a handler does not get: they belong to the protocol. */
const envelopeKeys: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
]);

const nothing = {};

const withoutMeta = ({ _meta: _, ...rest }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  rest;

/** @returns undefined if the SDK must see it (direct-D2), or may refuse it */
function requestIn(
  { server }: McpServer,
  transport: Transport,
  message: JSONRPCMessage,
): (DirectRequest & { readonly method: string }) | undefined {
  if (!('method' in message && 'id' in message)) return undefined;
  const { id, method, params = {} } = message as { id: string | number; method: string; params?: unknown };
  if (!isRecord(params) || 'task' in params || 'inputResponses' in params || 'requestState' in params) return undefined;
  const { _meta: meta = nothing } = params;
  const version = server.getNegotiatedProtocolVersion();
  if (version === undefined || !isRecord(meta)) return undefined;
  const entries = Object.entries(meta);
  const envelope = Object.fromEntries(entries.filter(([key]) => envelopeKeys.has(key)));
  // Assigned, a member named `__proto__` would become what all others are looked up in.
  const others = Object.fromEntries(entries.filter(([key]) => !envelopeKeys.has(key)));
  const fits = hasRounds(version)
    ? envelope[PROTOCOL_VERSION_META_KEY] === version &&
      isRecord(envelope[CLIENT_CAPABILITIES_META_KEY]) &&
      isRecord(envelope[CLIENT_INFO_META_KEY])
    : Object.keys(envelope).length === 0;
  if (!fits) return undefined;
  return {
    id,
    method,
    params:
      meta === nothing ? params : Object.keys(others).length > 0 ? { ...params, _meta: others } : withoutMeta(params),
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
