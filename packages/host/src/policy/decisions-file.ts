/**
 * Standing decisions that outlast a session, in a file that only their owner can read.
 *
 * - decisions-K1 A stored decision only ever refuses or asks: an `allow` ends with its session, so no file can grant a server anything.
 * - decisions-K2 A decision is stored for what a server is (its command line or URL, as a digest), not for its name.
 * - decisions-K3 Each change is read, made and written under a lock, so that two processes lose none of theirs.
 * - decisions-K4 What another process stores or revokes applies from the next judgement on; a file that can no longer be parsed
 *   changes nothing.
 */
import { MidcallError } from '@midcall/core/errors';
import { followFile, ownerFile } from '../files/index.ts';
import type { Decision } from './judge.ts';

/** Decisions that are kept. */
export interface DecisionStorage {
  /** @throws MidcallError `cli/usage` for a file that cannot be parsed: do not continue then */
  read(): Promise<readonly Decision[]>;
  /**
   * The stored decisions as they are now: the same list object until the file changes. For {@link PolicyOptions.sharedDecisions}.
   * @throws MidcallError `cli/usage` if the first look finds a file that cannot be understood
   */
  current(): readonly Decision[];
  /**
   * Keeps a decision of scope `always`, in place of one about the same server and subject.
   * @throws MidcallError `host/refused` for a decision that allows, or that expires
   */
  keep(decision: Decision): Promise<void>;
  /** @returns false if none has this id */
  drop(id: string): Promise<boolean>;
}

interface DecisionsFileContent {
  readonly decisions: readonly Decision[];
}

const mostDecisions = 1_000;
const subjects: readonly unknown[] = ['*', 'form', 'url', 'sampling', 'roots'];
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 500;

function isDecision(value: unknown): value is Decision {
  const { id, server, origin, subject, effect, scope, until, madeAt } = (value ?? {}) as Partial<Decision>;
  const aboutOne = server === '*' ? origin === undefined : typeof origin === 'string' && /^[0-9a-f]{64}$/.test(origin);
  const stricter = effect === 'refuse' || effect === 'ask';
  const forEver = scope === 'always' && until === undefined && Number.isFinite(madeAt);
  return isText(id) && isText(server) && aboutOne && subjects.includes(subject) && stricter && forEver;
}

function isDecisionsFile(value: unknown): value is DecisionsFileContent {
  const decisions = (value as Partial<DecisionsFileContent> | null)?.decisions;
  return Array.isArray(decisions) && decisions.length <= mostDecisions && decisions.every(isDecision);
}

/** One command, or every server. */
const sameTarget = (a: Decision, b: Decision): boolean => a.subject === b.subject && a.origin === b.origin;

/** Who is told. */
export interface DecisionsFileOptions {
  /** Called when the file can no longer be parsed; the decisions read before still apply. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Keeps decisions in a JSON file.
 * @example
 * ```ts
 * const decisions = decisionsFile('/home/ada/.config/my-host/decisions.json');
 * for (const { id, server, effect } of await decisions.read()) console.log(id, server, effect);
 * ```
 */
export function decisionsFile(path: string, { onError = () => {} }: DecisionsFileOptions = {}): DecisionStorage {
  const file = ownerFile(path, 'a list of decisions', isDecisionsFile);
  const read = async (): Promise<readonly Decision[]> => (await file.read())?.decisions ?? [];
  const current = followFile(path, () => file.readNow()?.decisions ?? [], onError);
  const change = (make: (decisions: readonly Decision[]) => readonly Decision[]): Promise<void> =>
    file.change(stored => {
      const before = stored?.decisions ?? [];
      const after = make(before);
      return after === before ? undefined : { decisions: after };
    });
  return {
    read,
    current,
    async keep(decision) {
      if (!isDecision(decision))
        throw new MidcallError(
          'host/refused',
          'Only a decision that refuses or asks, until you revoke it, can be kept.',
        );
      await change(decisions => [...decisions.filter(each => !sameTarget(each, decision)), decision]);
    },
    async drop(id) {
      let existed = false;
      await change(decisions => {
        const left = decisions.filter(decision => decision.id !== id);
        existed = left.length < decisions.length;
        return existed ? left : decisions;
      });
      return existed;
    },
  };
}
