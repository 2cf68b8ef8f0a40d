/**
 * Standing decisions that outlast a session, in a file that only their owner can read.
 *
 * - rules-K1 A stored rule only ever refuses or asks: an `allow` ends with its session, so no file can grant a server anything.
 * - rules-K2 A rule is stored for what a server is (its command line or URL, as a digest), not for its name.
 * - rules-K3 Each change is read, made and written under a lock, so that two processes lose none of theirs.
 * - rules-K4 What another process stores or revokes applies from the next judgement on; a file that can no longer be parsed
 *   changes nothing.
 */
import { statSync } from 'node:fs';
import { MidcallError } from '@midcall/core/errors';
import { ownerFile } from '../files/index.ts';
import type { Rule } from './judge.ts';

/** Rules that are kept. */
export interface RuleStorage {
  /** @throws MidcallError `cli/usage` for a file that cannot be parsed: do not continue then */
  read(): Promise<readonly Rule[]>;
  /**
   * The stored rules as they are now: the same list object until the file changes. For {@link PolicyOptions.sharedRules}.
   * @throws MidcallError `cli/usage` if the first look finds a file that cannot be understood
   */
  current(): readonly Rule[];
  /**
   * Keeps a rule of scope `always`, in place of one about the same server and subject.
   * @throws MidcallError `host/refused` for a rule that allows, or that expires
   */
  keep(rule: Rule): Promise<void>;
  /** @returns false if none has this id */
  drop(id: string): Promise<boolean>;
}

interface RulesFileContent {
  readonly rules: readonly Rule[];
}

const mostRules = 1_000;
const subjects: readonly unknown[] = ['*', 'form', 'url', 'sampling', 'roots'];
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 500;

function isRule(value: unknown): value is Rule {
  const { id, server, origin, subject, effect, scope, until, madeAt } = (value ?? {}) as Partial<Rule>;
  const aboutOne = server === '*' ? origin === undefined : typeof origin === 'string' && /^[0-9a-f]{64}$/.test(origin);
  const stricter = effect === 'refuse' || effect === 'ask';
  const forEver = scope === 'always' && until === undefined && Number.isFinite(madeAt);
  return isText(id) && isText(server) && aboutOne && subjects.includes(subject) && stricter && forEver;
}

function isKept(value: unknown): value is RulesFileContent {
  const rules = (value as Partial<RulesFileContent> | null)?.rules;
  return Array.isArray(rules) && rules.length <= mostRules && rules.every(isRule);
}

/** Identifies one state of a file; every write makes a new file. */
function markOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** One command, or every server. */
const sameTarget = (a: Rule, b: Rule): boolean => a.subject === b.subject && a.origin === b.origin;

/** Who is told. */
export interface RulesFileOptions {
  /** Called when the file can no longer be parsed; the rules read before still apply. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Keeps rules in a JSON file.
 * @example
 * ```ts
 * const rules = rulesFile('/home/ada/.config/my-host/rules.json');
 * for (const { id, server, effect } of await rules.read()) console.log(id, server, effect);
 * ```
 */
export function rulesFile(path: string, { onError = () => {} }: RulesFileOptions = {}): RuleStorage {
  const file = ownerFile(path, 'a list of rules', isKept);
  let last: Promise<unknown> = Promise.resolve();
  let cached: { readonly mark: string; readonly rules: readonly Rule[] } | undefined;
  const read = async (): Promise<readonly Rule[]> => (await file.read())?.rules ?? [];
  const current = (): readonly Rule[] => {
    const mark = markOf(path);
    if (cached?.mark === mark) return cached.rules;
    try {
      cached = { mark, rules: file.readNow()?.rules ?? [] };
    } catch (error) {
      if (!cached) throw error;
      cached = { mark, rules: cached.rules };
      onError(error);
    }
    return cached.rules;
  };
  /** Makes one change after the other. */
  const change = <T>(make: (rules: readonly Rule[]) => { readonly rules: readonly Rule[]; readonly result: T }) => {
    const next = last.then(async () => {
      let outcome: T;
      await file.change(stored => {
        const before = stored?.rules ?? [];
        const { rules, result } = make(before);
        outcome = result;
        return rules === before ? undefined : { rules };
      });
      return outcome!;
    });
    last = next.catch(() => {});
    return next;
  };
  return {
    read,
    current,
    async keep(rule) {
      if (!isRule(rule))
        throw new MidcallError('host/refused', 'Only a rule that refuses or asks, until you revoke it, can be kept.');
      await change(rules => ({ rules: [...rules.filter(each => !sameTarget(each, rule)), rule], result: undefined }));
    },
    drop: id =>
      change(rules => {
        const left = rules.filter(rule => rule.id !== id);
        return left.length === rules.length ? { rules, result: false } : { rules: left, result: true };
      }),
  };
}
