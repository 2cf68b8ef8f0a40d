/**
 * The open questions of a host, whoever asks and whatever shows them.
 *
 * - inbox-I1 Every question ends exactly once, whatever races: two tabs, a terminal, a withdrawal, a time limit.
 * - inbox-I2 A reply is checked before it ends a question; one that does not fit leaves it open and says why.
 * - inbox-I3 A presenter that fails loses no question that another one shows. If no other does, the question ends as `unshown`.
 * - inbox-I4 With a store, an open question is open again after the process restarts. Whether its answer can still be used is
 *   decided by the caller that asks again ({@link Inbox.ask} with the same id takes over the stored one).
 * - inbox-I5 The requester gets the answer unchanged. In what others are told, and in what is remembered, secrets are masked.
 */
import { setMaxListeners } from 'node:events';
import { messageOf } from '@midcall/core/errors';
import type { Issue } from '@midcall/core/form';
import { checkKind, checkOptions, func, having, type Kind, name, storeKind } from '@midcall/core/options';
import type { Store } from '@midcall/core/store';
import { boundedStore } from '@midcall/core/store';
import { visible } from '@midcall/core/text';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import { callsOutliveProcess, Listeners } from '../base/index.ts';
import {
  type Ending,
  maskedEnding,
  type Presenter,
  type Question,
  type Receipt,
  type Reply,
  type Via,
} from '../question/index.ts';
import { checkReply } from './reply-check.ts';
import { StoredQuestions } from './stored-questions.ts';

/** The events of an inbox; in order, each question once as `asked` and once as `ended`. */
export type InboxEvent =
  | { readonly type: 'asked'; readonly question: Question }
  | { readonly type: 'ended'; readonly question: Question; readonly ending: Ending; readonly endedAt: number };

/** Options of an inbox. */
export interface InboxOptions {
  readonly clock?: Clock;
  /** Keeps open questions across restarts. */
  readonly store?: Store;
  /**
   * Called with the error of a presenter or subscriber that failed, and of a store that failed; and once, if a question is asked
   * that nothing presents. Default: writes one line to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** The process that a question comes from: it decides what becomes of a reply, and ends the question here, too. */
export type Owner = (reply: Reply, via: Via) => Promise<Receipt>;

interface Open {
  readonly question: Question;
  readonly ended: AbortController;
  readonly waiters: ((ending: Ending) => void)[];
  /** Decides about replies, if the question is of another process. */
  readonly owner: Owner | undefined;
  /** The views that show it. */
  readonly shownBy: Set<Presenter>;
}

/** How many endings are remembered, so that a late reply learns what happened. */
const remembered = 1_000;

const hasShow = having('a view: { via, show(question, { reply, ended }) }', 'show');
const presenterKind: Kind = {
  ...hasShow,
  fits: value => hasShow.fits(value) && name.fits((value as { readonly via?: unknown }).via),
};

/**
 * Open questions; presenters show them, replies end them.
 * @example
 * ```ts
 * const inbox = new Inbox();
 * inbox.present(new Terminal({ input: process.stdin, output: process.stderr }));
 * ```
 */
export class Inbox {
  readonly #open = new Map<string, Open>();
  readonly #ended = new Map<string, Ending>();
  /** Unmasked endings that no caller has received yet. */
  readonly #unheard = new Map<string, Ending>();
  readonly #presenters = new Set<Presenter>();
  readonly #listeners: Listeners<InboxEvent>;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #stored: StoredQuestions | undefined;
  #warned = false;
  #endNew: ((open: Open) => void) | undefined;

