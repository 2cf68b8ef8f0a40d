/**
 * One task, followed to its end: polls it, delivers the answers to its questions, and fetches its result.
 *
 * - followed-task-1 A task's question is asked once, and its answer is sent until the server has it, however long the server
 *   takes.
 * - followed-task-2 A question that the server no longer asks is withdrawn, and nothing is sent for it.
 * - followed-task-3 A server that does not answer is polled less and less often, and abandoned after a while.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord, type JsonObject, own } from '@midcall/core/json';
import { type Clock, pause, steadyNow } from '@midcall/core/time';
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/client';
import { readTask, type TaskState } from './task-messages.ts';

/** The outcome of a call. */
export type TaskEnd = { readonly result: JsonObject } | { readonly error: unknown };

/** Options of following one task. */
export interface FollowedTaskOptions {
  readonly clock: Clock;
  /** True if the task's questions are sent as requests, and its result is fetched; else they are parts of it. */
  readonly pushes: boolean;
  /** Sends a request. @returns the response; undefined if there is none */
  readonly ask: (method: string, params: JsonObject, abandoned?: AbortSignal) => Promise<JsonObject | undefined>;
  /** Asks the person what the task asks. @throws if the call must end with the error */
  readonly answer: (key: string, request: unknown, taken: AbortSignal) => Promise<object>;
  /** Called with each state except the last. */
  readonly onState: (state: TaskState) => void;
}

/** Milliseconds between two polls if the server does not say, and the least and the most there may be. */
const usualPoll = 1_000;
const leastPoll = 50;
const mostPoll = 60_000;
/** How many milliseconds a poll may take. */
const lookMs = 30_000;
/** How many consecutive polls may fail before the task is abandoned. */
const mostFailures = 5;
/** After how many milliseconds a request for a result that brings nothing is repeated, and after how many it is abandoned. */
const fetchAgainMs = 30_000;
const mostWaitMs = 300_000;
/** The most questions that a task may have open. */
const mostQuestions = 100;

/** A task that is being followed. */
export class FollowedTask {
  readonly taskId: string;
  readonly #options: FollowedTaskOptions;
  /** The task's open requests, by key. */
  readonly #openRequests = new Map<string, AbortController>();
  /** Keys of questions that were answered; a key is never used again. */
  readonly #answered = new Set<string>();
  readonly #over = new AbortController();
  #end: TaskEnd | undefined;
  #heard: TaskState | undefined;
  #wake = (): void => {};
  /** The current request for the result. */
  #fetching: object | undefined;
  /** Requests of the server for this task that are not answered yet. */
  #pushed = 0;
  #problem: string | undefined;
  /** True if the server reports changes on its own, so that polling only covers what is lost. */
  #isTold = false;
  /** Since when the request for its result has brought nothing. */
  #waitsSince: number | undefined;
  #isOver = false;
  #endedAt: number | undefined;

  constructor(taskId: string, options: FollowedTaskOptions) {
    this.taskId = taskId;
    this.#options = options;
  }

