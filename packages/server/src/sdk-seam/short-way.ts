/**
 * The short way of a call to one of our tools, from the transport to its handler, and of its result back, without the schemas
 * by which the SDK checks each frame up to eight times. It is only used after the SDK has accepted a similar call: a call goes
 * the SDK's way if its client's declarations are new, and over standard input if it is the first of its connection. Later ones
 * take the short way if they contain nothing that needs a schema. Anything unusual in a call or a result is left to the SDK.
 *
 * - way-W1 Every frame sent is the one that the SDK would have sent.
 * - way-W2 A call is in the SDK's own table of requests, so that it is cancelled, and ended with its connection, by the SDK.
 * - way-W3 If somebody has wrapped the transport or the handler, their wrapper sees every frame.
 *
 * What this relies on in the SDK is tested in test/server/short-way.test.ts.
 */
import {
  type JSONRPCMessage,
  type McpServer,
  type MessageExtraInfo,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { hasRounds, KeptWith } from '../base/index.ts';
import { Cancellation } from './cancellation.ts';
import { takeAnswer } from './client-request.ts';
import { knownEnvelopes } from './known-envelopes.ts';
import { type PlainCall, plainCall } from './plain-call.ts';
import { type ContextServer, contextBySdk, plainContext, withSignal } from './plain-context.ts';
import { isPlainResult } from './plain-result.ts';
import { StdioLines, sendBy } from './stdio-lines.ts';
import { isOfSdk, passesCalls } from './tapped-transport.ts';

type Members = Readonly<Record<string, unknown>>;
type Handler = (request: { params?: unknown }, ctx: ServerContext) => Promise<unknown>;
type JudgedHandler = (...given: [...Parameters<Handler>, judge?: Judge]) => Promise<unknown>;
/** What is made of a result. */
type Judge = (result: unknown, ...given: Parameters<Handler>) => unknown;

/** The part of the SDK's server that the short way needs. */
interface SdkServer extends ContextServer {
  readonly _transport: Transport | undefined;
  readonly _requestHandlers: Map<string, Handler>;
  readonly _requestHandlerAbortControllers: Map<unknown, Pick<AbortController, 'abort'>>;
  readonly _requestStateVerify: unknown;
  _onerror(error: Error): void;
  _outboundServerInfo(): unknown;
  _wireCodec(): {
    encodeResult(method: string, result: unknown, server: unknown): unknown;
    encodeErrorCode(code: number): number;
  };
  _invokeInputRequiredCapableHandler(
    method: string,
    handler: Handler,
    request: { params?: unknown },
    ctx: ServerContext,
  ): Promise<unknown>;
  _wrapHandler(method: string, handler: Handler): Handler;
}

/** How one server answers calls. */
interface Way {
  /** The handler that the SDK calls. */
  installed: Handler;
  /** The handler for a call that needs no schema. */
  short: Handler;
  /** True for a tool of ours. */
  readonly isOurs: (name: string) => boolean;
  /** The revision of its client, once the SDK's entry point has passed this server a call from it. */
  version: string | undefined;
}

const ways = new KeptWith<McpServer, Way>();

/**
 * Opens the short way to a handler of `tools/call`.
 * @param unjudged - the handler as registered with the SDK, without the SDK's own checks around it
 * @param around - wraps both; see `wrapServer`
 * @returns the function to be called in place of the handler with all its wrappers
 */
export function openShortWay(
  server: McpServer,
  unjudged: JudgedHandler,
  installed: Handler,
  around: (handler: Handler) => Handler,
  isOurs: (name: string) => boolean,
): Handler {
  const sdk = sdkOf(server);
  const judgedResult = (result: unknown, request: { params?: unknown }, ctx: ServerContext): unknown =>
    isPlainResult(result) || isInputRequired(result)
      ? result
      : sdk._wrapHandler('tools/call', async () => result)(request, ctx);
  const inRoundsOfSdk = async (handler: Handler, request: { params?: unknown }, ctx: ServerContext): Promise<unknown> =>
    judgedResult(await sdk._invokeInputRequiredCapableHandler('tools/call', handler, request, ctx), request, ctx);
  /** Up to 2025-11-25, what the SDK does around a handler begins with a result that asks for input. */
  const judgedLater = (result: unknown, request: { params?: unknown }, ctx: ServerContext): unknown => {
    if (!isInputRequired(result)) return judgedResult(result, request, ctx);
    let first: unknown = result;
    const resumed: Handler = (again, itsCtx) => {
      const given = first;
      first = undefined;
      return given === undefined ? unjudged(again, itsCtx) : Promise.resolve(given);
    };
    // The SDK copies the context for each round.
    return inRoundsOfSdk(resumed, request, withSignal(ctx, ctx.mcpReq.signal));
  };
  const judged: Handler = (request, ctx) => {
    const version = server.server.getNegotiatedProtocolVersion();
    const isInRounds = version === undefined || hasRounds(version);
    return isInRounds ? inRoundsOfSdk(unjudged, request, ctx) : unjudged(request, ctx, judgedLater);
  };
  const short = around(judged);
  const learning: Handler = (request, ctx) => {
    const way = ways.get(server);
    if (way) way.version = server.server.getNegotiatedProtocolVersion();
    const { envelope } = ctx.mcpReq as { readonly envelope?: Members };
    if (envelope) knownEnvelopes.add(envelope);
    return installed(request, ctx);
  };
  const way = ways.get(server);
  if (way) Object.assign(way, { installed: learning, short });
  else {
    ways.set(server, { installed: learning, short, isOurs, version: undefined });
    const connect = server.connect.bind(server);
    server.connect = async transport => {
      await connect(transport);
      take(server, transport);
    };
  }
  return learning;
}

/** True for a tool of ours whose calls may take the short way. */
export const hasShortWay = (server: McpServer, name: string): boolean => ways.get(server)?.isOurs(name) === true;

const sdkOf = ({ server }: McpServer): SdkServer => server as unknown as SdkServer;

const isInputRequired = (result: unknown): boolean =>
  (result as { resultType?: unknown } | null | undefined)?.resultType === 'input_required';

/** Takes messages that need no checks from a transport. */
function take(server: McpServer, transport: Transport): void {
  if (!isOfSdk(transport, 'onmessage')) return;
  const sdk = sdkOf(server);
  const receive = transport.onmessage!;
  const taken = (message: unknown, extra?: MessageExtraInfo): boolean => {
    if (sdk._transport !== transport) return false;
    if (takeAnswer(server, message)) return true;
    const way = ways.get(server);
    const version = server.server.getNegotiatedProtocolVersion();
    if (!way || version === undefined) return false;
    const isModern = hasRounds(version);
    const { classification } = extra ?? {};
    if (classification && !(isModern && classification.era === 'modern')) return false;
    const call = plainCall(message, isModern ? knownEnvelopes : undefined);
    if (!call || !way.isOurs(call.params.name)) return false;
    if (sdk._requestHandlers.get('tools/call') !== way.installed) return false;
    if (call.requestState !== undefined && sdk._requestStateVerify !== undefined) return false;
    way.version = version;
    answer(sdk, transport, way.short, call, extra);
    return true;
  };
  const hook: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (!taken(message, extra)) receive.call(transport, message, extra);
  };
  transport.onmessage = hook;
  passesCalls(hook, receive);
  // A line has not passed the SDK's entry point, so the SDK must already have chosen this server for that connection.
  const isChosen = (): boolean => {
    const version = ways.get(server)?.version;
    return version !== undefined && version === server.server.getNegotiatedProtocolVersion();
  };
  StdioLines.of(transport)?.listen(frame => isChosen() && transport.onmessage === hook && taken(frame));
}

