/**
 * The record of each page: what its link stands for, and whether it may still be answered. Everything is stored sealed, under a
 * digest of the page ID, so that neither the store's contents nor a log of its keys gives anybody a working link.
 *
 * - page-record-R1 A page ID is random (192 bits) and carries nothing: what it stands for is only in the store.
 * - page-record-R2 A page has one turn. Of all who try to finish it (or withdraw it) exactly one gets the turn, across
 *   processes; looking does not take it.
 * - page-record-R3 Past `dueAt` the turn cannot be had, whatever is still in the store. Whoever stops waiting then takes it: the
 *   clock of another process may be behind.
 * - page-record-R4 Five codes may be tried, across processes; then the link is useless.
 * - page-record-R5 If the store is briefly unavailable, nothing ends: waiters keep waiting, and the outcome of a page is
 *   written as soon as the store is back. If the turn was taken and no outcome is known, that is reported, and the turn is not
 *   given again. Whoever got the turn learns so even if the store's acknowledgement was lost.
 * - page-record-R6 A record that cannot be opened counts as missing, and operators are told once.
 */

import { hash, randomBytes, randomInt } from 'node:crypto';
import { isMidcallError } from '@midcall/core/errors';
import { pause, steadyNow } from '@midcall/core/time';
import type { Json } from '../base/index.ts';
import type { PageAsk, PageOutcome, PagesHost } from '../request/index.ts';
import { openOrWarn } from '../state/index.ts';

/** Whether a page may still be answered. */
export type Standing = 'open' | 'expired' | 'underWay' | 'used' | 'failed' | 'declined' | 'withdrawn' | 'locked';

/** What {@link PageRecords.look} finds. */
export type Looked =
  | { readonly standing: 'open'; readonly page: PageAsk }
  | { readonly standing: Exclude<Standing, 'open'> };

/** How many codes may be tried. */
const maxTries = 5;

/** How long after its expiry a link still shows the outcome of the page, in milliseconds. */
const REMEMBERED_MS = 24 * 60 * 60_000;
const WATCH_MS = 1_000;
/** Milliseconds to wait between attempts to record the outcome of a page. */
const settleAgainMs = [100, 400, 1_500, 4_000, 4_000];
/** The same for attempts to take its turn, for which a person waits. */
const takeAgainMs = [100, 400, 1_500];
const PURPOSE = 'page';
/** How many page records a process remembers. */
const MAX_KNOWN = 256;
// Letters and digits that are hard to confuse.
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const CODE_LENGTH = 8;
const pageIdShape = /^[\w-]{32}$/;

/** Names a page in keys, logs and cookies: tells pages apart, and opens none. */
export const pageDigest = (pageId: string): string => hash('sha256', pageId, 'base64url').slice(0, 32);

/** The name under which processes wait for a page. */
const pageName = (name: string): string => `page/${name}`;

export const newPageId = (): string => randomBytes(24).toString('base64url');

/** Two groups of four characters: short enough to type, and with five tries out of 30^8 too many to guess. */
export function newCode(): string {
  const letters = Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]);
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}

/** A typed code in the form that is compared: case, blanks and dashes are ignored. */
export const spelled = (code: string): string => code.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** What a process caches about a page, so that it is not computed at every step of a visit. */
interface Remembered {
  readonly name: string;
  /** If this process issued it: what it wrote, and the JSON in it. Valid as long as the store has that text. */
  issued?: { readonly sealed: string; readonly json: string };
}

/** PageRecords over one store. */
export class PageRecords {
  readonly #host: PagesHost;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #remembered = new Map<string, Remembered>();
  /** The keys of records that cannot be opened, of which operators were told. */
  readonly #told = new Set<string>();

  constructor(host: PagesHost) {
    this.#host = host;
  }

