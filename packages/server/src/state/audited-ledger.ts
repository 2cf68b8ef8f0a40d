/**
 * The ledger as the engine sees it: every beginning and end is audited, and nothing begins in an attempt that another attempt
 * has followed. The audit is written before the effect, so that a step begun and never ended is visible even if no retry comes.
 */
import { MidcallError } from '@midcall/core/errors';
import type { Entry, StepLedger, WorkId } from '../engine/index.ts';
import type { Unstamped } from './audit.ts';
import type { Attempt } from './claims.ts';

type Begun = Awaited<ReturnType<StepLedger['begin']>>;

export class AuditedLedger implements StepLedger {
  readonly #stored: StepLedger | undefined;
  readonly #attempt: Attempt | undefined;
  readonly #audit: (event: Unstamped) => void;

  /** @param stored - absent if no retry can follow, so that nothing need be stored */
  constructor(stored: StepLedger | undefined, attempt: Attempt | undefined, audit: (event: Unstamped) => void) {
    this.#stored = stored;
    this.#attempt = attempt;
    this.#audit = audit;
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
    if (begun.state === 'in-doubt') this.#audit({ kind: 'step-in-doubt', step: step.name });
    else if (begun.state !== 'done') this.#audit({ kind: 'step-begun', step: step.name });
    // The process that ended it may have died before its audit was written.
    else this.#audit({ kind: 'step-ended', step: step.name, failed: begun.entry.error !== undefined });
    return begun;
  }

  async end(entry: Entry): Promise<void> {
    await this.#stored?.end(entry);
    if (entry.kind === 'step')
      this.#audit({ kind: 'step-ended', step: entry.label, failed: entry.error !== undefined });
  }

  async withdraw(step: WorkId): Promise<void> {
    await this.#stored?.withdraw(step);
    if (step.kind === 'step') this.#audit({ kind: 'step-ended', step: step.name, failed: true });
  }
}
