/**
 * Tells people that a question waits for them, on their devices and by the operator's webhook, from what the store says is to be told.
 *
 * - notifier-N1 Nothing here delays a question: it is told of what the store has, and looks again by itself.
 * - notifier-N2 A receiver that hangs holds up nobody else: the store says how many may be told at a time, and of whom. One that has
 *   failed is given less patience.
 * - notifier-N3 Somebody who has their inbox open here is not told at once, but a minute later, if a question still waits then.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Clock } from '@midcall/core/time';
import type { Claimed, Deliveries, PushKeys } from '../store/index.ts';
import type { Poster } from './guarded-post.ts';
import { noPushAddress, push } from './push.ts';
import type { TellWebhook } from './webhook.ts';

/** What it works with. */
export interface NotifierOptions {
  readonly deliveries: Deliveries;
  readonly clock: Clock;
  readonly poster: Poster;
  readonly webhook: TellWebhook | undefined;
  /** Absent where browsers cannot subscribe. */
  readonly pushKeys: (() => Promise<PushKeys & { readonly contact: string }>) | undefined;
  /** Where somebody finds a question. */
  readonly link: (question: string) => string;
  readonly isWatched: (principal: string) => boolean;
  /** Called once when the store, the webhook or push services fail, until they work again. */
  readonly onError: (error: unknown) => void;
}

/** How often to look for what other processes have left, and for what is tried again. */
const everyMs = 5_000;
/** For how long questions that come together are gathered. */
const gatherMs = 100;
/** How long a device whose push service has failed is waited for. */
const impatientMs = 2_000;

const texts = { title: 'Midcall', body: 'A question is waiting for you.' };

type Failing = 'store' | 'push' | 'webhook';

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #telling = new Map<Claimed, Promise<void>>();
  readonly #failing = new Set<Failing>();
  #looking: Promise<void> | undefined;
  #callOff: (() => void) | undefined;
  #dueIn = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#lookIn(everyMs);
  }

  /** A question was stored, or is about to be. */
  asked(): void {
    this.#lookIn(gatherMs);
  }

  /** Ends the attempts that are being made: the next process makes them again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    this.#options.poster.close();
    await this.#looking;
    await Promise.all(this.#telling.values());
  }

  #lookIn(ms: number): void {
    if (this.#isStopped || ms >= this.#dueIn) return;
    this.#callOff?.();
    this.#dueIn = ms;
    this.#callOff = this.#options.clock.after(ms, () => {
      this.#dueIn = Number.POSITIVE_INFINITY;
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#look());
    });
  }

  async #look(): Promise<void> {
    const { deliveries, webhook } = this.#options;
    try {
      const underWay = [...this.#telling.keys()];
      const claimed = this.#isStopped ? [] : await deliveries.claim(underWay, webhook !== undefined);
      for (const target of claimed) this.#begin(target);
      this.#works('store');
    } catch (error) {
      this.#fails('store', error);
    }
    this.#lookIn(everyMs);
  }

  #begin(target: Claimed): void {
    const telling = this.#tell(target)
      .catch(error => this.#fails('store', error))
      .finally(() => {
        this.#telling.delete(target);
        // There may be more than there was room for.
        this.#lookIn(gatherMs);
      });
    this.#telling.set(target, telling);
  }

  async #tell(target: Claimed): Promise<void> {
    const { deliveries, isWatched, webhook } = this.#options;
    const question = await deliveries.waiting(target);
    if (question === undefined) return deliveries.drop(target);
    if (target.tries === 0 && isWatched(target.principal)) return deliveries.putOff(target);
    // It may have been claimed as this stopped.
    if (this.#isStopped) return;
    const kind = target.subscription ? 'push' : 'webhook';
    const outcome = kind === 'push' ? await this.#push(target) : await this.#post(webhook!, target, question);
    if (outcome === 'gone') return deliveries.gone(target);
    if (outcome === 'sent') {
      this.#works(kind);
      return deliveries.told(target);
    }
    if (this.#isStopped) return;
    this.#fails(
      kind,
      new MidcallError(
        'connect/unavailable',
        `${kind === 'push' ? 'A device of somebody' : 'The webhook'} could not be told that a question waits. ${outcome.why}`,
      ),
    );
    return deliveries.failed(target, outcome.why);
  }

  async #push({ subscription, hasFailed }: Claimed): Promise<Awaited<ReturnType<typeof push>>> {
    const { poster, pushKeys } = this.#options;
    if (!pushKeys) return { why: noPushAddress };
    return push(poster, subscription!, await pushKeys(), texts, hasFailed ? impatientMs : undefined);
  }

  #post(webhook: TellWebhook, { id, principal }: Claimed, question: string): ReturnType<TellWebhook> {
    const { link, clock } = this.#options;
    return webhook(id, {
      ...{ type: 'question.waiting', person: principal, link: link(question) },
      at: new Date(clock.now()).toISOString(),
    });
  }

  #fails(what: Failing, error: unknown): void {
    if (!this.#failing.has(what)) this.#options.onError(error);
    this.#failing.add(what);
  }

  #works(what: Failing): void {
    this.#failing.delete(what);
  }
}
