/**
 * The timeouts of calls while a person does not answer. On 2026-07-28 the SDK's client asks its person between two requests of a
 * call, when no timeout of its own runs: the call would never end.
 */
import { type Client, type RequestOptions, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

/** That of the SDK. */
const DEFAULT_MS = 60_000;

interface OpenCall {
  readonly stop: AbortController;
  readonly timeout: number;
  timer?: NodeJS.Timeout;
}

type Send = (params: never, options: RequestOptions) => Promise<unknown>;

export class CallTimeouts {
  readonly #open = new Set<OpenCall>();

  /** Follows the calls of a client. */
  attach(client: Client): void {
    for (const method of ['callTool', 'getPrompt', 'readResource'] as const) {
      const send = client[method].bind(client) as Send;
      const follow: Send = (params, options) =>
        client.getProtocolEra() === 'modern' ? this.#follow(params, options ?? {}, send) : send(params, options);
      client[method] = follow as never;
    }
  }

  async #follow(params: never, options: RequestOptions, send: Send): Promise<unknown> {
    const { signal, timeout = DEFAULT_MS } = options;
    const stop = new AbortController();
    const call: OpenCall = { stop, timeout };
    this.#open.add(call);
    try {
      return await send(params, { ...options, signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal });
    } finally {
      this.#open.delete(call);
      clearTimeout(call.timer);
    }
  }

  /** A question is not answered: the calls in progress end when their timeouts are over. */
  start(): void {
    for (const call of this.#open) {
      const { stop, timeout } = call;
      const end = (): void => stop.abort(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out', { timeout }));
      call.timer ??= setTimeout(end, timeout);
    }
  }
}