/** Answers a call, from its entry in the SDK's table to its response; see `Protocol._onrequest`. */
function answer(
  sdk: SdkServer,
  transport: Transport,
  handler: Handler,
  call: PlainCall,
  extra: MessageExtraInfo | undefined,
): void {
  const answering = new Answering(sdk, transport, call.id);
  const request = { jsonrpc: '2.0', id: call.id, method: 'tools/call', params: call.params };
  const context = contextOf(sdk, transport, call, answering, extra);
  let handled: Promise<unknown>;
  try {
    handled = handler(request, context);
  } catch (error) {
    // A synchronous error is treated like a later one.
    handled = Promise.reject(error);
  }
  handled.then(
    result => answering.returned(result),
    error => answering.threw(error),
  );
}

/** One call until it is answered, and its entry in the SDK's table. Not a set of closures: many calls may be waiting at once. */
class Answering extends Cancellation {
  readonly #sdk: SdkServer;
  readonly #transport: Transport;
  readonly #id: PlainCall['id'];
  readonly #codec: ReturnType<SdkServer['_wireCodec']>;

  constructor(sdk: SdkServer, transport: Transport, id: PlainCall['id']) {
    super();
    this.#sdk = sdk;
    this.#transport = transport;
    this.#id = id;
    this.#codec = sdk._wireCodec();
    sdk._requestHandlerAbortControllers.set(id, this);
  }

  returned(result: unknown): void {
    if (this.isCancelled) {
      this.#ended();
      return;
    }
    let encoded: unknown;
    try {
      encoded = this.#codec.encodeResult('tools/call', result, this.#sdk._outboundServerInfo());
    } catch (error) {
      this.#sdk._onerror(new Error(`Failed to encode result for tools/call: ${error}`));
      const { InternalError: code } = ProtocolErrorCode;
      this.#send({ jsonrpc: '2.0', id: this.#id, error: { code, message: 'Internal error' } });
      return;
    }
    this.#send({ result: encoded, jsonrpc: '2.0', id: this.#id });
  }

  threw(error: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }): void {
    if (this.isCancelled) {
      this.#ended();
      return;
    }
    const code = Number.isSafeInteger(error.code) ? (error.code as number) : ProtocolErrorCode.InternalError;
    const { message = 'Internal error', data } = error;
    const wire = { code: this.#codec.encodeErrorCode(code), message, ...(data !== undefined && { data }) };
    this.#send({ jsonrpc: '2.0', id: this.#id, error: wire });
  }

  #send(message: object): void {
    const ended = (): void => this.#ended();
    const failed = (error: unknown): void => {
      this.#sdk._onerror(new Error(`Failed to send response: ${error}`));
      this.#ended();
    };
    try {
      sendBy(this.#transport, message as JSONRPCMessage).then(ended, failed);
    } catch (error) {
      failed(error);
    }
  }

  #ended(): void {
    const controllers = this.#sdk._requestHandlerAbortControllers;
    if (controllers.get(this.#id) === this) controllers.delete(this.#id);
  }
}

const { buildContext: contextOfSdk } = Server.prototype as unknown as SdkServer;

/** The context that the SDK gives a handler besides the request. */
const contextOf = (
  sdk: SdkServer,
  { sessionId }: Transport,
  call: PlainCall,
  cancellation: Cancellation,
  extra: MessageExtraInfo | undefined,
): ServerContext =>
  (sdk.buildContext === contextOfSdk ? plainContext : contextBySdk)(sdk, sessionId, call, cancellation, extra);
