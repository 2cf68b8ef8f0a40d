/**
 * The chart of one host: what it was asked, what it answered, and what is still open. It outlives calls, since a host that
 * drops a question drops the call with it: the next call then knows which question it was.
 *
 * - chart-C1 A question that was asked and never settled is `dropped`, from the next call on.
 * - chart-C2 A check with a finding is not repeated, unless it is named.
 */
import type { Clock } from '@midcall/core/time';
import type { Can } from '@midcall/server';
import {
  type CheckName,
  checkNames,
  declares,
  duration,
  type Finding,
  finding,
  type RowName,
  rowNames,
  rowsOf,
} from './checks.ts';
import { type HoldEnd, judgeHold } from './judge.ts';

/** Who the client says it is. */
export interface HostName {
  readonly name: string;
  readonly version: string;
  /** The revision of the protocol. */
  readonly revision: string;
}

/** What one call of `doctor` is to try. */
export interface Plan {
  readonly checks: readonly CheckName[];
}

interface Out {
  readonly at: number;
  /** When the call was abandoned with this question open. */
  leftAt?: number;
}

const nothing: Can = { form: false, url: false, roots: false, sampling: false, samplingTools: false };
/** A call that is left sooner than this continued elsewhere, as every round of 2026-07-28 does. */
const ROUND_MS = 1_000;

/** Calls that come within this time of each other were made at once, and none was abandoned for the other. */
const TOGETHER_MS = 5_000;

export class Chart {
  readonly host: HostName;
  /** The capabilities as declared, in words. */
  declared: readonly string[] = [];
  /** Whether the host asks for progress; undefined if it is not known yet. */
  hearsProgress: boolean | undefined;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #findings = new Map<RowName, Finding>();
  readonly #out = new Map<CheckName, Out>();
  #can: Can = nothing;
  #hold: { readonly row: RowName; readonly at: number; leftAt?: number } | undefined;

  constructor(host: HostName, clock: Pick<Clock, 'now'>) {
    this.host = host;
    this.#clock = clock;
  }

  /**
   * Told at each call what the client declares; a call that comes while another is held open shows that the latter was left.
   */
  sees(can: Can | undefined, declared: readonly string[], hearsProgress: boolean | undefined): void {
    if (can) this.#can = can;
    this.declared = declared;
    this.hearsProgress = hearsProgress;
    const hold = this.#hold;
    if (hold && this.#clock.now() - hold.at > TOGETHER_MS) hold.leftAt ??= this.#clock.now();
  }

  /** The checks to try now. @param requested - by the caller; if absent, those without a finding that cost nothing */
  plan(requested: readonly CheckName[] | undefined): Plan {
    for (const check of [...this.#out.keys()]) this.settle(check, this.#lost(check));
    const requestedChecks = requested ?? this.left();
    return { checks: checkNames.filter(check => requestedChecks.includes(check) && this.#declared(check)) };
  }

  /** Declared, free of charge, and neither found nor open. */
  left(): readonly CheckName[] {
    return checkNames.filter(
      check =>
        check !== 'sampling' &&
        this.#declared(check) &&
        !this.#out.has(check) &&
        !rowsOf(check).every(row => this.#findings.has(row)),
    );
  }

  put(check: CheckName): void {
    this.#out.set(check, { at: this.#clock.now() });
  }

  /** How many milliseconds ago the check was started. */
  since(check: CheckName): number {
    return this.#clock.now() - (this.#out.get(check)?.at ?? this.#clock.now());
  }

  settle(check: CheckName, findings: ReadonlyMap<RowName, Finding>): void {
    this.#out.delete(check);
    for (const [row, each] of findings) this.#findings.set(row, each);
  }

  /** The call in progress has ended, was abandoned, or continues with the client's next request. */
  leave(): void {
    for (const out of this.#out.values()) out.leftAt = this.#clock.now();
  }

  /** Starts to hold a call open. @returns a function that ends it */
  hold(row: 'timeout' | 'timeout.progress'): (end: 'held' | 'cancelled') => void {
    const hold: { readonly row: RowName; readonly at: number; leftAt?: number } = { row, at: this.#clock.now() };
    this.#hold = hold;
    return how => {
      const end: HoldEnd = hold.leftAt === undefined ? { how } : { how: 'left', afterMs: hold.leftAt - hold.at };
      this.#findings.set(row, judgeHold(this.#clock.now() - hold.at, end));
      if (this.#hold === hold) this.#hold = undefined;
    };
  }

  /** Notes that the host does not ask for progress, so that nothing can be tried with it. */
  silent(): void {
    this.#findings.set(
      'timeout.progress',
      finding('not-declared', 0, 'The host gives no progress token with its calls.'),
    );
  }

  /** What is known about each line, in the order of the report. */
  findings(): ReadonlyMap<RowName, Finding> {
    const lost = new Map([...this.#out.keys()].flatMap(check => [...this.#lost(check)]));
    return new Map(rowNames.map(row => [row, this.#of(row, lost)]));
  }

  declares(row: RowName): boolean {
    return declares(this.#can, row);
  }

  #of(row: RowName, lost: ReadonlyMap<RowName, Finding>): Finding {
    const hold = this.#hold;
    if (hold?.row === row && hold.leftAt !== undefined)
      return judgeHold(0, { how: 'left', afterMs: hold.leftAt - hold.at });
    const current = lost.get(row) ?? this.#findings.get(row);
    if (current) return current;
    return this.declares(row) ? finding('not-tried', 0, '') : finding('not-declared', 0, '');
  }

  #declared(check: CheckName): boolean {
    return rowsOf(check).every(row => this.declares(row));
  }

  /** chart-C1 */
  #lost(check: CheckName): ReadonlyMap<RowName, Finding> {
    const { at, leftAt = at } = this.#out.get(check)!;
    const open = leftAt - at;
    const lostFinding =
      open < ROUND_MS
        ? finding('dropped', this.#clock.now() - at, 'It was put to the host, and no answer came back.')
        : finding('dropped', open, `The host gave the call up after ${duration(open)}, with the question open.`);
    return new Map(rowsOf(check).map(row => [row, lostFinding]));
  }
}
