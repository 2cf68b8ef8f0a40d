/**
 * The calls in progress on a connection, and which of them a question belongs to.
 *
 * A round of 2026-07-28 names its call by the response it came in. A request pushed over HTTP on 2025-11-25 comes on the stream
 * of the call it belongs to, which is recognized by an asynchronous scope. On stdio the 2025 wire does not say: if one call is
 * running, it belongs to that one; if several are, it belongs to none.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallContext } from '../question/index.ts';
import type { CallTimeout } from './call-timeout.ts';

/** Progress of a call, as the server reports it; `message` is untrusted. */
export interface CallProgress {
  /** In the server's own unit. */
  readonly progress: number;
  /** The total that `progress` reaches at the end, if the server knows it. */
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** A call in progress. */
export interface RunningCall {
  readonly context: CallContext;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly timeout: CallTimeout;
  /** True if the timeout goes on when it has become a task. */
  readonly limitsTask: boolean;
  /** Called with its progress. */
  readonly progressed: (progress: CallProgress) => void;
  /** True if its result is handed on unchanged. */
  readonly rawResult: boolean;
  /** Stops the call; its open questions are withdrawn. */
  readonly abort: AbortController;
}

/** One for all connections: Node passes each scope that was ever entered through every promise, for as long as it runs. */
const scope = new AsyncLocalStorage<RunningCall>();

/** Running calls of one connection. */
export class Calls {
  readonly #running = new Map<string, RunningCall>();
  /** The calls that are over for the server, with the results that can be read. */
  readonly #answered = new WeakMap<RunningCall, Readonly<Record<string, unknown>> | undefined>();
  readonly #begun = new WeakSet<RunningCall>();

  add(call: RunningCall): void {
    this.#running.set(call.context.id, call);
  }

  remove(call: RunningCall): void {
    this.#running.delete(call.context.id);
  }

  list(): readonly RunningCall[] {
    return [...this.#running.values()];
  }

  get(id: string): RunningCall | undefined {
    return this.#running.get(id);
  }

  /** Runs `fn` so that what it sends, and what comes back on the same stream, belongs to this call. */
  within<T>(call: RunningCall, fn: () => T): T {
    return scope.run(call, fn);
  }

  /** The call whose stream or round this is, if the wire says so. */
  current(): RunningCall | undefined {
    const call = scope.getStore();
    return call && this.#running.get(call.context.id) === call ? call : undefined;
  }

  /** The server has the call: it has answered a request of it, or an earlier process has sent one. */
  began(call: RunningCall): void {
    this.#begun.add(call);
  }

  /** True if the server has the call, whatever becomes of its next request. */
  hasBegun(call: RunningCall): boolean {
    return this.#begun.has(call);
  }

  /** The answer of a call has come, or none will. What the server asks from now on does not belong to it, unless the wire says so. */
  answered(call: RunningCall, result?: Readonly<Record<string, unknown>>): void {
    this.#answered.set(call, result);
  }

  /** True if its answer has come and is no error of the server, or none will come. */
  hasAnswer(call: RunningCall): boolean {
    return this.#answered.has(call);
  }

  /** Its result as the SDK is given it; undefined if none has come, or none that can be read. */
  resultOf(call: RunningCall): Readonly<Record<string, unknown>> | undefined {
    return this.#answered.get(call);
  }

  /** The only call that waits for its answer; undefined if there are none or several. */
  single(): RunningCall | undefined {
    const [call, other] = this.list().filter(each => !this.#answered.has(each));
    return other ? undefined : call;
  }

  /** Pauses the timeout of the question's call, or of all calls if it names none. @returns ends the pause */
  pause(call: RunningCall | undefined): () => void {
    const ends = (call ? [call] : this.list()).map(each => each.timeout.pause());
    return () => {
      for (const end of ends) end();
    };
  }
}
