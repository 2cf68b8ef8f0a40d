/**
 * The front of a server: it answers the requests that are ours, between the transport and the SDK's server, which gets all others.
 * It uses the public members of the transport, and does for these requests what the SDK does for the rest: it cancels them, ends
 * them with their connection, gives them a context, and stamps their results.
 *
 * - front-F1 A request that the SDK would refuse before its handler goes to the SDK, which refuses it.
 * - front-F2 A request has one answer, and none once it was cancelled or its connection has ended.
 * - front-F3 Every frame passes through the listener and `send` of the transport, so that whoever has wrapped them sees it.
 *
 * What this relies on in the SDK is tested in test/server/sdk-seam/sdk-seam.test.ts.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord, isTexts, nests, tooDeeply } from '@midcall/core/json';
import { afterClose, withClientVersion } from '@midcall/core/sdk-seam';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  LOG_LEVEL_META_KEY,
  type McpServer,
  type MessageExtraInfo,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SERVER_INFO_META_KEY,
  type ServerContext,
  specTypeSchemas,
  type Transport,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/server';
import { cacheHintOf, contextOf, serverInfoOf, servesRounds } from './server-members.ts';
import { type WireError, wireError } from './wire-error.ts';

type Members = Readonly<Record<string, unknown>>;

/** The parameters of a request, without what the protocol adds to them. */
type FrontParams = Members;

/** Answers one request: resolves with its result, or rejects with its error. */
export type Respond = (params: FrontParams, ctx: ServerContext) => Promise<unknown>;

/** Chooses who answers a request; nobody here if undefined. */
type Find = (params: FrontParams) => Respond | undefined;

/** Takes the outcome of a request to the client. */
interface Taker {
  readonly answered: (result: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** What the client is asked for. */
interface ClientAsk {
  readonly method: string;
  readonly params: Members;
}

/** One connection of a server. */
interface Connection {
  readonly transport: Transport;
  /** Requests of the client without an answer, by their ids. */
  readonly running: Map<unknown, AbortController>;
  /** Our requests without an answer, by their ids. */
  readonly waiting: Map<string, Taker>;
}

const fronts = new WeakMap<McpServer, Front>();

/**
 * @returns the front of a server, which is put there at the first call
 * @throws MidcallError `server/setup` if the server is connected already
 */
export function frontOf(server: McpServer): Front {
  const front = fronts.get(server) ?? new Front(server);
  fronts.set(server, front);
  return front;
}

/**
 * Sends a request to the client, as part of the one that is handled in `ctx`, and waits until the signal fires.
 * @returns the result as received
 * @throws the client's error, an SdkError if the client is gone, or the signal's reason, of which the client is notified
 */
export const requestUntil = (
  signal: AbortSignal,
  server: McpServer,
  ctx: ServerContext,
  ask: ClientAsk,
): Promise<unknown> => frontOf(server).request(ctx.mcpReq.id, ask, signal);

export class Front {
  readonly #server: McpServer;
  readonly #finds = new Map<string, Find>();
  #connection: Connection | undefined;
  #requests = 0;

  constructor(server: McpServer) {
    this.#server = server;
    const { server: sdk } = server;
    if (sdk.transport) {
      throw new MidcallError(
        'server/setup',
        'This server is connected already, so its requests cannot be answered here. Call mid.wrap(server), or register the ' +
          'first tool, prompt or resource that may ask, before you connect it.',
      );
    }
    const connect = sdk.connect.bind(sdk);
    sdk.connect = async transport => {
      const heardBefore = transport.onmessage;
      const start = transport.start.bind(transport);
      // The SDK starts the transport when it listens to it; no message may come in between.
      transport.start = () => {
        transport.start = start;
        this.#listen(transport, heardBefore);
        return start();
      };
      try {
        await connect(transport);
      } finally {
        transport.start = start;
      }
    };
  }

  /** Answers those requests of a method for which `find` returns a handler. */
  take(method: string, find: Find): void {
    this.#finds.set(method, find);
  }

  /** As {@link requestUntil}. @param related - the id of the client's request that it belongs to */
  async request(related: JSONRPCRequest['id'], { method, params }: ClientAsk, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    if (!this.#connection) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    const { transport, waiting } = this.#connection;
    // The SDK numbers its own requests, so a text is never the id of one.
    const id = `midcall-${this.#requests++}`;
    const options = { relatedRequestId: related };
    let cancel = (): void => {};
    try {
      return await new Promise((answered, failed) => {
        waiting.set(id, { answered, failed });
        cancel = () => {
          if (!waiting.delete(id)) return;
          const cancelled = { requestId: id, reason: String(signal.reason) };
          // A client that is gone need not be notified.
          transport
            .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }, options)
            .catch(() => {});
          failed(signal.reason);
        };
        signal.addEventListener('abort', cancel, { once: true });
        transport.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage, options).catch(failed);
      });
    } finally {
      waiting.delete(id);
      signal.removeEventListener('abort', cancel);
    }
  }

