/**
 * Steps written to the store before and after their effect, so that within one flow a step starts at most once, even if the
 * process dies between the effect and its record: then it is in doubt, and is not run again unless the author made it safe.
 *
 * Only a retry can be run a second time, so only the steps of a claimed retry are written (see claims.ts); those of earlier
 * rounds are in the sealed journal, and once the retry is answered nobody needs them any more.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { type Entry, type StepLedger, shortLabel, type WorkId } from '../engine/index.ts';
import type { Unstamped } from './audit.ts';
import type { Attempt } from './claims.ts';

/** What is known about a flow's steps after the process that ran it is gone. */
export interface FlowSteps {
  readonly done: readonly string[];
  readonly inDoubt: readonly string[];
  /** In doubt too, but no reason to refuse the call: failed, or begun with an unknown end and safe to begin again. */
  readonly failedOrSafe: readonly string[];
}

interface Listed extends WorkId {
  readonly safe: boolean;
}

/** A ledger whose records can be removed. */
export interface FlowLedger extends StepLedger {
  /** Forgets what this attempt wrote; for when the retry is answered. */
  forget(): Promise<void>;
}

const BEGUN = 'begun';
const listKey = (flow: string) => `steps:${flow}`;
const stepKey = (flow: string, id: string) => `step:${flow}:${id}`;

/**
 * @param store - the store for content: names and results of steps are written there
 * @param ttlMs - milliseconds the records live; longer than any state that could present the retry
 */
export function stepLedger(store: Store, flow: string, ttlMs: number): FlowLedger {
  let listed: Promise<readonly Listed[]> | undefined;
  const list = async (step: Listed): Promise<void> => {
    // Appends in order: several steps of a run may begin together.
    listed = (listed ?? read(store, flow)).then(async begun => {
      if (begun.some(each => each.id === step.id)) return begun;
      const longer = [...begun, step];
      await store.set(listKey(flow), JSON.stringify(longer), { ttlMs });
      return longer;
    });
    await listed;
  };
  return {
    async begin({ id, kind, name, safe }) {
      await list({ id, kind, name: shortLabel(name), safe });
      if (await store.set(stepKey(flow, id), BEGUN, { ttlMs, ifAbsent: true })) return { state: 'run' };
      const stored = await store.get(stepKey(flow, id));
      if (stored !== undefined && stored !== BEGUN) return { state: 'done', entry: JSON.parse(stored) as Entry };
      return { state: safe ? 'again' : 'in-doubt' };
    },
    async end(entry) {
      await store.set(stepKey(flow, entry.id), JSON.stringify(entry), { ttlMs });
    },
    async withdraw({ id }) {
      await store.delete(stepKey(flow, id));
    },
    async forget() {
      if (!listed) return;
      for (const { id } of await listed) await store.delete(stepKey(flow, id));
      await store.delete(listKey(flow));
    },
  };
}

async function read(store: Store, flow: string): Promise<readonly Listed[]> {
  const text = await store.get(listKey(flow));
  return text === undefined ? [] : (JSON.parse(text) as Listed[]);
}

/** Looks up how far a flow got. */
export async function flowSteps(store: Store, flow: string): Promise<FlowSteps> {
  const done: string[] = [];
  const inDoubt: string[] = [];
  const failedOrSafe: string[] = [];
  for (const step of await read(store, flow)) {
    if (step.kind !== 'step') continue;
    const state = await store.get(stepKey(flow, step.id));
    if (state === undefined) continue;
    if (state === BEGUN) (step.safe ? failedOrSafe : inDoubt).push(step.name);
    else ((JSON.parse(state) as Entry).error ? failedOrSafe : done).push(step.name);
  }
  return { done, inDoubt, failedOrSafe };
}

type Begun = Awaited<ReturnType<StepLedger['begin']>>;

/**
 * The ledger as the engine sees it: every beginning and end is audited, and nothing begins in an attempt that another attempt
 * has followed. The audit is written before the effect, so that a step begun and never ended is visible even if no retry comes.
 */
export class AuditedLedger implements StepLedger {
  readonly #stored: StepLedger | undefined;
  readonly #attempt: Attempt | undefined;
  readonly #audit: (event: Unstamped) => void;
  /** By id, the author's steps that this attempt has come to. */
  readonly #steps = new Map<string, { readonly name: string; isOver: boolean }>();

  /** @param stored - absent if no retry can follow, so that nothing need be stored */
  constructor(stored: StepLedger | undefined, attempt: Attempt | undefined, audit: (event: Unstamped) => void) {
    this.#stored = stored;
    this.#attempt = attempt;
    this.#audit = audit;
  }

  /** The author's steps that this attempt has come to, whether or not their ends could be stored. */
  get reached(): Pick<FlowSteps, 'done' | 'inDoubt'> {
    const namesOf = (over: boolean) =>
      [...this.#steps.values()].filter(({ isOver }) => isOver === over).map(({ name }) => name);
    return { done: namesOf(true), inDoubt: namesOf(false) };
  }

  async begin(step: WorkId & { readonly safe: boolean }): Promise<Begun> {
    const begun = (await this.#stored?.begin(step)) ?? { state: 'run' as const };
    // Checked after the beginning is written: an attempt that follows this one has not read the ledger before that.
    if (this.#attempt && !(await this.#attempt.holds())) {
      if (begun.state === 'run') await this.#stored?.withdraw(step);
      throw new MidcallError(
        'call/interrupted',
        'This process was away so long that another went on with this call, so it starts nothing more of it.',
      );
    }
    // The check of an answer is not one of the author's steps, and is named by its question's text; nor is a generated value.
    if (step.kind !== 'step') return begun;
    this.#steps.set(step.id, { name: step.name, isOver: begun.state === 'done' && !begun.entry.error });
    if (begun.state === 'in-doubt') this.#audit({ kind: 'step-in-doubt', step: step.name });
    else if (begun.state !== 'done') this.#audit({ kind: 'step-begun', step: step.name });
    // The process that ended it may have died before its audit was written.
    else this.#audit({ kind: 'step-ended', step: step.name, failed: begun.entry.error !== undefined });
    return begun;
  }

  async end(entry: Entry): Promise<void> {
    const step = this.#steps.get(entry.id);
    // What it did before it failed is in doubt.
    if (step && !entry.error) step.isOver = true;
    await this.#stored?.end(entry);
    if (entry.kind === 'step')
      this.#audit({ kind: 'step-ended', step: entry.label, failed: entry.error !== undefined });
  }

  async withdraw(step: WorkId): Promise<void> {
    await this.#stored?.withdraw(step);
    this.#steps.delete(step.id);
    if (step.kind === 'step') this.#audit({ kind: 'step-ended', step: step.name, failed: true });
  }
}
