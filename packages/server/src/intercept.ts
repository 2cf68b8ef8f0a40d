/**
 * The seam to the SDK. A refusal of a request's state must be a JSON-RPC error, but whatever a tool's callback throws
 * becomes a tool result; and the SDK's own state hook sees no arguments. So the three handlers that may ask are wrapped
 * when the SDK registers them, which is why an existing server is wrapped before its first registration.
 */

import { MidcallError } from '@midcall/core/errors';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { type AskingMethod, askingMethods } from './request.ts';
import { asThrown } from './sendable.ts';

/** One request on its way through the SDK to its callback and back. */
export interface Passage {
  readonly params: { readonly name?: string; readonly uri?: string; readonly arguments?: unknown };
  /** Set by the callback: thrown instead of what the SDK made of it. */
  error?: unknown;
  /**
   * Set by the callback: told what the SDK made of its result, or of its error. False where that may not be told, because
   * another has gone on with this call.
   */
  settled?: (outcome: { readonly result: unknown } | { readonly error: unknown }) => Promise<boolean>;
  /** Set by the callback: told what the client gets, whatever became of it on the way; must not throw. */
  ended?: (final: { readonly result: unknown } | { readonly error: unknown }) => void;
  /** Set by the callback: this request was answered before; give that again. */
  earlier?: { readonly result: unknown } | { readonly error: { readonly code?: number; readonly message: string } };
}

const wrapped = new WeakSet<McpServer>();
const arrangements = new WeakMap<McpServer, Arrangement>();
const passages = new WeakMap<ServerContext, Passage>();

/** Which tools are listed for the client that asks, and in which order. */
export type Arrangement = <T extends { readonly name: string }>(
  tools: readonly T[],
  ctx: ServerContext,
) => readonly T[];

/** Lists the tools of a wrapped server in this way. */
export function arrangeTools(server: McpServer, arrangement: Arrangement): void {
  arrangements.set(server, arrangement);
}

/** The passage of a request the SDK hands to a callback of ours. */
export function passageOf(ctx: ServerContext): Passage {
  const passage = passages.get(ctx);
  if (!passage) throw new MidcallError('server/setup', 'This handler was called outside a wrapped server.');
  return passage;
}

/** Told of a request that was refused before it reached a callback of ours, such as one with arguments that do not fit. */
export type Unreached = (method: AskingMethod, params: Passage['params']) => void;

const isRefusal = (outcome: { readonly result: unknown } | { readonly error: unknown }): boolean =>
  'error' in outcome || (outcome.result as { isError?: unknown } | null | undefined)?.isError === true;

type Handler = (request: { params?: unknown }, ctx: ServerContext) => Promise<unknown>;

/**
 * Wraps a server, once.
 * @param unreached - also told of what is no request of ours: it looks
 * @returns false where it was wrapped before
 * @throws MidcallError `server/setup` where tools, prompts or resources were registered before
 */
export function intercept(server: McpServer, unreached: Unreached): boolean {
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
  const lowLevel = server.server as unknown as { setRequestHandler: (method: string, ...rest: unknown[]) => void };
  const register = lowLevel.setRequestHandler.bind(server.server);
  lowLevel.setRequestHandler = (method, ...rest) => {
    const handler = rest.at(-1);
    if (method === 'tools/list' && typeof handler === 'function') {
      return register(method, ...rest.slice(0, -1), listed(server, handler as Handler));
    }
    if (!askingMethods.includes(method as AskingMethod) || typeof handler !== 'function')
      return register(method, ...rest);
    register(method, ...rest.slice(0, -1), through(method as AskingMethod, handler as Handler, unreached));
  };
  wrapped.add(server);
  return true;
}

function listed(server: McpServer, handler: Handler): Handler {
  return async (request, ctx) => {
    const result = (await handler(request, ctx)) as { tools: readonly { readonly name: string }[] };
    const arranged = arrangements.get(server);
    return arranged ? { ...result, tools: arranged(result.tools, ctx) } : result;
  };
}

function through(method: AskingMethod, handler: Handler, unreached: Unreached): Handler {
  return async (request, ctx) => {
    const passage: Passage = { params: (request.params ?? {}) as Passage['params'] };
    passages.set(ctx, passage);
    let outcome: { readonly result: unknown } | { readonly error: unknown };
    try {
      outcome = { result: await handler(request, ctx) };
    } catch (error) {
      outcome = { error };
    }
    if (passage.error !== undefined) outcome = { error: passage.error };
    if (passage.earlier) outcome = replay(passage.earlier);
    else if ((await settle(passage, outcome)) === false) outcome = { error: followed() };
    if (passage.ended) passage.ended(outcome);
    else if (isRefusal(outcome)) unreached(method, passage.params);
    if ('error' in outcome) throw asThrown(outcome.error);
    return outcome.result;
  };
}

/** A store that cannot be written ends the call with its error, which is told like any other. */
async function settle(
  passage: Passage,
  outcome: { readonly result: unknown } | { readonly error: unknown },
): Promise<boolean | undefined> {
  try {
    return await passage.settled?.(outcome);
  } catch (error) {
    passage.ended?.({ error });
    throw error;
  }
}

const followed = () =>
  new MidcallError(
    'call/interrupted',
    'This process was away so long that another went on with this call and answers it. Call again to learn what came of it.',
  );

function replay(earlier: NonNullable<Passage['earlier']>): { readonly result: unknown } | { readonly error: unknown } {
  if ('result' in earlier) return earlier;
  const { message, ...rest } = earlier.error;
  return { error: Object.assign(new Error(message), rest) };
}
