/**
 * Rounds of 2026-07-28 that wait for a person, stored so that another process can answer them: the call, its questions, and the
 * server's own `requestState`, which is returned unchanged. The server decides whether it still accepts that; one that was
 * restarted with another key refuses it, and the call ends with that refusal.
 */
import { fromJson } from '@midcall/core/json';
import type { Store } from '@midcall/core/store';
import { type AskMethod, askMethods, type TappedRound } from '../calls/index.ts';
import type { CallContext } from '../question/index.ts';

/** One input request of a round. */
export interface StoredRequest {
  /** Its key on the wire. */
  readonly key: string;
  /** The question's id. */
  readonly id: string;
  readonly method: AskMethod;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A round as it is stored. */
export interface StoredRound {
  readonly call: CallContext;
  readonly requests: readonly StoredRequest[];
  readonly requestState?: string;
}

/** The most rounds of earlier processes that are kept for resuming. */
const mostLeft = 1_000;

/** The open rounds of one server. */
export class Rounds {
  readonly #store: Store;
  readonly #key: string;
  readonly #onError: (error: unknown) => void;
  readonly #open = new Map<string, StoredRound>();
  /** What an earlier process left and nobody has resumed; undefined until it is read. */
  #left: Map<string, StoredRound> | undefined;
  #tail: Promise<void> = Promise.resolve();

  /** @param server - the server's id in this host */
  constructor(store: Store, server: string, onError: (error: unknown) => void) {
    this.#store = store;
    this.#key = `host:rounds:${server}`;
    this.#onError = onError;
  }

  /** A call has reached a round, which replaces its earlier one. */
  keep({ call, requests, requestState }: TappedRound): void {
    const stored = [...requests].map(([key, { id, method, params }]) => ({ key, id, method, params }));
    const round = { call: call.context, requests: stored, ...(requestState !== undefined && { requestState }) };
    this.#open.set(call.context.id, round);
    this.#write();
  }

  /** A call is over. */
  drop(callId: string): void {
    if (this.#open.delete(callId)) this.#write();
  }

  /**
   * Takes what an earlier process left; text that holds no rounds counts as none.
   * @param callId - only the round of this call; all if absent
   */
  async takeUp(callId?: string): Promise<readonly StoredRound[]> {
    await this.#tail;
    const left = await this.#readLeft();
    const rounds = [...left.values()].filter(({ call }) => callId === undefined || call.id === callId);
    for (const round of rounds) {
      left.delete(round.call.id);
      this.#open.set(round.call.id, round);
    }
    return rounds;
  }

  /** Resolves when all changes made so far are in the store. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  async #readLeft(): Promise<Map<string, StoredRound>> {
    if (this.#left) return this.#left;
    const rounds = readRounds(await this.#store.get(this.#key)).slice(-mostLeft);
    this.#left ??= new Map(rounds.filter(({ call }) => !this.#open.has(call.id)).map(round => [round.call.id, round]));
    return this.#left;
  }

  #write(): void {
    this.#tail = this.#tail
      .then(async () => {
        const rounds = [...(await this.#readLeft()).values(), ...this.#open.values()];
        if (rounds.length === 0) await this.#store.delete(this.#key);
        else await this.#store.set(this.#key, JSON.stringify(rounds));
      })
      .catch(this.#onError);
  }
}

function readRounds(text: string | undefined): readonly StoredRound[] {
  const list = fromJson(text ?? '[]');
  return Array.isArray(list) ? list.filter(isRound) : [];
}

function isRound(value: unknown): value is StoredRound {
  const { call, requests, requestState } = (value ?? {}) as Partial<StoredRound>;
  const framed = typeof call?.id === 'string' && typeof call.name === 'string' && typeof call.arguments === 'object';
  const stated = requestState === undefined || typeof requestState === 'string';
  return (
    framed &&
    stated &&
    Array.isArray(requests) &&
    requests.every(
      each => typeof each?.id === 'string' && typeof each.key === 'string' && askMethods.includes(each.method),
    )
  );
}
