/**
 * The three client requests that may need a person: the SDK's own methods are kept, and calls of the host's code go through a
 * runner.
 */
import type { Client, RequestOptions } from '@modelcontextprotocol/client';

type Result = Readonly<Record<string, unknown>>;

/** What is called. */
export interface Called {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** Tool or prompt name, or the resource's URI. */
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the caller has asked of the SDK. */
export interface CallerOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onProgress?: NonNullable<RequestOptions['onprogress']>;
}

/** Runs a call: `send` makes the request with the options that the runner chooses. */
export type RunCall = (
  call: Called,
  send: (own: RequestOptions) => Promise<Result>,
  options: CallerOptions,
) => Promise<Result>;

/** A client's calls, before and after ours took their place. */
export class ClientCalls {
  readonly #client: Client;
  readonly #sdk: Pick<Client, 'callTool' | 'getPrompt' | 'readResource'>;

  constructor(client: Client) {
    this.#client = client;
    this.#sdk = { callTool: client.callTool, getPrompt: client.getPrompt, readResource: client.readResource };
  }

  /**
   * Sends a call as the SDK does.
   * @param round - `inputResponses` and `requestState`, if it answers a round
   */
  send(call: Called, round: object, own: RequestOptions): Promise<Result> {
    const { callTool, getPrompt, readResource } = this.#sdk;
    const { kind, name } = call;
    const args = { ...call.arguments };
    // What is called is what was judged, whatever else the request has.
    if (kind === 'tool') return callTool.call(this.#client, { ...round, name, arguments: args }, own);
    if (kind === 'resource') return readResource.call(this.#client, { ...round, uri: name }, own);
    return getPrompt.call(this.#client, { ...round, name, arguments: args as Record<string, string> }, own);
  }

  /** Makes the client's own methods go through a runner. */
  routeThrough(run: RunCall): void {
    const client = this.#client;
    const { callTool, getPrompt, readResource } = this.#sdk;
    // The result is that of the SDK's own method.
    const routed = run as (...args: Parameters<RunCall>) => Promise<never>;
    client.callTool = (params, options) =>
      routed(
        { kind: 'tool', name: params.name, arguments: params.arguments ?? {} },
        own => callTool.call(client, params, { ...options, ...own }),
        runOptions(options),
      );
    client.getPrompt = (params, options) =>
      routed(
        { kind: 'prompt', name: params.name, arguments: params.arguments ?? {} },
        own => getPrompt.call(client, params, { ...options, ...own }),
        runOptions(options),
      );
    client.readResource = (params, options) =>
      routed(
        { kind: 'resource', name: params.uri, arguments: {} },
        own => readResource.call(client, params, { ...options, ...own }),
        runOptions(options),
      );
  }
}

function runOptions(options: RequestOptions | undefined): CallerOptions {
  const { signal, timeout, onprogress } = options ?? {};
  return {
    ...(signal && { signal }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(onprogress && { onProgress: onprogress }),
  };
}
