/**
 * The open questions of one call.
 *
 * - call-questions-F2 A question is in its client's stream before it is waited for, under an id derived from the call and the
 *   question; whoever takes the call over waits for the same answer.
 */
import { onAbort } from '@midcall/core/time';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { type Json, shortDigest } from '../base/index.ts';
import { HandedOver, type PutAsk, type SharedAsk, type SharedResponse } from '../request/index.ts';
import type { Reply, Script } from './commands.ts';
import { answerPlace, type CallKeys, questionId } from './keys.ts';
import { type Member, openAt, sealAt } from './member.ts';
import { putQuestion } from './scripts.ts';

export interface CallQuestionsOptions {
  readonly member: Member;
  readonly keys: CallKeys;
  /** Writes under the claim on the call. @returns undefined if that is lost */
  readonly write: (
    script: Script,
    keys: readonly string[],
    ...args: (string | number)[]
  ) => Promise<readonly Reply[] | undefined>;
  /** Sends something to the client. */
  readonly append: (message: JSONRPCMessage) => Promise<void>;
  /** Notifies whoever holds the client's stream that there is more. */
  readonly wakeListener: (listener: string) => void;
}

interface OpenQuestion {
  readonly resolve: (answer: { readonly response: SharedResponse; readonly ms: number }) => void;
  readonly reject: (error: unknown) => void;
}

/** The fields of a question: its answer, when that arrived, and when it was asked. */
const FIELDS = ['a', 't', 'q'] as const;

export class CallQuestions {
  readonly #options: CallQuestionsOptions;
  readonly #open = new Map<string, OpenQuestion>();

  constructor(options: CallQuestionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  async put({ id, method, params, timeoutMs }: SharedAsk, signal: AbortSignal): Promise<PutAsk> {
    const ask = shortDigest(id);
    const message = { jsonrpc: '2.0', id: questionId(this.#options.keys.name, ask), method, params } as JSONRPCMessage;
    const asked = await this.putAs(ask, message, timeoutMs);
    const takeBack = (): void => {
      if (!this.#open.has(ask)) return;
      this.#close(ask)?.reject(signal.reason);
      void this.#options
        .append(withdrawal(this.#options.keys.name, ask, signal.reason))
        .catch(this.#options.member.onError);
    };
    const done = onAbort(signal, takeBack);
    asked.answer.then(done, done);
    return asked;
  }

  /**
   * Puts a question under a name that is unique within the call.
   * @throws HandedOver if this replica has lost the call
   */
  async putAs(
    ask: string,
    message: JSONRPCMessage,
    timeoutMs: number,
    events = this.#options.keys.events,
  ): Promise<PutAsk> {
    const { limits } = this.#options.member;
    let open!: OpenQuestion;
    const answer = new Promise<{ response: SharedResponse; ms: number }>((resolve, reject) => {
      open = { resolve, reject };
    });
    answer.catch(() => {});
    // The question is noted before it is sent: its answer may arrive before the reply.
    this.#open.set(ask, open);
    const life = Math.max(limits.callMs, timeoutMs + limits.idleMs);
    const sealed = sealAt(this.#options.member, events, message);
    const reply = await this.#options.write(
      putQuestion,
      [this.#options.keys.call, events],
      ask,
      sealed,
      life,
      limits.maxEvents,
    );
    if (!reply) throw new HandedOver();
    const [, elapsedMs, text, ms, listener] = reply as [string, number, string, number, string];
    if (text !== '') this.#answered(ask, text, ms);
    else if (elapsedMs === 0) this.#options.wakeListener(listener);
    return { fresh: elapsedMs === 0, elapsedMs, answer };
  }

  /** The answers to read: the fields of the call, and the functions that take their values. */
  read(): { readonly fields: readonly string[]; readonly take: (values: readonly (string | null)[]) => void } {
    const asks = [...this.#open.keys()];
    return {
      fields: asks.flatMap(ask => FIELDS.map(field => `${field}:${ask}`)),
      take: values =>
        asks.forEach((ask, at) => {
          const [text, answeredAt, askedAt] = values.slice(FIELDS.length * at);
          if (text) this.#answered(ask, text, Number(answeredAt) - Number(askedAt));
        }),
    };
  }

  /** Stops waiting: another process waits for the answers, or nobody does. */
  handOver(): void {
    for (const ask of [...this.#open.keys()]) this.#close(ask)?.reject(new HandedOver());
  }

  #answered(ask: string, text: string, ms: number): void {
    const response = openAt<SharedResponse>(this.#options.member, answerPlace(this.#options.keys, ask), text);
    if (response) this.#close(ask)?.resolve({ response, ms: Math.max(0, ms) });
    // It was written without the fleet's key: ignore it, and leave the question open.
    else
      this.#options.member.onError(
        new Error('An answer in Redis was not written with the key of this fleet; it is ignored.'),
      );
  }

  #close(ask: string): OpenQuestion | undefined {
    const open = this.#open.get(ask);
    this.#open.delete(ask);
    return open;
  }
}

const withdrawal = (call: string, ask: string, reason: unknown): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: questionId(call, ask), reason: String((reason as Error | null)?.message ?? reason) as Json },
});
