/** What a handler holds while it runs: every way to ask, and every way to act. */
import type { Answer, Assurance, Channel, FormInput, FormValue } from '@midcall/core/form';
import type { Root } from '@midcall/core/roots';
import type {
  SamplingMessage,
  SamplingRequest,
  SamplingResult,
  SamplingTool,
  ToolLoopLimits,
} from '@midcall/core/sampling';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Principal } from '../base/index.ts';
import type { RunOutcome } from '../engine/index.ts';
import type { Files } from '../roots/index.ts';
import type { Approvers } from './approvals.ts';
import type { Details } from './details.ts';
import type { UrlAsk } from './pages.ts';
import type { Validation } from './validation.ts';
import type { WizardAsk, WizardContent, WizardForms } from './wizard-ask.ts';

/** One question with a form. */
export interface ElicitAsk<I extends FormInput> {
  /** Shown to the person; say what will happen on yes. Up to 2,000 characters. */
  readonly message: string;
  readonly form: I;
  /**
   * What the answer is about, shown unabridged. If it fits into the message, it is shown there; otherwise the ask goes to a channel
   * that can show it: a page. The answer's `by.seen` is the SHA-256 of what was shown.
   */
  readonly details?: Details;
  /**
   * Who is asked in place of the requester: `approvers(…)`. Needs `midcall({ inbox })`; the ask goes to that inbox and nowhere else,
   * and `by.votes` of the answer lists who answered. The call waits meanwhile: as a task, or with a ticket.
   */
  readonly from?: Approvers;
  /** The key on the 2026 wire; unique within a round. Ours if absent. */
  readonly key?: string;
  /** Milliseconds the person has; past it the answer is `cancel/timeout`. */
  readonly timeoutMs?: number;
  /**
   * The least assurance that counts; a weaker answer moves to the next channel or becomes `cancel/suspect`. With `present`, which only
   * an inbox gives, each answer needs a passkey.
   */
  readonly assurance?: Assurance;
  /**
   * Which of the server's channels this ask may take; all of them if absent. `relay` must be named here where the tool may
   * destroy something; `page` may be named where `midcall({ pages })` has pages.
   */
  readonly channels?: readonly Channel[];
  /**
   * The content to continue with if the client cannot be asked. Only for tools that declare `readOnlyHint: true` or
   * `destructiveHint: false`; otherwise the ask fails with `server/setup`, whether or not the client can be asked.
   */
  readonly fallback?: FormValue<I>;
  /**
   * Validates an accepted answer that fits the form, against the server's own knowledge. Runs once per answer that arrives, and
   * is recorded. On errors the person is asked again, with each message at its field and their input as defaults, at most
   * twice; then the answer is `cancel/invalid`.
   * @returns nothing if the answer is valid; otherwise a text, or a text for each field that is wrong
   */
  readonly validate?: (content: FormValue<I>) => Validation<FormValue<I>> | Promise<Validation<FormValue<I>>>;
  /**
   * The URI of a resource of this server that is an MCP App (`ui://…`, `text/html;profile=mcp-app`) and helps to fill the form
   * in, for hosts that show Apps with questions, as the desk does. Others show the form alone. It does not raise the answer's
   * assurance.
   */
  readonly app?: string;
  /**
   * True if the handler cannot continue without an answer: a client that cannot be asked gets -32021 (2026) or an error result
   * (2025).
   */
  readonly required?: boolean;
}

/** What the client of this call can be asked. */
export interface Can {
  readonly form: boolean;
  readonly url: boolean;
  readonly roots: boolean;
  readonly sampling: boolean;
  readonly samplingTools: boolean;
}

/** What the client of a call says about itself, for reports and logs. A name proves nothing, so base no decision on it. */
export interface AboutClient {
  readonly name?: string;
  readonly version?: string;
  /** The revision of the protocol that this client speaks. */
  readonly revision?: string;
  /** As sent by the client; untrusted, and not checked. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** What follows from the capabilities. */
  readonly can: Can;
  /** True if it asked for progress on this call. */
  readonly hearsProgress: boolean;
}

