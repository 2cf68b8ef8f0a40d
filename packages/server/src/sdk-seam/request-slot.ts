/**
 * How a request reaches a handler of ours through the SDK, and how it is answered. A refusal of a request's state must be a
 * JSON-RPC error, but whatever a tool's callback throws becomes a tool result; and the SDK's own state hook sees no arguments.
 * So the three handlers that may ask are wrapped when the SDK registers them, which is why an existing server is wrapped before
 * its first registration. A callback reports how its request ended (`Ending`), and the wrapper, which sees the SDK's version of
 * that, decides what the client gets.
 *
 * What this relies on in the SDK is tested in test/server/sdk-seam.test.ts.
 */

import { MidcallError } from '@midcall/core/errors';
import { nests, tooDeeply } from '@midcall/core/json';
import { type McpServer, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { KeptWith } from '../base/index.ts';
import { type AskingMethod, askingMethods, type RawParams } from './asking-method.ts';
import { begun } from './begun.ts';
import type { Departure } from './departure.ts';
import { asThrown } from './sendable.ts';

/** What the client gets, or would have got if it were still there. */
export type Final = { readonly result: unknown } | { readonly error: unknown };

/** How a request ended for its callback. */
export type Ending<R> =
  | ({ readonly kind: 'returned'; readonly result: R; readonly departure?: Departure | undefined } & Settling)
  /** `asItself`: the client gets this error itself, not what the SDK makes of it. */
  | ({ readonly kind: 'failed'; readonly error: unknown; readonly asItself?: boolean } & Settling)
  /** This request was answered before; that answer is returned again. */
  | { readonly kind: 'answered-before'; readonly earlier: Earlier };

interface Settling {
  /**
   * Called with the SDK's version of the result or the error. Returns false if that may not be sent, because another process
   * has continued this call.
   */
  readonly settled?: ((outcome: Final) => Promise<boolean>) | undefined;
}

/** The stored outcome of another attempt at a request. */
export type Earlier =
  | { readonly result: unknown }
  | { readonly error: { readonly code?: number; readonly message: string } };

/** Gets what the client finally gets; must not throw. */
export interface EndListener {
  tell(final: Final): void;
}

/** Takes how a request ended for its callback. */
export interface Settler<R> {
  /** @returns what the callback returns, or throws it */
  settle(ending: Ending<R>): R;
}

/** One request between the SDK's dispatch and its callback. */
class Slot implements Settler<unknown> {
  readonly params: RawParams;
  readonly #method: AskingMethod;
  #ending: Ending<unknown> | undefined;
  #listener: EndListener | undefined;

  constructor(method: AskingMethod, params: RawParams) {
    this.params = params;
    this.#method = method;
  }

  get ending(): Ending<unknown> | undefined {
    return this.#ending;
  }

  /** @param listener - to be told of the end */
  begin(listener: EndListener): void {
    this.#listener = listener;
  }

  /**
   * Takes how the request ended for its callback, before the SDK makes anything of it.
   * @returns what the callback returns
   */
  settle(ending: Ending<unknown>): unknown {
    this.#ending = ending;
    if (ending.kind === 'returned') return ending.result;
    // An error thrown here for an earlier answer is replaced by that answer before anybody sees it.
    throw ending.kind === 'failed' ? ending.error : new MidcallError('state/already-answered', 'Answered before.');
  }

  /** Takes the SDK's version of that. @returns what it returns to the SDK, or throws */
  finish(outcome: Final, unreached: Unreached): unknown {
    let final: Final | Promise<Final>;
    try {
      // Most endings need no further call, and nobody waits for those.
      final = finalOf(this.#ending, outcome);
    } catch (error) {
      return this.#unstored(error);
    }
    if (!(final instanceof Promise)) return this.#tell(final, unreached);
    return final.then(
      each => this.#tell(each, unreached),
      error => this.#unstored(error),
    );
  }

  #tell(final: Final, unreached: Unreached): unknown {
    if (this.#listener) this.#listener.tell(final);
    else if (isRefusal(final)) unreached(this.#method, this.params);
    if ('error' in final) throw asThrown(final.error);
    return final.result;
  }

  /** A store that cannot be written ends the call with its error, which is reported like any other. */
  #unstored(error: unknown): never {
    this.#listener?.tell({ error });
    throw error;
  }
}

const wrapped = new KeptWith<McpServer, true>();
const arrangements = new KeptWith<McpServer, Arrangement>();
const slots = new KeptWith<ServerContext, Slot>();

/** Selects and orders the tools listed for the requesting client. */
export type Arrangement = <T extends { readonly name: string }>(
  tools: readonly T[],
  ctx: ServerContext,
) => readonly T[];

/** Lists the tools of a wrapped server in this way. */
export function arrangeTools(server: McpServer, arrangement: Arrangement): void {
  arrangements.set(server, arrangement);
}

/**
 * Answers the request that the SDK passes to one of our callbacks; the callback returns this promise.
 * @param begin - called with the request as it arrived, and with what takes how it ended; returns whom to notify of its end
 */
export function answer<R>(
  ctx: ServerContext,
  begin: (params: RawParams, settling: Settler<R>) => { readonly listener: EndListener; readonly answered: Promise<R> },
): Promise<R> {
  const slot = slots.get(ctx);
  if (!slot) {
    return Promise.reject(new MidcallError('server/setup', 'This handler was called outside a wrapped server.'));
  }
  const { listener, answered } = begin(slot.params, slot as Settler<R>);
  slot.begin(listener);
  return answered;
}

/**
 * @returns what is known about the round that answered a request; undefined if its answer is not a round, or is not there yet
 */
export function departureOf(ctx: ServerContext): Departure | undefined {
  const ending = slots.get(ctx)?.ending;
  return ending?.kind === 'returned' ? ending.departure : undefined;
}

/**
 * Wraps a handler of `tools/call`, with all that the SDK does around it.
 * @param unconnected - the same handler without the SDK's work for a connection: with that, on 2025-11-25, the SDK would itself
 *   put a round's questions to the client
 */
export type Around = (handler: Handler, unconnected: Handler) => Handler;

/** Called with a request that was refused before it reached one of our callbacks, such as one with invalid arguments. */
export type Unreached = (method: AskingMethod, params: RawParams) => void;

const isRefusal = (outcome: Final): boolean =>
  'error' in outcome || (outcome.result as { isError?: unknown } | null | undefined)?.isError === true;

export type Handler = (request: { params?: unknown }, ctx: ServerContext) => Promise<unknown>;

/**
 * Wraps a server, once.
 * @param unreached - also called for requests that are not ours; must check
 * @param around - wraps the handler of `tools/call`
 * @returns false if it was wrapped before
 * @throws MidcallError `server/setup` if tools, prompts or resources were registered before
 */
export function wrapServer(server: McpServer, unreached: Unreached, around?: Around): boolean {
  if (wrapped.has(server)) return false;
  for (const method of askingMethods) {
    try {
      server.server.assertCanSetRequestHandler(method);
    } catch {
      throw new MidcallError(
        'server/setup',
        `This server already handles ${method}, so what its handlers are given cannot be checked. Create it without ` +
          'capabilities for tools, prompts and resources (registering one declares it; declare more with ' +
          'server.server.registerCapabilities), and call mid.wrap(server) before the first registration; plain tools ' +
          'registered after that work unchanged.',
      );
    }
  }
  const lowLevel = server.server as unknown as {
    setRequestHandler: (method: string, ...rest: unknown[]) => void;
    readonly _requestHandlers: Map<string, Handler>;
  };
  const register = lowLevel.setRequestHandler.bind(server.server);
  lowLevel.setRequestHandler = (method, ...rest) => {
    const handler = rest.at(-1);
    if (method === 'tools/list' && typeof handler === 'function') {
      return register(method, ...rest.slice(0, -1), listed(server, handler as Handler));
    }
    if (!askingMethods.includes(method as AskingMethod) || typeof handler !== 'function')
      return register(method, ...rest);
    const own = through(method as AskingMethod, handler as Handler, unreached);
    const isAround = method === 'tools/call' && around !== undefined;
    register(method, ...rest.slice(0, -1), isAround ? own : ofFlat(own));
    // Outside the SDK's own wrapper of a handler, which accepts only the results it knows.
    const inner = method === 'tools/call' ? lowLevel._requestHandlers.get(method) : undefined;
    if (!inner || !around) return;
    lowLevel._requestHandlers.set(method, ofFlat(around(inner, own)));
  };
  wrapped.set(server, true);
  return true;
}

function listed(server: McpServer, handler: Handler): Handler {
  return async (request, ctx) => {
    const result = (await handler(request, ctx)) as { tools: readonly { readonly name: string }[] };
    const arranged = arrangements.get(server);
    return arranged ? { ...result, tools: arranged(result.tools, ctx) } : result;
  };
}

/** Refuses what nests too deeply before anything traverses it; over HTTP, an endpoint of ours has done so already. */
const ofFlat =
  (handler: Handler): Handler =>
  (request, ctx) =>
    nests(request)
      ? Promise.reject(new ProtocolError(ProtocolErrorCode.InvalidRequest, tooDeeply('request')))
      : handler(request, ctx);

/** Not an asynchronous function, whose frame would be held for as long as a person thinks. */
function through(method: AskingMethod, handler: Handler, unreached: Unreached): Handler {
  return (request, ctx) => {
    const slot = new Slot(method, (request.params ?? {}) as RawParams);
    slots.set(ctx, slot);
    return begun(() => handler(request, ctx)).then(
      result => slot.finish({ result }, unreached),
      error => slot.finish({ error }, unreached),
    );
  };
}

/** @param current - the SDK's version of the ending */
function finalOf(ending: Ending<unknown> | undefined, current: Final): Final | Promise<Final> {
  if (!ending) return current;
  if (ending.kind === 'answered-before') return again(ending.earlier);
  const outcome = ending.kind === 'failed' && ending.asItself ? { error: ending.error } : current;
  return ending.settled?.(outcome).then(isKept => (isKept === false ? { error: overtaken() } : outcome)) ?? outcome;
}

const overtaken = () =>
  new MidcallError(
    'call/interrupted',
    'This process was away so long that another went on with this call and answers it. Call again for the result.',
  );

function again(earlier: Earlier): Final {
  if ('result' in earlier) return earlier;
  const { message, ...rest } = earlier.error;
  return { error: Object.assign(new Error(message), rest) };
}