  /** Writes a page, unless it is there. */
  async issue(page: PageAsk): Promise<void> {
    const remembered = this.#know(page.pageId);
    const key = `page:${remembered.name}`;
    const ttlMs = Math.max(1, page.dueAt - this.#host.clock.now()) + REMEMBERED_MS;
    const sealed = this.#seal(key, page);
    remembered.issued = { sealed, json: JSON.stringify(page) };
    await this.#host.store.set(key, sealed, { ttlMs, ifAbsent: true });
  }

  /** What a page asks; undefined for one that was never issued, or whose record has expired. */
  async find(pageId: string): Promise<PageAsk | undefined> {
    if (!pageIdShape.test(pageId)) return undefined;
    const remembered = this.#know(pageId);
    const sealed = await this.#host.store.get(`page:${remembered.name}`);
    return sealed === undefined ? undefined : this.#ask(remembered, sealed);
  }

  /** What a page asks while it may be answered, otherwise why it may not; undefined as for {@link find}. */
  async look(pageId: string): Promise<Looked | undefined> {
    if (!pageIdShape.test(pageId)) return undefined;
    const { store } = this.#host;
    const remembered = this.#know(pageId);
    const { name } = remembered;
    const [sealed, turn] = await Promise.all([store.get(`page:${name}`), store.get(`page-turn:${name}`)]);
    if (sealed === undefined) return undefined;
    if (turn !== undefined) return { standing: ended(turn) ?? (await this.#progress(name)) };
    const page = this.#ask(remembered, sealed);
    return page && (this.#host.clock.now() >= page.dueAt ? { standing: 'expired' } : { standing: 'open', page });
  }

  async standing(page: PageAsk): Promise<Standing> {
    const { name } = this.#know(page.pageId);
    const turn = await this.#host.store.get(`page-turn:${name}`);
    if (turn !== undefined) return ended(turn) ?? this.#progress(name);
    return this.#host.clock.now() >= page.dueAt ? 'expired' : 'open';
  }

  /** True if nobody has taken the turn of a page. @param name - its digest */
  async isUntaken(name: string): Promise<boolean> {
    return (await this.#host.store.get(`page-turn:${name}`)) === undefined;
  }

  /** The state of a page that somebody is answering. */
  async #progress(name: string): Promise<'underWay' | 'used' | 'failed'> {
    const outcome = (await this.#read(`page-result:${name}`)) as PageOutcome | undefined;
    if (outcome === undefined) return 'underWay';
    return outcome.action === 'cancel' ? 'failed' : 'used';
  }

  /** Takes the one turn (page-record-R2, page-record-R3). @returns true for the one who got it */
  async takeTurn(page: PageAsk, how: 'accept' | 'decline' | 'withdrawn' | 'locked' | 'expired'): Promise<boolean> {
    const { store, clock } = this.#host;
    const key = `page-turn:${this.#know(page.pageId).name}`;
    // No two who accept are alike, so that a turn that was written without being acknowledged is known to be ours. Who takes one of the
    // others as well does the same.
    const turn = how === 'accept' ? `${how} ${randomBytes(16).toString('base64url')}` : how;
    let isInDoubt = false;
    return this.#again(takeAgainMs, async () => {
      if (isInDoubt && (await store.get(key)) === turn) return true;
      const left = page.dueAt - clock.now();
      if (left <= 0 && how !== 'expired') return false;
      isInDoubt = true;
      return store.set(key, turn, { ttlMs: Math.max(1, left) + REMEMBERED_MS, ifAbsent: true });
    });
  }

  /** Counts one try of a code. @returns how many tries are left after it, or undefined if none was left */
  async try(page: PageAsk): Promise<number | undefined> {
    const { name } = this.#know(page.pageId);
    const ttlMs = Math.max(1, page.dueAt - this.#host.clock.now()) + REMEMBERED_MS;
    for (let n = 1; n <= maxTries; n++) {
      if (await this.#host.store.set(`page-try:${name}:${n}`, '', { ttlMs, ifAbsent: true })) return maxTries - n;
    }
    return undefined;
  }

  /** Records the outcome of a page whose turn was taken (page-record-R5). */
  async settle(page: PageAsk, outcome: PageOutcome): Promise<void> {
    const { name } = this.#know(page.pageId);
    const ttlMs = Math.max(1, page.dueAt - this.#host.clock.now()) + REMEMBERED_MS;
    const sealed = this.#seal(`page-result:${name}`, outcome);
    await this.#again(settleAgainMs, () => this.#host.store.set(`page-result:${name}`, sealed, { ttlMs }));
    for (const wake of this.#waiting.get(name) ?? []) wake();
    this.#host.wake.wake(pageName(name));
  }

  /** Attempts what may be done twice, again while the store is briefly unavailable. */
  async #again<T>(waits: readonly number[], operate: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await operate();
      } catch (error) {
        const wait = waits[attempt];
        if (wait === undefined || !isMidcallError(error, 'store/unavailable')) throw error;
        await pause(wait, this.#host.clock);
      }
    }
  }

  /**
   * The outcome of a page, as soon as it is known, whichever process settles it; undefined if it is not known after `ms`.
   * @throws MidcallError `store/unavailable` if the store is unavailable then
   */
  async outcome(pageId: string, ms: number, signal?: AbortSignal): Promise<PageOutcome | undefined> {
    const { name } = this.#know(pageId);
    const until = steadyNow(this.#host.clock) + ms;
    let isWoken = false;
    const stopListening = this.#host.wake.listen(pageName(name), () => {
      isWoken = true;
      for (const wake of this.#waiting.get(name) ?? []) wake();
    });
    try {
      return await this.#settled(
        name,
        until,
        () => {
          const wasWoken = isWoken;
          isWoken = false;
          return wasWoken;
        },
        signal,
      );
    } finally {
      stopListening();
    }
  }

  /** @param looksAgain - true if somebody woke this process since the last call */
  async #settled(
    name: string,
    until: number,
    looksAgain: () => boolean,
    signal: AbortSignal | undefined,
  ): Promise<PageOutcome | undefined> {
    for (;;) {
      let away: unknown;
      const result = await this.#read(`page-result:${name}`).catch(error => {
        if (!isMidcallError(error, 'store/unavailable')) throw error;
        away = error;
      });
      if (result !== undefined) return result as unknown as PageOutcome;
      const left = until - steadyNow(this.#host.clock);
      if (left <= 0 && away) throw away;
      if (left <= 0 || signal?.aborted) return undefined;
      if (!looksAgain()) await this.#pause(name, Math.min(WATCH_MS, left), signal);
    }
  }

  /** Waits that long, or until this process settles the page, or the signal fires. */
  #pause(name: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise(resolve => {
      const waiting = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiting);
      const wake = () => {
        stop();
        signal?.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(name);
        resolve();
      };
      const stop = this.#host.clock.after(ms, wake);
      waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  #know(pageId: string): Remembered {
    const remembered = this.#remembered.get(pageId);
    if (remembered) return remembered;
    const added: Remembered = { name: pageDigest(pageId) };
    if (this.#remembered.size >= MAX_KNOWN) this.#remembered.delete(this.#remembered.keys().next().value!);
    this.#remembered.set(pageId, added);
    return added;
  }

  /** What a sealed page asks, as a new object. */
  #ask({ name, issued }: Remembered, sealed: string): PageAsk | undefined {
    if (issued?.sealed === sealed) return JSON.parse(issued.json);
    return this.#open(`page:${name}`, sealed) as unknown as PageAsk | undefined;
  }

  #seal(key: string, value: unknown): string {
    return this.#host.sealer.seal(value, PURPOSE, key);
  }

  async #read(key: string): Promise<Json | undefined> {
    const text = await this.#host.store.get(key);
    return text === undefined ? undefined : this.#open(key, text);
  }

  #open(key: string, text: string): Json | undefined {
    const warn = (message: string): void => {
      if (this.#told.has(key)) return;
      if (this.#told.size >= MAX_KNOWN) this.#told.clear();
      this.#told.add(key);
      this.#host.warn(message);
    };
    return openOrWarn(this.#host.sealer, PURPOSE, key, text, 'The record of a page', warn) as Json | undefined;
  }
}

/** @returns undefined for the turn of somebody who answers */
function ended(turn: string): 'withdrawn' | 'locked' | 'expired' | 'declined' | undefined {
  const [how] = turn.split(' ');
  if (how === 'withdrawn' || how === 'locked' || how === 'expired') return how;
  return how === 'decline' ? 'declined' : undefined;
}