  /** The server's last words about a failure to report the task's state; untrusted. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** @returns how it ended; undefined if it was stopped, or its server no longer knows it */
  async follow(first: TaskState): Promise<TaskEnd | undefined> {
    let state: TaskState | undefined = first;
    // The request for the result brings the questions too, and most calls are over before the first poll.
    if (this.#options.pushes) this.#fetch(first);
    for (let failures = 0; failures <= mostFailures; ) {
      if (state) this.#take(state);
      if (!this.#end)
        await this.#pause(failures > 0 || !state ? backOff(failures) : this.#isTold ? mostPoll : pollOf(state));
      if (this.#over.signal.aborted) return undefined;
      if (this.#end) return this.#ended(this.#end);
      state = this.#heard ?? (await this.#look());
      this.#heard = undefined;
      failures = state ? 0 : failures + 1;
    }
    this.stop();
    return undefined;
  }

  /** Stops following it; nothing more is sent for it. */
  stop(): void {
    this.#over.abort();
    this.#wake();
  }

  /** The server reported its state unasked. */
  heard(state: TaskState): void {
    this.#heard = state;
    this.#wake();
  }

  /** The server has agreed to report changes, or no longer does; changes until then are polled for. */
  listened(agreed: boolean): void {
    if (this.#isTold === agreed) return;
    this.#isTold = agreed;
    this.#wake();
  }

  /** The server sends a request for it. @returns a function to call once it is answered */
  pushed(): () => void {
    this.#pushed += 1;
    this.#waitsSince = undefined;
    return () => {
      this.#pushed -= 1;
    };
  }

  #ended(end: TaskEnd): TaskEnd {
    this.stop();
    for (const request of this.#openRequests.values()) request.abort();
    return end;
  }

  #settle(end: TaskEnd): void {
    this.#end ??= end;
    this.#wake();
  }

  #take(state: TaskState): void {
    const { pushes, onState } = this.#options;
    this.#withdraw(state.inputRequests);
    const { status, statusMessage = 'The server cancelled the task.' } = state;
    if (status === 'cancelled') this.#settle({ error: failure(statusMessage) });
    else if (status === 'completed' || status === 'failed') {
      if (pushes) this.#fetchEnded(state);
      else this.#settle(endOf(state));
    } else {
      onState(state);
      if (status === 'input_required' && pushes) this.#fetchAsked(state);
      else if (status === 'input_required') this.#answerAll(state.inputRequests);
    }
  }

  /** Withdraws questions that the server no longer asks (followed-task-2). */
  #withdraw(requests: JsonObject): void {
    for (const [key, request] of this.#openRequests)
      if (!Object.hasOwn(requests, key)) {
        this.#openRequests.delete(key);
        request.abort();
      }
  }

  #answerAll(requests: JsonObject): void {
    const entries = Object.entries(requests);
    if (entries.length > mostQuestions) {
      const why = `It asked ${entries.length} things at once; at most ${mostQuestions} are read.`;
      this.#settle({ error: new MidcallError('host/invalid-request', `The server asks too much. ${why}`) });
      return;
    }
    for (const [key, request] of entries) {
      if (this.#openRequests.has(key) || this.#answered.has(key)) continue;
      const withdrawal = new AbortController();
      this.#openRequests.set(key, withdrawal);
      this.#answer(key, request, withdrawal.signal).catch((error: unknown) => this.#settle({ error }));
    }
  }

  async #answer(key: string, request: unknown, withdrawn: AbortSignal): Promise<void> {
    const response = await this.#options.answer(key, request, withdrawn);
    if (!withdrawn.aborted) this.#answered.add(key);
    const brought = { taskId: this.taskId, inputResponses: { [key]: response } };
    for (let failures = 0; !withdrawn.aborted && !this.#over.signal.aborted; failures += 1) {
      const receipt = await this.#options.ask('tasks/update', brought);
      const error = own(receipt, 'error');
      if (receipt && (error === undefined || isFinal(error))) {
        if (error !== undefined) this.#settle({ error });
        return;
      }
      // Polling shows whether the server is there at all.
      await pause(backOff(failures + 1), this.#options.clock);
    }
  }

  async #look(): Promise<TaskState | undefined> {
    const late = new AbortController();
    const callOff = this.#options.clock.after(lookMs, () => late.abort());
    const response = await this.#options.ask('tasks/get', { taskId: this.taskId }, late.signal);
    callOff();
    const error = own(response, 'error');
    if (isFinal(error)) this.#settle({ error });
    const message = own(error, 'message');
    this.#problem = typeof message === 'string' ? message : undefined;
    return readTask(own(response, 'result'));
  }

  /** Fetches the questions of a task. They come with the request for its result; one that has brought none for a while may be lost. */
  #fetchAsked(state: TaskState): void {
    if (this.#pushed > 0) this.#waitsSince = undefined;
    else this.#fetchAgain();
    this.#fetch(state);
  }

  #fetchEnded(state: TaskState): void {
    this.#isOver = true;
    this.#endedAt ??= steadyNow(this.#options.clock);
    this.#fetchAgain();
    if (steadyNow(this.#options.clock) - this.#endedAt > mostWaitMs) {
      this.#problem = 'The task has ended, and its result did not come.';
      this.stop();
      return;
    }
    this.#fetch(state);
  }

  /**
   * Another request is made beside the one that has brought nothing, since ending that one might lose what it is about to
   * bring.
   */
  #fetchAgain(): void {
    const now = steadyNow(this.#options.clock);
    this.#waitsSince ??= now;
    if (now - this.#waitsSince < fetchAgainMs) return;
    this.#waitsSince = now;
    this.#fetching = undefined;
  }

  #fetch({ statusMessage }: TaskState): void {
    if (this.#fetching) return;
    const fetching = {};
    this.#fetching = fetching;
    void this.#options.ask('tasks/result', { taskId: this.taskId }, this.#over.signal).then(response => {
      if (this.#fetching === fetching) this.#fetching = undefined;
      const { result, error } = response ?? {};
      if (isRecord(result)) this.#settle({ result: withoutTask(result) });
      // One that is in progress is looked at again; the answer says nothing of it.
      else if (error !== undefined && (this.#isOver || isFinal(error)))
        this.#settle({ error: statusMessage === undefined ? error : explained(error, statusMessage) });
    });
  }

  /** Resolves after so many milliseconds, or as soon as something is new. */
  async #pause(ms: number): Promise<void> {
    if (this.#heard || this.#over.signal.aborted) return;
    await new Promise<void>(resolve => {
      const callOff = this.#options.clock.after(ms, resolve);
      this.#wake = () => {
        callOff();
        resolve();
      };
    });
    this.#wake = () => {};
  }
}

const failure = (message: string) => ({ code: -32603, message });

const backOff = (failures: number): number => Math.min(mostPoll, usualPoll * 2 ** failures);

const pollOf = ({ pollMs = usualPoll }: TaskState): number => Math.min(mostPoll, Math.max(leastPoll, pollMs));

/** The error codes of a server for a task that does not exist or belongs to somebody else, or for an unknown method. */
const finalCodes: readonly unknown[] = [-32_602, -32_601, -32_021];

/** True for a permanent error; others may be temporary, such as a store that cannot be reached. */
export const isFinal = (error: unknown): boolean => finalCodes.includes(own(error, 'code'));

const endOf = ({ status, statusMessage, result, error }: TaskState): TaskEnd =>
  status === 'completed'
    ? { result: { resultType: 'complete', ...(isRecord(result) && result) } }
    : { error: error ?? failure(statusMessage ?? 'The task failed.') };

/** A result as that of a call that was not a task. */
function withoutTask({ _meta, ...result }: JsonObject): JsonObject {
  if (!isRecord(_meta)) return result;
  const { [RELATED_TASK_META_KEY]: _, ...others } = _meta;
  return Object.keys(others).length > 0 ? { ...result, _meta: others } : result;
}

/** Servers give the reason in the task's status, and the error says only that there is no result. */
function explained(error: unknown, statusMessage: string): unknown {
  const message = own(error, 'message');
  if (typeof message !== 'string' || message.includes(statusMessage)) return error;
  return { ...(error as JsonObject), message: `${statusMessage} (${message})` };
}
