/** `midcall rules`: lists the stored decisions, and revokes them. */
import { resolve } from 'node:path';
import { visible } from '@midcall/core/text';
import { type Rule, rulesFile } from '@midcall/host';
import type { Command } from 'commander';
import { configPath } from '../install/index.ts';
import { usage } from './usage.ts';

const subjects: Readonly<Record<Rule['subject'], string>> = {
  '*': 'everything',
  form: 'forms',
  url: 'pages to open',
  sampling: 'use of your model',
  roots: 'your folders',
};

/** Adds the subcommand. */
export function register(command: Command): void {
  command
    .option('--revoke <number>', 'revoke the rule with this number in the list')
    .option('--rules <file>', 'where they are kept', configPath('rules.json'))
    .action(async ({ revoke, rules: path }: { readonly revoke?: string; readonly rules: string }) => {
      const rulesInFile = rulesFile(resolve(path));
      const rules = await rulesInFile.read();
      if (revoke !== undefined) {
        const rule = /^[1-9]\d*$/.test(revoke) ? rules[Number(revoke) - 1] : undefined;
        if (!rule) throw usage(`There is no rule ${visible(revoke, { max: 20 })}. See: midcall rules`);
        await rulesInFile.drop(rule.id);
        process.stdout.write(`Revoked: ${said(rule)}\n`);
      } else if (rules.length === 0) process.stdout.write('No rules are stored: you are asked everything.\n');
      else process.stdout.write(rules.map((rule, at) => `${at + 1}  ${said(rule)}\n`).join(''));
    });
}

function said({ server, subject, effect, madeAt }: Rule): string {
  const who = server === '*' ? 'every server' : visible(server, { max: 80 });
  const since = new Date(madeAt).toISOString().slice(0, 10);
  return `${effect === 'refuse' ? 'refuse' : 'ask about'} ${subjects[subject]}: ${who} (since ${since})`;
}
