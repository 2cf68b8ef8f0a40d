/**
 * The operator's rules about calls as they apply now: as options, or from a file.
 *
 * - rules-F1 A file that cannot be understood at the start is an error; one that becomes so changes nothing, which is said loudly.
 */

import { readFileSync } from 'node:fs';
import { isMidcallError, MidcallError, messageOf } from '@midcall/core/errors';
import { checkOptions, flag, func, having, type Kinds, required } from '@midcall/core/options';
import { followFile } from '../files/index.ts';
import { type ConsentStorage, consentMemory } from './consent-storage.ts';
import { type CallVerdict, type JudgedCall, judgeCall, type OnRule, readsAnnotations } from './judge-call.ts';
import { isForInbox, type Rule, readRules } from './rule.ts';

/** Options of rules. */
export interface RulesOptions {
  /** The rules, or a function that returns those that apply now, such as `rulesFile(…)`. */
  readonly rules: readonly Rule[] | (() => readonly Rule[]);
  /** True to ask about no call and refuse none; what the rules would have done is recorded. */
  readonly observe?: boolean;
  /** Called with what the rules would have done with a call, as a sentence, if they are only observed. */
  readonly onObserved?: (says: string) => void;
  /** True if the host puts questions into inboxes, where others than the requester answer; without it, such a rule is an error. */
  readonly approvers?: boolean;
  /** Keeps what outlives a process of the person's consent, such as `consentFile(…)`; nothing does if absent. */
  readonly consent?: ConsentStorage;
}

const needsInbox = 'asks people in their inboxes, which only a bridge with --inbox has.';

const kinds: Kinds<RulesOptions> = {
  rules: required({
    words: 'a list of rules, or a function that returns one, such as rulesFile(path)',
    fits: value => Array.isArray(value) || typeof value === 'function',
  }),
  observe: flag,
  onObserved: func,
  approvers: flag,
  consent: having('what keeps the consent, such as consentFile(path)', 'current', 'change'),
};

/**
 * Rules about calls, for any number of connections of one host.
 * @example
 * ```ts
 * const rules = new Rules({ rules: [{ server: 'notes', tools: ['notes_delete'], effect: 'ask' }] });
 * const connection = new Connection(entry, { client: about, inbox, rules });
 * ```
 */
export class Rules {
  /** True if calls are only observed. */
  readonly observes: boolean;
  /** Told what the rules would have done. */
  readonly onObserved: (says: string) => void;
  /** What is stored of the person's consent. */
  readonly consent: ConsentStorage;
  readonly #current: () => readonly Rule[];
  readonly #hasInbox: boolean;

  /**
   * @throws TypeError for an option that is unknown or not what it may be; MidcallError `cli/usage` for a rule that is wrong
   */
  constructor(options: RulesOptions) {
    checkOptions('new Rules', options, kinds);
    const { rules, observe = false, onObserved = () => {}, approvers = false, consent = consentMemory() } = options;
    const list = typeof rules === 'function' ? undefined : readRules(rules);
    this.#current = list ? () => list : (rules as () => readonly Rule[]);
    this.observes = observe;
    this.onObserved = onObserved;
    this.consent = consent;
    // A file that is wrong is found at the start.
    const at = this.#current().findIndex(isForInbox);
    if (at >= 0 && !approvers) throw new MidcallError('cli/usage', `Rule ${at + 1} ${needsInbox}`);
    this.#hasInbox = approvers;
  }

  /** The verdict on a call now. @param onRule - told of each rule that was looked at */
  judge(call: JudgedCall, onRule?: OnRule): CallVerdict {
    const verdict = judgeCall(this.#current(), call, onRule);
    // A file may have changed since the start.
    if (this.#hasInbox || !verdict.rule || !isForInbox(verdict.rule)) return verdict;
    return { ...verdict, effect: 'refuse', why: `${verdict.why}, and it ${needsInbox}` };
  }

  /** True if verdicts on calls of a server may depend on what it says of its tools. */
  readsAnnotations(server: string): boolean {
    return readsAnnotations(this.#current(), server);
  }
}

/** How a file of rules is read. */
export interface RulesFileOptions {
  /** True if there may be none, as if it had no rules. */
  readonly optional?: boolean;
  /** Called when the file has changed and can no longer be understood; the rules read before still apply. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Follows a JSON file of rules.
 * @returns reads the rules that apply now; for `new Rules({ rules })`. It throws MidcallError `cli/usage` if the first look
 *   finds a file that cannot be understood
 * @example
 * ```ts
 * const rules = new Rules({ rules: rulesFile('/home/ada/.config/my-host/rules.json') });
 * ```
 */
export function rulesFile(path: string, { optional = false, onError = () => {} }: RulesFileOptions = {}) {
  let found = false;
  const read = (): readonly Rule[] => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (cause) {
      const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
      // A file that was there and is gone must not take its rules along.
      if (optional && !found && isMissing) return [];
      const why = isMissing ? ': there is no such file' : '';
      throw new MidcallError('cli/usage', `The rules in ${path} cannot be read${why}.`, { cause });
    }
    found = true;
    try {
      return readRules(JSON.parse(text));
    } catch (cause) {
      const why = isMidcallError(cause) ? cause.message : 'It is not JSON.';
      throw new MidcallError('cli/usage', `The rules in ${path} cannot be used. ${why}`, { cause });
    }
  };
  return followFile(path, read, error => {
    const why = messageOf(error);
    onError(new MidcallError('cli/usage', `RULES NOT CHANGED. ${why} The rules read before still apply.`));
  });
}
