/** `midcall admin`: the calls that wait in a store of servers, and how one is ended. Contents are not shown. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { visible } from '@midcall/core/text';
import { midcall, type WaitingCall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import type { Command } from 'commander';
import { usage } from './usage.ts';

const waits: Readonly<Record<WaitingCall['waitsFor'], string>> = {
  answer: 'an answer in the host',
  page: 'an answer on a page',
  resume: 'the model to call resume',
  work: 'its own work',
};

/** Adds the subcommand. */
export function register(command: Command): void {
  command
    .requiredOption('--store <file>', 'the SQLite file in which the servers keep calls')
    .option('--cancel <id>', 'end the call of this id')
    .action(async ({ store: path, cancel }: { readonly store: string; readonly cancel?: string }) => {
      if (!existsSync(resolve(path))) throw usage(`There is no store ${visible(path, { max: 200 })}.`);
      if (!process.env['MIDCALL_KEY'] && !process.env['MIDCALL_KEY_FILE'])
        throw usage('What waits is sealed. Set MIDCALL_KEY or MIDCALL_KEY_FILE to the key of the servers.');
      const store = await sqliteStore(resolve(path));
      try {
        const mid = midcall({ store, pages: connect({ name: 'midcall admin' }) });
        if (cancel === undefined) process.stdout.write(table(await mid.calls()));
        else if (await mid.cancel(cancel)) process.stdout.write('Ended.\n');
        else throw usage('No such call waits any more. See: midcall admin --store <file>');
      } finally {
        store.close();
      }
    });
}

function table(calls: readonly WaitingCall[]): string {
  if (calls.length === 0) return 'No calls wait.\n';
  return calls
    .map(({ id, kind, name, principal, waitsFor, since }) => {
      const who = principal ? `, for ${visible(principal.subject, { max: 80 })}` : '';
      const when = new Date(since).toISOString();
      return `${id}\n  ${visible(name, { max: 80 })}${who}: a ${kind} that waits for ${waits[waitsFor]}, since ${when}\n`;
    })
    .join('');
}
