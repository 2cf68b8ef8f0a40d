/**
 * Standing decisions that outlast a session, in a file of their owner's alone.
 *
 * - rules-K1 What is kept only ever refuses or asks: an `allow` ends with its session, so no file can let a server in.
 * - rules-K2 A rule is kept for what a server is (its command line or URL, as a digest), not for what it is called.
 * - rules-K3 Each change is read, made and written by itself, so that two processes keep both of theirs.
 * - rules-K4 What another process keeps or takes back holds from the next judgement on; a file that cannot be understood any
 *   more changes nothing.
 */
import { statSync } from 'node:fs';
import { MidcallError } from '@midcall/core/errors';
import { ownerFile } from '../files/owner-file.ts';
import type { Rule } from './judge.ts';

/** Rules that are kept. */
export interface KeptRules {
  /** @throws MidcallError `cli/usage` for a file that cannot be understood: go no further then */
  read(): Promise<readonly Rule[]>;
  /**
   * The rules as they are kept now: the same list until the file is another. For {@link PolicyOptions.kept}.
   * @throws MidcallError `cli/usage` if the first look finds a file that cannot be understood
   */
  current(): readonly Rule[];
  /**
   * Keeps a rule of scope `always`, in place of one about the same server and subject.
   * @throws MidcallError `host/refused` for one that allows, or ends by itself
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

/** Tells one state of a file from another; every write makes a new file. */
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
  /** Told when the file cannot be understood any more; what was read before still holds. */
  readonly onError?: (error: unknown) => void;
}

/** Keeps rules in a JSON file. */
export function rulesFile(path: string, { onError = () => {} }: RulesFileOptions = {}): KeptRules {
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
  /** One change after the other. */
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