  #listen(transport: Transport, heardBefore: Transport['onmessage']): void {
    const connection: Connection = { transport, running: new Map(), waiting: new Map() };
    this.#connection = connection;
    const { onmessage: toSdk } = transport;
    transport.onmessage = (message, extra) => {
      if (this.#takes(message, extra, connection)) heardBefore?.(message, extra);
      else toSdk?.(withClientVersion(message), extra);
    };
    afterClose(transport, () => {
      if (this.#connection === connection) this.#connection = undefined;
      const { running, waiting } = connection;
      const error = new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
      const [takers, controllers] = [[...waiting.values()], [...running.values()]];
      waiting.clear();
      running.clear();
      for (const taker of takers) taker.failed(error);
      for (const controller of controllers) controller.abort(error);
    });
  }

  /** @returns false if the SDK must get the message */
  #takes(message: JSONRPCMessage, extra: MessageExtraInfo | undefined, connection: Connection): boolean {
    if ('method' in message) {
      if ('id' in message) return this.#answers(message, extra, connection);
      if (message.method === 'notifications/cancelled') {
        const { requestId, reason } = (message.params ?? {}) as { requestId?: unknown; reason?: unknown };
        connection.running.get(requestId)?.abort(reason);
      }
      return false;
    }
    const taker = connection.waiting.get(message.id as string);
    if (!taker) return false;
    connection.waiting.delete(message.id as string);
    if ('result' in message) taker.answered(message.result);
    else taker.failed(ProtocolError.fromError(message.error.code, message.error.message, message.error.data));
    return true;
  }

