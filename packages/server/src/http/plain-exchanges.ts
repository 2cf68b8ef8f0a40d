/** The plain calls of 2026-07-28 clients at one endpoint that are answered in place of the SDK's handler. */
import {
  type AuthInfo,
  McpServer,
  type McpServerFactory,
  type MessageExtraInfo,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { introduce, PlainExchange, type PlainPost, takesPlain } from '../sdk-seam/index.ts';
import type { WholeAnswer } from './direct-sender.ts';

export class PlainExchanges {
  readonly #factory: McpServerFactory;
  readonly #onError: ((error: Error) => void) | undefined;
  /** The servers that were made for calls, in case the SDK's handler must serve them. */
  readonly #made = new WeakMap<Request, Promise<McpServer | Server>>();
  readonly #open = new Set<PlainExchange>();
  #isClosed = false;

  constructor(factory: McpServerFactory, onError: ((error: Error) => void) | undefined) {
    this.#factory = factory;
    this.#onError = onError;
  }

  /** The factory for the SDK's handler: a request has one server. */
  readonly factory: McpServerFactory = context => {
    const { requestInfo: request } = context;
    return (request && this.#made.get(request)) ?? this.#factory(context);
  };

  /** @returns undefined if the SDK's handler must answer it */
  async answer(
    post: PlainPost,
    request: Request,
    authInfo: AuthInfo | undefined,
  ): Promise<WholeAnswer | Response | undefined> {
    if (this.#isClosed) return undefined;
    const auth = authInfo && { authInfo };
    const making = Promise.resolve(this.#factory({ era: 'modern', ...auth, requestInfo: request }));
    this.#made.set(request, making);
    // A factory that throws does so again for the SDK's handler.
    const server = await making.catch(() => undefined);
    if (!(server instanceof McpServer) || !takesPlain(server, post.tool) || !introduce(server, post)) return undefined;
    this.#made.delete(request);
    const exchange = new PlainExchange(post, { ...auth, request } as MessageExtraInfo & { request: Request });
    this.#open.add(exchange);
    exchange.onclose = () => this.#open.delete(exchange);
    try {
      await server.connect(exchange);
      const answer = await exchange.answer();
      if (answer === undefined) return { status: 499, headers: {}, text: '' };
      return typeof answer === 'string' ? whole(200, answer) : answer;
    } catch (error) {
      await exchange.close();
      this.#onError?.(error instanceof Error ? error : new Error(String(error)));
      const { id } = post.message;
      const failure = { code: ProtocolErrorCode.InternalError, message: 'Internal server error' };
      return whole(500, JSON.stringify({ jsonrpc: '2.0', error: failure, id }));
    }
  }

  /** Ends them all, and takes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open].map(exchange => exchange.close()));
  }
}

const whole = (status: number, text: string): WholeAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  text,
});
