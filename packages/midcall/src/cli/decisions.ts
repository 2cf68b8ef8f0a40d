/** `midcall decisions`: lists the stored decisions, and revokes them. */
import { resolve } from 'node:path';
import { visible } from '@midcall/core/text';
import { type Decision, decisionsFile } from '@midcall/host';
import type { Command } from 'commander';
import { configPath } from '../install/index.ts';
import { usage } from './usage.ts';

const subjects: Readonly<Record<Decision['subject'], string>> = {
  '*': 'everything',
  form: 'forms',
  url: 'pages to open',
  sampling: 'use of your model',
  roots: 'your folders',
};

/** Adds the subcommand. */
export function register(command: Command): void {
  command
    .option('--revoke <number>', 'revoke the decision with this number in the list')
    .option('--decisions <file>', 'where they are kept', configPath('decisions.json'))
    .action(async ({ revoke, decisions: path }: { readonly revoke?: string; readonly decisions: string }) => {
      const decisionsInFile = decisionsFile(resolve(path));
      const decisions = await decisionsInFile.read();
      if (revoke !== undefined) {
        const decision = /^[1-9]\d*$/.test(revoke) ? decisions[Number(revoke) - 1] : undefined;
        if (!decision) throw usage(`There is no decision ${visible(revoke, { max: 20 })}. See: midcall decisions`);
        await decisionsInFile.drop(decision.id);
        process.stdout.write(`Revoked: ${said(decision)}\n`);
      } else if (decisions.length === 0) process.stdout.write('No decisions are stored: you are asked everything.\n');
      else process.stdout.write(decisions.map((decision, at) => `${at + 1}  ${said(decision)}\n`).join(''));
    });
}

function said({ server, subject, effect, madeAt }: Decision): string {
  const who = server === '*' ? 'every server' : visible(server, { max: 80 });
  const since = new Date(madeAt).toISOString().slice(0, 10);
  return `${effect === 'refuse' ? 'refuse' : 'ask about'} ${subjects[subject]}: ${who} (since ${since})`;
}
