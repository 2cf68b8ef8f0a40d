/** A scripted person behind an SDK client: answers what is asked, in order, and remembers what was asked. */
import { checkKind, checkOptions, flag, func } from '@midcall/core/options';
import type { TaskQuestion } from '@midcall/host';
import {
  type Client,
  type ClientCapabilities,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';

/** What was put to the person. */
export interface PersonRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * One answer: a wire result, something worked out from the question, or `never` for a person who does not come back. The call then
 * ends with its `timeout`.
 */
export type Scripted =
  | Readonly<Record<string, unknown>>
  | 'never'
  | ((
      asked: PersonRequest,
    ) => Readonly<Record<string, unknown>> | 'never' | Promise<Readonly<Record<string, unknown>>>);

/** A person who answers from a script. */
export interface ScriptedPerson {
  /** Everything asked so far, in order. */
  readonly asked: readonly PersonRequest[];
  /** Resolves when the question with this number (from 1) has been put. */
  whenAsked(count: number): Promise<PersonRequest>;
  /** What is wrong with the script: it ran out, or an answer is none. A pair's `close` rejects with it. */
  readonly problem: Error | undefined;
  /**
   * Answers one request as the person would, for what does not reach the handlers of a client, such as the questions of a task.
   * @param signal - fires when nobody waits for the answer any more
   * @throws Error where the script ran out, holds what is no answer, or the method is none of a person's
   */
  answer(request: TaskQuestion, signal: AbortSignal): Promise<object>;
  /** Registers the person's handlers on a client, before it connects, for what the client declares. */
  attach(client: Client, capabilities: ClientCapabilities): void;
}

/** The SDK's own default. */
const DEFAULT_MS = 60_000;

interface OpenCall {
  readonly stop: AbortController;
  readonly timeout: number;
  timer?: NodeJS.Timeout;
}

type Send = (params: never, options: RequestOptions) => Promise<unknown>;

/**
 * The timeouts of calls while a person does not answer. On 2026-07-28 the SDK's client asks its person between two requests of a
 * call, when no timeout of its own runs: the call would never end.
 */
class CallTimeouts {
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

/**
 * Answers in order, and keeps what was asked.
 *
 * @param answers - used in order for elicitations and sampling requests; the last one repeats where `repeat` is set
 * @param options - `roots`: what `roots/list` answers
 * @example
 * ```ts
 * const person = scriptedPerson([{ action: 'accept', content: { time: '19:30' } }, { action: 'decline' }]);
 * await using pair = await connectPair(() => notesServer(mid), { era: '2025-11-25', person });
 * ```
 */
export function scriptedPerson(
  answers: readonly Scripted[],
  options: { readonly repeat?: boolean; readonly roots?: () => readonly { uri: string; name?: string }[] } = {},
): ScriptedPerson {
  checkKind('scriptedPerson', 'the first argument', answers, { words: 'a list of answers', fits: Array.isArray });
  checkOptions('scriptedPerson', options, { repeat: flag, roots: func });
  const requests: PersonRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: (asked: PersonRequest) => void }[] = [];
  const timeouts = new CallTimeouts();
  let used = 0;
  let problem: Error | undefined;
  const fail = (what: string): Error => {
    problem ??= new Error(`The scripted person ${what}`);
    return problem;
  };

  const note = (method: PersonRequest['method'], params: unknown): PersonRequest => {
    const one: PersonRequest = { method, params: (params ?? {}) as PersonRequest['params'] };
    requests.push(one);
    for (const each of waiting.filter(wait => wait.count === requests.length)) each.resolve(one);
    return one;
  };
  const answer = async (
    method: 'elicitation/create' | 'sampling/createMessage',
    params: unknown,
    signal: AbortSignal,
  ): Promise<never> => {
    const one = note(method, params);
    const scripted = answers[used++] ?? (options.repeat ? answers.at(-1) : undefined);
    if (scripted === undefined) throw fail(`has no answer left for ${described(one)}. Give scriptedPerson one more.`);
    if (one.method === 'elicitation/create' && !isAnswer(scripted)) {
      throw fail(
        `was given no answer for ${described(one)}: it is { action: 'accept', content: { … } }, { action: 'decline' }, ` +
          "{ action: 'cancel' } or 'never'. A function may return anything.",
      );
    }
    const delivered = typeof scripted === 'function' ? await scripted(one) : scripted;
    if (delivered !== 'never') return delivered as never;
    timeouts.start();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const roots = () => {
    note('roots/list', {});
    return { roots: [...(options.roots?.() ?? [])] };
  };

  return {
    asked: requests,
    get problem() {
      return problem;
    },
    whenAsked: count =>
      requests[count - 1]
        ? Promise.resolve(requests[count - 1] as PersonRequest)
        : new Promise(resolve => waiting.push({ count, resolve })),
    async answer({ method, params }, signal) {
      if (method === 'roots/list') return roots();
      if (method === 'elicitation/create' || method === 'sampling/createMessage') return answer(method, params, signal);
      throw fail(`was asked by '${method}', which no person answers.`);
    },
    attach(client, capabilities) {
      timeouts.attach(client);
      if (capabilities.elicitation) {
        client.setRequestHandler('elicitation/create', (request, ctx) =>
          answer('elicitation/create', request.params, ctx.mcpReq.signal),
        );
      }
      if (capabilities.sampling) {
        client.setRequestHandler('sampling/createMessage', (request, ctx) =>
          answer('sampling/createMessage', request.params, ctx.mcpReq.signal),
        );
      }
      if (capabilities.roots) {
        client.setRequestHandler('roots/list', roots);
      }
    },
  };
}

const described = ({ method, params }: PersonRequest): string =>
  typeof params['message'] === 'string' ? `'${params['message']}'` : method;

const isAnswer = (scripted: Scripted): boolean =>
  scripted === 'never' ||
  typeof scripted === 'function' ||
  ['accept', 'decline', 'cancel'].includes(scripted['action'] as string);