/** What a request says besides its arguments. */
export interface AboutRequest {
  /** As the client sent them; undefined on stdio, and if a task continues without a request. */
  readonly headers: Headers | undefined;
  /** `_meta`, untrusted and not checked. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** The severity of a log message (server/utilities/logging, "Log Levels"). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** Passed to a step's function. */
export interface StepContext {
  /** Stays the same for every attempt at this step of this call: give it to a service that removes duplicates. */
  readonly key: string;
  /** Fires when the call is cancelled, or the time of this attempt is up. */
  readonly signal: AbortSignal;
}

/** When a step that failed is tried again. */
export interface StepRetry {
  /** The most times `fn` runs, including the first. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; 1,000 if absent. */
  readonly delayMs?: number;
  /** The factor by which each further wait grows; 2 if absent. */
  readonly factor?: number;
  /** The longest wait in milliseconds; 60,000 if absent. */
  readonly maxDelayMs?: number;
  /** Returns true for failures worth another attempt; all are if absent. It is given the copy of the error that is recorded. */
  readonly when?: (error: Error & { readonly code?: string | number }) => boolean;
}

/** How a step may be made safe, and what it is. */
export interface StepOptions<T> {
  /** Finds out whether an earlier attempt took effect: its result, or undefined if it did not. */
  readonly check?: (context: StepContext) => Promise<T | undefined> | T | undefined;
  /** True if `fn` removes duplicates by its `key`, so that it may run again after a crash. */
  readonly idempotent?: boolean;
  /** True if the step changes something outside; `explore` reports one that runs without consent. */
  readonly effect?: boolean;
  /**
   * Tries again if `fn` throws. Each attempt is recorded as a separate step, and so is the time of the next one. An attempt
   * that timed out is tried again only if `idempotent` or `check` makes it safe.
   */
  readonly retry?: StepRetry;
  /** Milliseconds one attempt may take; then it fails with `step/timeout`, and whatever `fn` still returns is dropped. */
  readonly timeoutMs?: number;
}

/**
 * The type of a value after it has been written as JSON and read back. `never` stands for what JSON would lose: a step that
 * returns it fails with `step/not-json`. An instance of a class without `toJSON` fails too, which no type can tell.
 */
export type Jsonified<T> = T extends { toJSON(): infer J }
  ? Jsonified<J>
  : T extends string | number | boolean | null
    ? T
    : T extends Nothing
      ? undefined
      : T extends LostInJson
        ? never
        : T extends readonly unknown[]
          ? { [K in keyof T]: Jsonified<T[K]> }
          : T extends object
            ? { [K in keyof T]: Jsonified<T[K]> }
            : unknown;

// biome-ignore lint/suspicious/noConfusingVoidType: what a step's function returns that returns nothing
type Nothing = void;

type LostInJson =
  | bigint
  | symbol
  | ((...args: never[]) => unknown)
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<WeakKey, unknown>
  | WeakSet<WeakKey>
  | Error
  | RegExp
  | ArrayBuffer
  | ArrayBufferView
  | Promise<unknown>;

/** What a handler of `mid.tool`, `mid.prompt` or `mid.resource` is given. */
export interface Call {
  /**
   * Asks the person one form. Must be awaited.
   * @example
   * ```ts
   * const answer = await call.elicit({ message: 'Which size?', form: { size: ['S', 'M', 'L'], gift: Boolean } });
   * if (answer.action === 'accept') buy(answer.content.size, answer.content.gift);
   * ```
   */
  elicit<const I extends FormInput>(ask: ElicitAsk<I>): Promise<Answer<FormValue<I>>>;
  /**
   * Asks the person several forms as one question: on one page if it goes by page, otherwise one after another; then shows all
   * answers, from where the person may go back to any form and finds their input. Must be awaited.
   * @returns accept with the content of each form that was asked, by its name; or how the first form that was not accepted
   *   ended
   * @example
   * ```ts
   * const answer = await call.wizard({
   *   message: 'Book a table.',
   *   forms: {
   *     time: { title: 'When?', form: { day: { type: 'string', format: 'date' } } },
   *     guest: { title: 'For whom?', form: { name: String } },
   *   },
   * });
   * if (answer.action === 'accept') book(answer.content.time.day, answer.content.guest.name);
   * ```
   */
  wizard<const F extends WizardForms>(ask: WizardAsk<F>): Promise<Answer<WizardContent<F>>>;
  /**
   * Asks the person on a page of ours, out of the host's and the model's reach. Needs `midcall({ pages })`. Must be awaited.
   * @example
   * ```ts
   * const page = secret({ name: 'weather-key', label: 'API key' });
   * const answer = await call.elicitUrl({ message: 'The weather service needs your key.', page });
   * ```
   */
  elicitUrl<T>(ask: UrlAsk<T>): Promise<Answer<T>>;
  /**
   * The client's roots; undefined if it has no roots capability.
   * @example
   * ```ts
   * const names = (await call.roots())?.map(root => root.name ?? root.uri);
   * ```
   */
  roots(): Promise<readonly Root[] | undefined>;
  /**
   * Files inside the effective boundary (operator ceiling ∩ client roots). Refuses with `roots/none` if there is none.
   * @example
   * ```ts
   * const files = await call.files();
   * const text = await files.readText('todo.md');
   * ```
   */
  files(): Promise<Files>;
  /**
   * Asks a language model: the client's, or the one the operator gave this server.
   * @returns the checked reply
   * @throws MidcallError `sampling/invalid`, `sampling/refused`, `sampling/suspect` (refused before anybody can have
   *   read it), `sampling/unavailable` or `sampling/limit`
   * @example
   * ```ts
   * const content = { type: 'text', text: `Summarize: ${note}` } as const;
   * const summary = textOf(await call.sample({ messages: [{ role: 'user', content }], maxTokens: 300 }));
   * ```
   */
  sample(request: SampleAsk): Promise<SamplingResult>;
  /**
   * Lets the model use tools of this call until it has finished or a limit is reached. Each tool call runs as a step.
   * @example
   * ```ts
   * const { result } = await call.sampleWithTools({ messages, maxTokens: 500, tools: [searchTool], maxIterations: 5 });
   * ```
   */
  sampleWithTools(request: SampleWithToolsAsk): Promise<ToolSamplingResult>;
  /**
   * Runs `fn` once per call and records its JSON result, so that what the person saw is what is acted on.
   * @returns the result as JSON carries it, in this run as in every replay
   * @throws what `fn` threw, with its name, message and code; MidcallError `step/not-json` if JSON would lose a part of the
   *   result, naming its path
   * @example
   * ```ts
   * const matches = await call.step('find', () => notes.find(title));
   * await call.step('charge', ({ key }) => pay(order, key), { idempotent: true });
   * ```
   */
  step<T>(name: string, fn: (context: StepContext) => Promise<T> | T, options?: StepOptions<T>): Promise<Jsonified<T>>;
  /**
   * The current time in milliseconds since the epoch, recorded as a step is: the same in every run of the call.
   * @example
   * ```ts
   * const isLate = (await call.now()) > deadline;
   * ```
   */
  now(): Promise<number>;
  /**
   * A random number from 0 up to but not including 1, recorded as a step is.
   * @example
   * ```ts
   * const prize = (await call.random()) < 0.1;
   * ```
   */
  random(): Promise<number>;
  /**
   * A random UUID, recorded as a step is.
   * @example
   * ```ts
   * const orderId = await call.uuid();
   * ```
   */
  uuid(): Promise<string>;
  /**
   * Waits. The end of the wait is recorded, so a replay only waits for the remaining time.
   * @param until - milliseconds from now, up to ten years; or a time
   * @example
   * ```ts
   * await call.sleep(60_000);
   * ```
   */
  sleep(until: number | Date): Promise<void>;
  /**
   * Runs when this run ends: close what is open, stop what runs beside an ask.
   * @param fn - called with how it ended; `cancelled` if the client cancelled the call or is gone, even while a question is
   *   open
   * @example
   * ```ts
   * const watcher = watch(title);
   * call.defer(() => watcher.close());
   * ```
   */
  defer(fn: (end: RunOutcome) => void | Promise<void>): void;
  /**
   * Sends the client a log message (server/utilities/logging), if its level includes it. Messages that an earlier run of this
   * call has sent are not sent again. Needs `capabilities: { logging: {} }` in the server's own options.
   * @param data - JSON; messages are distinguished by their content
   * @param logger - the name of the logger
   * @example
   * ```ts
   * call.log('info', { found: matches.length }, 'search');
   * ```
   */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /**
   * Reports the call's progress to a client that asked for it (basic/utilities/progress). Progress that an earlier run has
   * reported is not reported again.
   * @param progress - increases with each report
   * @example
   * ```ts
   * call.progress(3, { total: 10, message: 'Importing notes' });
   * ```
   */
  progress(progress: number, of?: { readonly total?: number; readonly message?: string }): void;
  /** The verified authorization of an HTTP request; undefined on stdio, and if a task continues without a request. */
  readonly auth: AuthInfo | undefined;
  /** The request that is running the handler: on 2026-07-28 each round has its own. */
  readonly request: AboutRequest;
  readonly can: Can;
  /** Undefined if the call has no client. */
  readonly client: AboutClient | undefined;
  /** Fires when the client cancels or disconnects while no ask of this run is open. */
  readonly signal: AbortSignal;
  readonly principal: Principal | undefined;
}

/** What `call.sampleWithTools` takes: a request, the tools as code, and limits. */
export interface SampleWithToolsAsk extends Omit<SamplingRequest, 'tools' | 'includeContext'>, ToolLoopLimits {
  readonly tools: readonly SamplingTool[];
  /** Milliseconds for each reply; the server's `askTimeoutMs` if absent. */
  readonly timeoutMs?: number;
}

/** What `call.sample` takes. */
export interface SampleAsk extends Omit<SamplingRequest, 'includeContext'> {
  /** Milliseconds for the reply; the server's `askTimeoutMs` if absent. */
  readonly timeoutMs?: number;
}

/** The result of a tool loop. */
export interface ToolSamplingResult {
  readonly result: SamplingResult;
  /** The whole conversation, the final reply included. */
  readonly messages: readonly SamplingMessage[];
  /** Requests that went to the model. */
  readonly iterations: number;
}
