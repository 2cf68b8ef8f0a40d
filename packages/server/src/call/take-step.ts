/**
 * The steps of a handler, on top of what the engine records: attempts, time limits, and values that differ from run to run.
 *
 * - take-step-1 Each attempt is a step of its own, and the wait before the next one is recorded by when it ends; so no attempt
 *   is made twice if the process dies in between.
 * - take-step-2 All attempts have the same key, by which a service removes duplicates.
 * - take-step-3 The outcome of an attempt that timed out is unknown: it is tried again only if that is safe.
 * - take-step-4 An attempt belongs to its own step: of two steps with the same name that run in parallel, neither gets the
 *   outcome of the other's attempt, in whatever order they fail.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { MAX_TIMER_MS, runInTime } from '@midcall/core/time';
import { digest } from '../base/index.ts';
import { observed } from '../observe/index.ts';
import { type CallRun, checkStep } from '../questions/index.ts';
import type { Config, StepContext, StepOptions, StepRetry } from '../request/index.ts';

type Work = (context: StepContext) => unknown;
type Surroundings = { readonly config: Config; readonly flow: string };
type Failure = Error & { readonly code?: string | number };

/** A larger number is probably a time since the epoch by mistake. */
const LONGEST_SLEEP_MS = 315_576_000_000;

/** The steps of one run. */
export class Steps {
  readonly #run: CallRun;
  readonly #surroundings: Surroundings;
  /** How often each name was used for a step with several attempts. */
  readonly #retried = new Map<string, number>();

  constructor(run: CallRun, surroundings: Surroundings) {
    this.#run = run;
    this.#surroundings = surroundings;
  }

  async take(name: string, work: Work, options: StepOptions<unknown> = {}): Promise<unknown> {
    checkStep(name, work, options);
    const { retry } = options;
    if (!retry) return this.#attempt(name, work, options, {});
    const nth = (this.#retried.get(name) ?? 0) + 1;
    this.#retried.set(name, nth);
    const key = digest([this.#surroundings.flow, 'retried', name, nth]);
    let inDoubt = false;
    for (let attempt = 1; ; attempt++) {
      try {
        const identity = attempt === 1 ? name : [name, nth, attempt];
        return await this.#attempt(name, work, options, { identity, key, inDoubt });
      } catch (error) {
        inDoubt = isMidcallError(error, 'step/timeout') || (error as Failure).code === 'step/timeout';
        if (attempt >= retry.attempts || !isWorth(error as Failure, inDoubt, options)) throw error;
        await this.sleep(delayOf(retry, attempt), [name, nth, attempt]);
      }
    }
  }

  /** A value that differs from run to run, drawn once per call. */
  draw<T>(name: string, draw: () => T, identity: unknown = name): Promise<T> {
    const work = { run: draw, idempotent: true };
    return this.#run.step(`call.${name}`, () => work, { kind: 'drawn', identity }) as Promise<T>;
  }

  /** @param between - the attempts of a step, if it is the wait between two of them */
  async sleep(until: number | Date, between?: unknown): Promise<void> {
    const { clock } = this.#surroundings.config;
    const wakeAt = typeof until === 'number' ? until : until.getTime();
    if (!Number.isFinite(wakeAt) || wakeAt < 0) {
      throw new TypeError(
        'call.sleep: the first argument must be a number of milliseconds from 0 up, or a valid Date.',
      );
    }
    if (typeof until === 'number' && until > LONGEST_SLEEP_MS) {
      throw new TypeError(
        `call.sleep: a number must be milliseconds from now, at most ${LONGEST_SLEEP_MS} (ten years); got ${until}. To wait until a time, pass a Date.`,
      );
    }
    const due = await this.draw('sleep', () => (typeof until === 'number' ? clock.now() + until : wakeAt), between);
    for (let left = due - clock.now(); left > 0; left = due - clock.now()) {
      await new Promise<void>(resolve => {
        const stop = clock.after(Math.min(left, MAX_TIMER_MS), resolve);
        this.#run.defer(stop);
      });
    }
  }

  #attempt(
    name: string,
    work: Work,
    { check, idempotent = false, effect = false, timeoutMs }: StepOptions<unknown>,
    as: { readonly identity?: unknown; readonly key?: string; readonly inDoubt?: boolean },
  ): Promise<unknown> {
    const run = this.#run;
    const { config, flow } = this.#surroundings;
    return run.step(
      name,
      id => {
        const key = as.key ?? digest([flow, id]);
        const context: StepContext = {
          key,
          get signal() {
            return run.signal;
          },
        };
        const once = (context: StepContext) =>
          effect ? observed(config.observe, run, { by: 'step', name }, () => work(context)) : work(context);
        const late = () =>
          new MidcallError('step/timeout', `Step '${name}' took longer than its ${timeoutMs} ms and was given up.`);
        const limited = () =>
          timeoutMs === undefined
            ? once(context)
            : runInTime(timeoutMs, config.clock, run.signal, late, signal => once({ key, signal }));
        return {
          run: async () => {
            const outcome = as.inDoubt ? await check?.(context) : undefined;
            return outcome === undefined ? limited() : outcome;
          },
          idempotent,
          ...(check ? { check: () => check(context) } : {}),
        };
      },
      { identity: as.identity ?? name },
    );
  }
}

/** Milliseconds to wait after an attempt. */
const delayOf = ({ delayMs = 1_000, factor = 2, maxDelayMs = 60_000 }: StepRetry, attempt: number): number =>
  delayMs === 0 ? 0 : Math.min(maxDelayMs, delayMs * factor ** (attempt - 1));

const isWorth = (error: Failure, inDoubt: boolean, { retry, check, idempotent }: StepOptions<unknown>): boolean =>
  (!inDoubt || idempotent === true || check !== undefined) && (retry?.when?.(error) ?? true);
