/** The rules about calls that a command line names. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { type ConsentStorage, consentFile, type Rule, Rules, rulesFile } from '@midcall/host';
import type { Command } from 'commander';
import { configPath } from '../install/index.ts';

/** The parsed options. */
export interface RulesFlags {
  readonly rules?: string;
  readonly observe?: boolean;
}

/** Adds the options to a command. */
export const addRulesFlags = (command: Command): Command =>
  command
    .option(
      '--rules <file>',
      `rules about calls: which are made, which are refused, and which you are asked about first (default: ${configPath('rules.json')}, if it exists)`,
    )
    .option('--observe', 'ask about no call and refuse none; say what the rules would have done');

/** The person's consent to calls, for every command. */
export const storedConsent = (): ConsentStorage => consentFile(configPath('consent.json'));

/** The rule of `--ask destructive`: it trusts what the server says of its tools. */
const askDestructive = (server: string): readonly Rule[] => [
  { server, tools: { annotated: 'not-destructive' }, effect: 'allow' },
  { server, tools: '*', effect: 'ask' },
];

/** What a command has besides its options. */
interface RulesParts {
  /** The server that `--ask destructive` is given for, if it is. */
  readonly ask?: string | undefined;
  /** True if the command has inboxes, where others than the requester answer. */
  readonly approvers?: boolean;
}

/**
 * @param say - tells the person what they should know at the start, and of a file that can no longer be understood
 * @returns undefined if there are none
 * @throws MidcallError `cli/usage` for a file that cannot be understood
 */
export function callRules(
  { rules: named, observe = false }: RulesFlags,
  say: (line: string) => void,
  { ask, approvers = false }: RulesParts = {},
): Rules | undefined {
  const path = resolve(named ?? configPath('rules.json'));
  const hasFile = named !== undefined || existsSync(path);
  if (!hasFile && ask === undefined) return undefined;
  const stored = hasFile ? rulesFile(path, { onError: error => say(messageOf(error)) }) : () => [];
  const more = ask === undefined ? [] : askDestructive(ask);
  if (observe) say('The rules are only observed: no call is held, and none is refused.');
  else if (ask !== undefined)
    say(
      `You are asked before each call of '${visible(ask, { max: 100 })}', except of tools that it calls read-only or not ` +
        'destructive: what it says of its tools is trusted.',
    );
  return new Rules({
    rules: () => [...stored(), ...more],
    observe,
    onObserved: say,
    approvers,
    consent: storedConsent(),
  });
}
