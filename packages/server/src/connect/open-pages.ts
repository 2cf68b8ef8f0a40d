/**
 * Limits how many pages may be open for one person at a time: a flood of links is a way to wear somebody down until they agree,
 * and nobody answers dozens at once. The pages are counted in the store under the person of the call, so that all processes
 * that share it count together; calls without a known person are not counted, since one of them could use up the limit of all.
 *
 * - open-pages-G1 A page counts until it is finished, declined, withdrawn or expired, wherever that happened: before one is
 *   refused, the store is asked for the outcome of those that were counted.
 * - open-pages-G2 The limit also holds if many are opened at once, in any number of processes: the list of one person is
 *   replaced atomically. Changes within this process are made one after another, so that only other processes can interfere.
 */
import { MidcallError } from '@midcall/core/errors';
import { digest } from '../base/index.ts';
import type { PageAsk, PagesHost } from '../request/index.ts';
import { CommonValues, openOrWarn } from '../state/index.ts';
import { pageDigest } from './page-records.ts';

export interface OpenPagesOptions {
  /** The most that may be open for one person. */
  readonly most: number;
  readonly host: Pick<PagesHost, 'store' | 'sealer' | 'clock' | 'warn'>;
  /** True if nobody has taken the turn of a page. @param page - its digest */
  readonly isUntaken: (page: string) => Promise<boolean>;
}

/** A page by its digest, and when its time is up, in milliseconds since the epoch. */
type Counted = readonly [page: string, dueAt: number];

type Change = (open: readonly Counted[]) => Promise<readonly Counted[] | undefined>;

const PURPOSE = 'open-pages';

export class OpenPages {
  readonly #options: OpenPagesOptions;
  readonly #values: CommonValues;

  constructor(options: OpenPagesOptions) {
    this.#options = options;
    this.#values = new CommonValues(options.host.store, options.host.clock);
  }

  /**
   * Opens a page and counts it. The same page counts once.
   * @param issue - writes the record of the page
   * @throws MidcallError `connect/limit` if the person has too many open, `store/unavailable`; what `issue` throws
   */
  async open<T>({ pageId, dueAt, call: { principal } }: PageAsk, issue: () => Promise<T>): Promise<T> {
    if (!principal) return issue();
    const key = `open-pages:${digest([principal.issuer, principal.subject])}`;
    const page = pageDigest(pageId);
    const isNew = await this.#change(key, open => this.#enter(open, page, dueAt));
    try {
      return await issue();
    } catch (error) {
      // If the store cannot be reached, it counts until it expires.
      if (isNew) await this.#change(key, async open => open.filter(([each]) => each !== page)).catch(() => {});
      throw error;
    }
  }

  /** @returns the list with the page added; undefined if it is already listed */
  async #enter(open: readonly Counted[], page: string, dueAt: number): Promise<readonly Counted[] | undefined> {
    const { most, isUntaken } = this.#options;
    if (open.some(([each]) => each === page)) return undefined;
    let still = open;
    if (still.length >= most) {
      const untaken = await Promise.all(open.map(([each]) => isUntaken(each)));
      still = open.filter((_, at) => untaken[at]);
    }
    if (still.length >= most) throw this.#tooMany(still);
    return [...still, [page, dueAt]];
  }

  /**
   * @param change - called with the pages that have not expired; may be called again
   * @returns false if nothing was to be changed
   */
  #change(key: string, change: Change): Promise<boolean> {
    const { sealer, clock, warn } = this.#options.host;
    return this.#values.change(key, async text => {
      const listed = text && openOrWarn(sealer, PURPOSE, key, text, 'The list of the open pages of a person', warn);
      const counted = (listed || []) as readonly Counted[];
      const next = await change(counted.filter(([, dueAt]) => dueAt > clock.now()));
      if (next === undefined) return undefined;
      return { text: sealer.seal(next, PURPOSE, key), until: Math.max(0, ...next.map(([, dueAt]) => dueAt)) };
    });
  }

  #tooMany(open: readonly Counted[]): MidcallError {
    const { most, host } = this.#options;
    const next = Math.min(...open.map(([, dueAt]) => dueAt));
    const minutes = Math.max(1, Math.ceil((next - host.clock.now()) / 60_000));
    return new MidcallError(
      'connect/limit',
      `This person has ${most} pages open already, the most allowed. Finish or decline one of them, or wait: the ` +
        `first one’s time is up in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. Do not call again before.`,
    );
  }
}