  #answers(request: JSONRPCRequest, extra: MessageExtraInfo | undefined, connection: Connection): boolean {
    const { id, method } = request;
    const find = this.#finds.get(method);
    const { server: sdk } = this.#server;
    const isModern = servesRounds(this.#server);
    if (!find || (extra?.classification && (extra.classification.era === 'modern') !== isModern)) return false;
    const { params, envelope, ...retry } = lifted(request.params);
    if (!fits(method, params) || (isModern && !isEnvelope(envelope))) return false;
    const respond = find(params);
    if (!respond) return false;
    const controller = new AbortController();
    const { signal } = controller;
    const { transport, running } = connection;
    running.set(id, controller);
    const ctx = this.#contextOf(request, { params, envelope, ...retry }, signal, transport, extra);
    const send = (response: { readonly result: unknown } | { readonly error: object }): void => {
      if (running.get(id) === controller) running.delete(id);
      if (signal.aborted) return;
      transport.send({ jsonrpc: '2.0', id, ...response } as JSONRPCMessage).catch((error: unknown) => {
        sdk.onerror?.(new Error(`Failed to send response: ${error}`));
      });
    };
    // Wait a turn: an error that is sent while the message is delivered gets an HTTP status of its own.
    void Promise.resolve()
      .then(() => {
        if (nests(params)) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, tooDeeply('request'));
        return respond(params, ctx);
      })
      .then(
        result => send({ result: isModern ? stamped(method, result as Members, this.#server) : result }),
        (error: unknown) => send({ error: sentError(isModern ? ofRounds(error) : error) }),
      );
    return true;
  }

  /** What the SDK gives a handler besides the request. */
  #contextOf(
    { id, method }: JSONRPCRequest,
    { params, envelope, inputResponses, requestState }: Lifted,
    signal: AbortSignal,
    { sessionId }: Transport,
    extra: MessageExtraInfo | undefined,
  ): ServerContext {
    const { server: sdk } = this.#server;
    const related = { relatedRequestId: id };
    const { accepted, dropped } = judged(inputResponses);
    const mcpReq = {
      id,
      method,
      _meta: params['_meta'],
      ...(envelope && { envelope }),
      ...(accepted && { inputResponses: accepted }),
      ...(dropped.length > 0 && { droppedInputResponseKeys: dropped }),
      requestState: () => requestState,
      signal,
      send: (sent: object, schema?: object, options?: object) =>
        schema && '~standard' in schema
          ? sdk.request(sent as never, schema as never, { ...options, ...related })
          : sdk.request(sent as never, { ...schema, ...related } as never),
      notify: (sent: object, options?: object) => sdk.notification(sent as never, { ...options, ...related }),
    };
    const { authInfo } = extra ?? {};
    return contextOf(this.#server, { sessionId, mcpReq, http: authInfo && { authInfo } }, extra);
  }
}

/** The members of `_meta` that are the protocol's own on 2026-07-28, and no handler's. */
const envelopeKeys = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
] as const;

interface Lifted {
  readonly params: Members;
  readonly envelope: Members | undefined;
  readonly inputResponses: unknown;
  readonly requestState: unknown;
}

/** Separates the parameters of a request from what the protocol adds to them. */
function lifted(sent: unknown): Lifted {
  if (!isRecord(sent)) return { params: {}, envelope: undefined, inputResponses: undefined, requestState: undefined };
  const { inputResponses, requestState, _meta: meta, ...others } = sent;
  if (!isRecord(meta)) {
    const params = meta === undefined ? others : { ...others, _meta: meta };
    return { params, envelope: undefined, inputResponses, requestState };
  }
  const [own, rest] = [true, false].map(isOwn =>
    Object.fromEntries(Object.entries(meta).filter(([key]) => envelopeKeys.includes(key as never) === isOwn)),
  ) as [Members, Members];
  const isEmpty = Object.keys(own).length === 0;
  const params = isEmpty || Object.keys(rest).length > 0 ? { ...others, _meta: rest } : others;
  return { params, envelope: isEmpty ? undefined : own, inputResponses, requestState };
}

/**
 * Separates answers to a round from what cannot be one. Answers that are no object at all are none: an author is to find that they
 * are missing.
 */
function judged(inputResponses: unknown): { readonly accepted: Members | undefined; readonly dropped: string[] } {
  if (!isRecord(inputResponses)) return { accepted: undefined, dropped: [] };
  const isAnswer = (answer: unknown): boolean => isRecord(answer) && !('method' in answer) && !('result' in answer);
  const entries = Object.entries(inputResponses);
  return {
    accepted: Object.fromEntries(entries.filter(([, answer]) => isAnswer(answer))),
    dropped: entries.filter(([, answer]) => !isAnswer(answer)).map(([key]) => key),
  };
}

const isId = (value: unknown): boolean => typeof value === 'string' || Number.isSafeInteger(value);

/** False for parameters that the SDK's schema of the method refuses (front-F1). */
function fits(method: string, { name, uri, arguments: args, _meta: meta }: Members): boolean {
  if (meta !== undefined) {
    if (!isRecord(meta)) return false;
    if (meta['progressToken'] !== undefined && !isId(meta['progressToken'])) return false;
  }
  if (method === 'tools/call') return typeof name === 'string' && (args === undefined || isRecord(args));
  if (method === 'resources/read') return typeof uri === 'string';
  if (method !== 'prompts/get') return true;
  const areTexts = isRecord(args) && isTexts(Object.values(args));
  return typeof name === 'string' && (args === undefined || areTexts);
}

const isOfType = (schema: keyof typeof specTypeSchemas, value: unknown): boolean => {
  const read = specTypeSchemas[schema]['~standard'].validate(value);
  return !(read instanceof Promise) && !read.issues;
};

/** False for an envelope that the SDK refuses (front-F1). */
function isEnvelope(envelope: Members | undefined): boolean {
  if (!envelope) return false;
  const [version, info, capabilities, level] = envelopeKeys.map(key => envelope[key]);
  return (
    typeof version === 'string' &&
    isOfType('ClientCapabilities', capabilities) &&
    (info === undefined || isOfType('Implementation', info)) &&
    (level === undefined || isOfType('LoggingLevel', level))
  );
}

/** A result as 2026-07-28 has it: with its type, the server, and for a resource how long it may be kept. */
function stamped(method: string, result: Members, server: McpServer): Members {
  const { resultType = 'complete', _meta: meta } = result;
  const isMeta = meta === undefined || isRecord(meta);
  const mayBeCached = method === 'resources/read' && resultType === 'complete';
  return {
    ...result,
    resultType,
    ...(mayBeCached && cached(result, cacheHintOf(server))),
    ...(isMeta && { _meta: { [SERVER_INFO_META_KEY]: serverInfoOf(server), ...meta } }),
  };
}

/** @param hints - the most specific first; without a valid one, nothing may be kept */
function cached(...hints: readonly (Members | undefined)[]): Members {
  const first = (name: string, isValid: (value: unknown) => boolean): unknown =>
    hints.find(hint => isValid(hint?.[name]))?.[name];
  return {
    ttlMs: first('ttlMs', value => Number.isSafeInteger(value) && (value as number) >= 0) ?? 0,
    cacheScope: first('cacheScope', value => value === 'public' || value === 'private') ?? 'private',
  };
}

/** An error as 2026-07-28 has it, where no error names a page. */
const ofRounds = (error: unknown): unknown =>
  error instanceof UrlElicitationRequiredError
    ? new ProtocolError(
        ProtocolErrorCode.InternalError,
        'The handler threw a UrlElicitationRequiredError, which the revision of this client does not have. Ask for the page by `call`.',
      )
    : error;

/** -32002 exists in drafts only. */
const codes = new Map<number, number>([[-32002, ProtocolErrorCode.InvalidParams]]);

/** What the client is sent of an error. */
function sentError(error: unknown): WireError {
  const sent = wireError(error);
  return { ...sent, code: codes.get(sent.code) ?? sent.code };
}
