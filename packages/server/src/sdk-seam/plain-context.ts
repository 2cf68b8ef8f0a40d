/**
 * The context of a call that takes the short way: what `Server.buildContext` of the SDK makes, as an object of a class. The SDK
 * copies its contexts by spreading, which gives each a hidden class of its own, and gives each five functions that a handler of
 * ours seldom calls. Many calls may be waiting at once, so those are made when somebody reads them.
 *
 * What this relies on in the SDK is tested in test/server/plain-context.test.ts.
 */
import type { MessageExtraInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Cancellation } from './cancellation.ts';
import type { PlainCall } from './plain-call.ts';

type RequestContext = ServerContext['mcpReq'];
type Members = Readonly<Record<string, unknown>>;

/** The part of the SDK's server that a context needs. */
export interface ContextServer {
  request(request: object, ...rest: (object | undefined)[]): Promise<unknown>;
  notification(notification: object, options: object): Promise<void>;
  buildContext(ctx: object, extra: MessageExtraInfo | undefined): ServerContext;
}

const noState = (): undefined => undefined;

/** The request of a context, as far as the SDK's server is given it to make one. */
const given = (sdk: ContextServer, call: PlainCall, more: object) => {
  const { id, params, envelope, inputResponses, requestState } = call;
  return {
    id,
    method: 'tools/call',
    _meta: params._meta,
    ...(envelope !== undefined && { envelope }),
    ...(inputResponses !== undefined && { inputResponses }),
    requestState: requestState === undefined ? noState : () => requestState,
    ...more,
    send: (request: object, schema: object | undefined, options: object | undefined) =>
      schema && '~standard' in schema
        ? sdk.request(request, schema, { ...options, relatedRequestId: id })
        : sdk.request(request, { ...schema, relatedRequestId: id }),
    notify: (notification: object, options: object | undefined) =>
      sdk.notification(notification, { ...options, relatedRequestId: id }),
  };
};

const httpOf = (extra: MessageExtraInfo | undefined): object | undefined =>
  extra?.authInfo ? { authInfo: extra.authInfo } : undefined;

/** A context that the SDK's server makes itself: a subclass of it may want to see the signal, or to add something. */
export const contextBySdk = (
  sdk: ContextServer,
  sessionId: string | undefined,
  call: PlainCall,
  cancellation: Cancellation,
  extra: MessageExtraInfo | undefined,
): ServerContext =>
  sdk.buildContext(
    { sessionId, mcpReq: given(sdk, call, { signal: cancellation.signal }), http: httpOf(extra) },
    extra,
  );

/** The members that the SDK makes for each request, and that are read from one that it has made. */
class PlainRequest {
  readonly id: PlainCall['id'];
  readonly method = 'tools/call';
  readonly _meta: PlainCall['params']['_meta'];
  readonly envelope: Members | undefined;
  readonly inputResponses: Members | undefined;
  readonly requestState: () => unknown;
  readonly #sdk: ContextServer;
  readonly #sessionId: string | undefined;
  #whole: RequestContext | undefined;

  constructor(sdk: ContextServer, sessionId: string | undefined, call: PlainCall) {
    const { requestState } = call;
    this.id = call.id;
    this._meta = call.params._meta;
    this.envelope = call.envelope;
    this.inputResponses = call.inputResponses;
    this.requestState = requestState === undefined ? noState : () => requestState;
    this.#sdk = sdk;
    this.#sessionId = sessionId;
  }

  get send(): unknown {
    return this.whole.send;
  }

  get notify(): unknown {
    return this.whole.notify;
  }

  get log(): unknown {
    return this.whole.log;
  }

  get elicitInput(): unknown {
    return this.whole.elicitInput;
  }

  get requestSampling(): unknown {
    return this.whole.requestSampling;
  }

  /** The same as an object of the SDK's, with each member its own. */
  get whole(): RequestContext {
    if (!this.#whole) {
      const { id, _meta, envelope, inputResponses } = this;
      const call = {
        id,
        params: { name: '', ...(_meta && { _meta }) },
        envelope,
        inputResponses,
        requestState: undefined,
      };
      const mcpReq = { ...given(this.#sdk, call, {}), requestState: this.requestState };
      this.#whole = this.#sdk.buildContext({ sessionId: this.#sessionId, mcpReq }, undefined).mcpReq;
    }
    return this.#whole;
  }

  /** undefined if it is not one of ours. */
  static wholeOf(mcpReq: RequestContext): RequestContext | undefined {
    return #whole in mcpReq ? (mcpReq as unknown as PlainRequest).whole : undefined;
  }
}

class PlainContext {
  readonly sessionId: string | undefined;
  readonly mcpReq: PlainRequest;
  readonly http: object | undefined;

  constructor(sessionId: string | undefined, mcpReq: PlainRequest, extra: MessageExtraInfo | undefined) {
    this.sessionId = sessionId;
    this.mcpReq = mcpReq;
    this.http = extra && heardOf(extra);
  }
}

/** What is known of the HTTP request that brought a call; undefined over standard input. */
function heardOf(extra: MessageExtraInfo): object | undefined {
  const { authInfo, request: req, closeSSEStream: closeSSE, closeStandaloneSSEStream: closeStandaloneSSE } = extra;
  if (!authInfo && !req && !closeSSE && !closeStandaloneSSE) return undefined;
  return authInfo ? { authInfo, req, closeSSE, closeStandaloneSSE } : { req, closeSSE, closeStandaloneSSE };
}

/** The context of a plain call at a server whose class makes contexts as the SDK does. */
export function plainContext(
  sdk: ContextServer,
  sessionId: string | undefined,
  call: PlainCall,
  cancellation: Cancellation,
  extra: MessageExtraInfo | undefined,
): ServerContext {
  const mcpReq = new PlainRequest(sdk, sessionId, call);
  cancellation.attach(mcpReq as unknown as RequestContext);
  return new PlainContext(sessionId, mcpReq, extra) as unknown as ServerContext;
}

/** A copy of a context, with another signal. */
export const withSignal = (ctx: ServerContext, signal: AbortSignal): ServerContext => ({
  ...ctx,
  mcpReq: { ...(PlainRequest.wholeOf(ctx.mcpReq) ?? ctx.mcpReq), signal },
});
