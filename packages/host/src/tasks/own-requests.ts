/**
 * Requests for tasks in addition to the client's: sent under ids of their own, and their responses are hidden from the client.
 */
import { isRecord, type JsonObject } from '@midcall/core/json';
import type { ApartOptions, JsonRpcMessage, SendApart } from '@midcall/core/sdk-seam';

/** The request of the client that others are sent for. */
export interface SentFor {
  /** Its `_meta`, which says who the client is. */
  readonly meta: JsonObject;
  readonly send: SendApart;
}

/** Options of such a request. */
export interface AskOptions extends Pick<ApartOptions, 'onRequestStreamEnd'> {
  readonly id?: string;
  /** Cancels it. */
  readonly signal?: AbortSignal;
}

export interface OwnRequestsOptions {
  readonly newId: () => string;
  /** True if a request is cancelled by closing the stream of its answer. */
  readonly closesStreams: () => boolean;
}

export class OwnRequests {
  readonly #options: OwnRequestsOptions;
  /** The waiting requests, by id. */
  readonly #pending = new Map<unknown, (response: JsonObject | undefined) => void>();
  #closed = false;

  constructor(options: OwnRequestsOptions) {
    this.#options = options;
  }

  id(): string {
    return `midcall-task-${this.#options.newId()}`;
  }

  /** Takes a response. @returns false if it does not answer one of these requests */
  take(response: JsonRpcMessage): boolean {
    const settle = this.#pending.get(response['id']);
    settle?.(response);
    return settle !== undefined;
  }

  /** No response will come to this request. */
  end(id: string): void {
    this.#pending.get(id)?.(undefined);
  }

  /** Sends no further requests. */
  close(): void {
    this.#closed = true;
    for (const settle of [...this.#pending.values()]) settle(undefined);
  }

  /** @returns the response; undefined if it could not be sent, was given up, or the connection is gone */
  async ask(
    { meta, send }: SentFor,
    method: string,
    params: JsonObject,
    { id = this.id(), signal, onRequestStreamEnd }: AskOptions = {},
  ): Promise<JsonObject | undefined> {
    if (this.#closed || signal?.aborted) return undefined;
    const { progressToken: _, ...others } = meta;
    return new Promise(resolve => {
      const settle = (response: JsonObject | undefined): void => {
        this.#pending.delete(id);
        signal?.removeEventListener('abort', giveUp);
        resolve(response);
      };
      const giveUp = (): void => {
        settle(undefined);
        if (this.#closed || this.#options.closesStreams()) return;
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#pending.set(id, settle);
      const _meta = Object.keys(others).length > 0 ? { _meta: others } : {};
      const own = { ...(signal && { requestSignal: signal }), ...(onRequestStreamEnd && { onRequestStreamEnd }) };
      send({ jsonrpc: '2.0', id, method, params: { ...params, ..._meta } }, own).catch(() => settle(undefined));
    });
  }
}

/** The `_meta` of a request. */
export const metaOf = (params: unknown): JsonObject => {
  const meta = isRecord(params) ? params['_meta'] : undefined;
  return isRecord(meta) ? meta : {};
};
