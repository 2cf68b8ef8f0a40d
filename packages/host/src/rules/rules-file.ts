/**
 * The operator's rules in a file.
 *
 * - rules-F1 A file that cannot be understood at the start is an error; one that becomes so changes nothing, which is said loudly.
 */
import { readFileSync } from 'node:fs';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { followFile } from '../files/index.ts';
import { type Rule, readRules } from './rule.ts';

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
      // A file that was there and is gone must not take its rules along.
      if (optional && !found && (cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new MidcallError('cli/usage', `The rules in ${path} cannot be read.`, { cause });
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
    const why = error instanceof Error ? error.message : String(error);
    onError(new MidcallError('cli/usage', `RULES NOT CHANGED. ${why} The rules read before still apply.`));
  });
}