  constructor(options: InboxOptions = {}) {
    checkOptions('new Inbox', options, { clock: clockKind, store: storeKind, onError: func });
    this.#clock = options.clock ?? systemClock;
    this.#onError = options.onError ?? complain;
    this.#listeners = new Listeners(options.onError);
    this.#stored = options.store
      ? new StoredQuestions(boundedStore(options.store, this.#clock), this.#onError)
      : undefined;
  }

  /**
   * Puts a question to the person and waits for its one ending. A question whose id is open already (restored from the store)
   * is taken over, not asked twice.
   * @param options - `signal`: withdraws the question; its reason may be an {@link Ending}, else the ending is `withdrawn`;
   *   `timeoutMs`: how long the person has, forever if absent; `owner`: for a question of another process, which is open here until
   *   it is ended with {@link end}: a reply that fits is passed to its owner, whose receipt counts
   */
  ask(
    question: Question,
    options: { readonly signal?: AbortSignal; readonly timeoutMs?: number; readonly owner?: Owner } = {},
  ): Promise<Ending> {
    const { signal, timeoutMs, owner } = options;
    if (signal?.aborted) return Promise.resolve(endingOf(signal.reason));
    const open =
      this.#open.get(question.id) ?? (this.#ended.has(question.id) ? undefined : this.#admit(question, owner));
    // A presenter may reply while it is being shown the question; a question of an earlier process may be answered before it is
    // asked again.
    const ended = this.#unheard.get(question.id) ?? this.#ended.get(question.id);
    this.#unheard.delete(question.id);
    if (!open || ended) return Promise.resolve(ended ?? { how: 'withdrawn' });
    if (open.shownBy.size + this.#listeners.size === 0) this.#warn(question);
    return new Promise(resolve => {
      const onAbort = (): void => void this.end(question.id, endingOf(signal?.reason));
      const expire = (): void => void this.end(question.id, { how: 'timed-out' });
      const callOff = timeoutMs === undefined ? undefined : this.#clock.after(timeoutMs, expire);
      open.waiters.push(ending => {
        signal?.removeEventListener('abort', onAbort);
        callOff?.();
        resolve(ending);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** A reply from a view. It is checked first; the receipt says what became of it. Never rejects. */
  async reply(id: string, reply: Reply, via: Via): Promise<Receipt> {
    const open = this.#open.get(id);
    if (!open) {
      const ending = this.#ended.get(id);
      return ending ? { ok: false, problem: 'ended', ending } : { ok: false, problem: 'unknown' };
    }
    if (isApproval(open.question) && via !== approvers) return { ok: false, problem: 'invalid', issues: [elsewhere] };
    const checked = checkReply(open.question, reply);
    if (!checked.ok) return { ok: false, problem: 'invalid', issues: checked.issues };
    if (open.owner) return open.owner(reply, via);
    const { action, content, leftOut } = checked;
    this.end(id, { how: endingBy[action], via, ...(content && { content }), ...(leftOut && { leftOut }) });
    return { ok: true };
  }

  /**
   * Ends a question without a person: withdrawn, timed out, server gone, refused.
   * @returns false if it had ended already, or never was
   */
  end(id: string, ending: Ending): boolean {
    const open = this.#open.get(id);
    if (!open) return false;
    this.#open.delete(id);
    const masked = maskedEnding(open.question, ending);
    this.#remember(id, masked);
    if (open.waiters.length === 0) this.#unheard.set(id, ending);
    this.#stored?.remove(id);
    for (const waiter of open.waiters) waiter(ending);
    open.ended.abort(masked);
    this.#listeners.tell({ type: 'ended', question: open.question, ending: masked, endedAt: this.#clock.now() });
    return true;
  }

  /** Ends every open question of one server; for when it is gone. */
  endAll(askerId: string, ending: Ending): void {
    for (const { question } of [...this.#open.values()])
      if (question.asker.id === askerId) this.end(question.id, ending);
  }

  /**
   * Ends every open question as `unshown`, and from now on each that is asked, since this host stops and nobody will answer it
   * here. Questions of other processes stay with them.
   * @param options - `leaves`: true for a question that another process can put to the person later
   */
  close({ leaves = () => false }: { readonly leaves?: (question: Question) => boolean } = {}): void {
    const end = ({ question, owner }: Open): void => {
      if (!owner && !leaves(question)) this.end(question.id, { how: 'unshown' });
    };
    this.#endNew = end;
    for (const open of [...this.#open.values()]) end(open);
  }

  /** Open questions, oldest first. */
  list(): readonly Question[] {
    return [...this.#open.values()].map(open => open.question);
  }

  /** An open question, or undefined. */
  get(id: string): Question | undefined {
    return this.#open.get(id)?.question;
  }

  /** Fires when a question ends, with its {@link Ending} as the reason; has fired for one that is not open. */
  ended(id: string): AbortSignal {
    return this.#open.get(id)?.ended.signal ?? AbortSignal.abort(this.#ended.get(id));
  }

  /** How a question ended, for as long as that is remembered. */
  ending(id: string): Ending | undefined {
    return this.#ended.get(id);
  }

  /**
   * Attaches a view: it is shown every question that is open now or asked later.
   * @returns detaches it; questions stay open
   */
  present(presenter: Presenter): () => void {
    checkKind('inbox.present', 'the presenter', presenter, presenterKind);
    this.#presenters.add(presenter);
    for (const open of [...this.#open.values()]) this.#show(presenter, open);
    return () => {
      this.#presenters.delete(presenter);
      for (const { shownBy } of this.#open.values()) shownBy.delete(presenter);
    };
  }

  /** Names of the attached views. */
  views(): readonly string[] {
    return [...new Set([...this.#presenters].map(presenter => presenter.via))];
  }

  /** Calls `listener` for every event from now on. @returns ends the subscription */
  subscribe(listener: (event: InboxEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Reads what an earlier process left open, once, before anything is asked. On 2025-11-25 the server's request ended with its
   * connection, so such a question ends as `server-gone` at once; on 2026-07-28 it is open again, since its round can still be
   * answered. A question about a call that had not been made ends: nobody waits for it.
   * @returns the questions that are open again
   */
  async restore(): Promise<readonly Question[]> {
    if (!this.#stored) return [];
    const resumed: Question[] = [];
    for (const question of await this.#stored.load()) {
      if (this.#open.has(question.id)) continue;
      this.#admit(question);
      const isAskedAgain = callsOutliveProcess(question.asker.era) && question.call && question.kind !== 'call';
      if (isAskedAgain) resumed.push(question);
      else this.end(question.id, { how: 'server-gone' });
    }
    return resumed;
  }

  /** Resolves when all changes made so far are in the store. */
  async settled(): Promise<void> {
    await this.#stored?.settled();
  }

  #remember(id: string, ending: Ending): void {
    this.#ended.set(id, ending);
    if (this.#ended.size <= remembered) return;
    const oldest = this.#ended.keys().next().value as string;
    this.#ended.delete(oldest);
    this.#unheard.delete(oldest);
  }

  #admit(question: Question, owner?: Owner): Open {
    const shownBy = new Set(this.#presenters);
    const open: Open = { question, ended: new AbortController(), waiters: [], shownBy, owner };
    // Any number of views and calls may wait for its end, so Node's warning about many listeners is disabled.
    setMaxListeners(0, open.ended.signal);
    this.#open.set(question.id, open);
    this.#stored?.add(question);
    this.#listeners.tell({ type: 'asked', question });
    for (const presenter of [...shownBy]) this.#show(presenter, open);
    this.#endNew?.(open);
    return open;
  }

  #show(presenter: Presenter, open: Open): void {
    const { question, ended, shownBy } = open;
    if (isApproval(question)) return void shownBy.delete(presenter);
    const reply = (reply: Reply): Promise<Receipt> => this.reply(question.id, reply, presenter.via);
    const fail = (error: unknown): void => {
      this.#onError(error);
      if (shownBy.delete(presenter) && shownBy.size === 0) this.end(question.id, { how: 'unshown' });
    };
    shownBy.add(presenter);
    try {
      // In JavaScript, it may be an async function.
      const shown: unknown = presenter.show(question, { reply, ended: ended.signal });
      if (shown instanceof Promise) shown.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  /** A view may still come, so the question waits; but whoever forgot the view would wait forever without knowing why. */
  #warn({ asker }: Question): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#onError(new Error(`A question of '${asker.id}' waits, and no view shows it. Give one to inbox.present(…).`));
  }
}

/** Where the answers of people in inboxes come from. */
const approvers: Via = 'approvers';
const elsewhere: Issue = { rule: 'approvers', message: 'Those who have to agree answer this, in their inboxes.' };
const isApproval = (question: Question): boolean => question.kind === 'call' && question.approval !== undefined;

const endingBy = { accept: 'answered', decline: 'declined', dismiss: 'dismissed' } as const;

function complain(error: unknown): void {
  console.error(`midcall: ${visible(messageOf(error), { max: 1_000 })}`);
}

const endings = new Set(['withdrawn', 'server-gone', 'timed-out', 'refused-by-policy', 'completed']);

function endingOf(reason: unknown): Ending {
  const how = (reason as { how?: unknown } | null | undefined)?.how;
  return typeof how === 'string' && endings.has(how) ? (reason as Ending) : { how: 'withdrawn' };
}
