/** `midcall admin`: the calls that wait in a store of servers, and how one is ended. Contents are not shown. */
import { isMidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { midcall, type WaitingCall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { type Command, Option } from 'commander';
import { openStore } from './admin-store.ts';
import { usage } from './usage.ts';

const waits: Readonly<Partial<Record<WaitingCall['waitsFor'], string>>> = {
  answer: 'an answer in the host',
  page: 'an answer on a page',
  resume: 'the model to call resume',
  work: 'its own work',
};

interface AdminFlags {
  readonly store: string;
  readonly prefix?: string;
  readonly cancel?: string;
}

/** Adds the subcommand. */
export function register(command: Command): void {
  command
    .addOption(
      new Option('--store <store>', 'the SQLite file, or the redis:// address, in which the servers keep calls')
        .env('MIDCALL_STORE')
        .makeOptionMandatory(),
    )
    .option('--prefix <text>', 'what their keys in Redis begin with (default: "midcall:")')
    .option('--cancel <id>', 'end the call of this id')
    .action(async ({ store: where, prefix, cancel }: AdminFlags) => {
      if (!process.env['MIDCALL_KEY'] && !process.env['MIDCALL_KEY_FILE'])
        throw usage(
          'The calls that wait are encrypted. Set MIDCALL_KEY or MIDCALL_KEY_FILE to the key of the servers.',
        );
      if (where === '') throw usage('--store must be a file, or an address that begins with redis:// or rediss://.');
      const { store, close } = await openStore(where, prefix).catch((error: unknown) => {
        // It was named on the command line, and nothing of ours failed.
        throw isMidcallError(error, 'store/corrupt') ? usage(error.message, { cause: error }) : error;
      });
      try {
        const mid = midcall({ store, pages: connect({ name: 'midcall admin' }) });
        if (cancel === undefined) process.stdout.write(table(await mid.calls()));
        else if (await mid.cancel(cancel)) process.stdout.write('Ended.\n');
        else throw usage('That call is no longer waiting. Leave out --cancel to list those that are.');
      } catch (error) {
        if (!isMidcallError(error, 'store/corrupt')) throw error;
        throw usage('The key does not open the calls that wait in this store. Set MIDCALL_KEY to that of its servers.');
      } finally {
        close();
      }
    });
}

function table(calls: readonly WaitingCall[]): string {
  if (calls.length === 0) return 'No calls wait.\n';
  return calls
    .map(({ id, kind, name, principal, waitsFor, since }) => {
      const who = principal ? `, for ${visible(principal.subject, { max: 80 })}` : '';
      const when = new Date(since).toISOString();
      return `${id}\n  ${visible(name, { max: 80 })}${who}: a ${kind} that waits for ${waits[waitsFor] ?? `an answer by ${waitsFor}`}, since ${when}\n`;
    })
    .join('');
}
