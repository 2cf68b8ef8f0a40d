/** `midcall admin`: the calls that wait in a store of servers, and how one is ended. Contents are not shown. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMidcallError, MidcallError, needed } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { visible } from '@midcall/core/text';
import { midcall, type WaitingCall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { redisStore } from '@midcall/server/stores/redis';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { type Command, Option } from 'commander';
import { hasKey, must, usage } from './usage.ts';

const waits: Readonly<Partial<Record<WaitingCall['waitsFor'], string>>> = {
  answer: 'an answer in the host',
  page: 'an answer on a page',
  approvers: 'an answer in an inbox',
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
      must(
        hasKey(),
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

/** A store, and how to close it. */
interface OpenedStore {
  readonly store: Store;
  readonly close: () => void;
}

/** How many milliseconds connecting to Redis may take. */
const CONNECT_MS = 10_000;

/**
 * Opens a SQLite file, or a Redis by its address, which is never written anywhere.
 * @param where - a path, or `redis://…` or `rediss://…`
 * @param prefix - of the keys in Redis, if the servers have set one
 * @throws MidcallError `cli/usage` if there is no such file, or the address is wrong; `server/setup` if `ioredis` is missing;
 *   `store/unavailable` if Redis cannot be reached
 */
async function openStore(where: string, prefix: string | undefined): Promise<OpenedStore> {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//iu.exec(where)?.[1]?.toLowerCase();
  if (scheme !== undefined) return openRedis(where, scheme, prefix);
  if (prefix !== undefined) throw usage('--prefix goes with a store in Redis.');
  const path = resolve(where);
  if (!existsSync(path)) throw usage(`There is no store ${visible(where, { max: 200 })}.`);
  const store = await sqliteStore(path);
  return { store, close: () => store.close() };
}

async function openRedis(address: string, scheme: string, prefix: string | undefined): Promise<OpenedStore> {
  if (scheme !== 'redis' && scheme !== 'rediss')
    throw usage(`--store must be a file, or an address that begins with redis:// or rediss://; got ${scheme}://.`);
  // Errors about an address do not repeat it, since it may contain a password.
  if (!URL.canParse(address))
    throw usage('--store is not a valid address. It must look like redis://user:password@host:6379/0.');
  const { Redis } = await needed('midcall admin with a store in Redis', 'ioredis', () => import('ioredis'));
  const client = new Redis(address, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: unknown;
  client.on('error', error => {
    problem = error;
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    const { hostname, port } = new URL(address);
    throw new MidcallError(
      'store/unavailable',
      `Redis at ${visible(hostname, { max: 200 })}:${port || '6379'} cannot be reached${reason(problem ?? error)}. ` +
        'Check the address, the user and the password, and that it runs.',
    );
  }
  const send = ([command, ...args]: readonly [string, ...string[]]): Promise<unknown> => client.call(command, ...args);
  const store = redisStore({ send, ...(prefix !== undefined && { prefix }) });
  return { store, close: () => client.disconnect() };
}

/** The code of an error, or the word with which a reply of Redis begins; its text may quote the command. */
function reason(error: unknown): string {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const word = typeof code === 'string' ? code : /^[A-Z]+(?= )/u.exec(String(message))?.[0];
  return word === undefined ? '' : ` (${visible(word, { max: 40 })})`;
}
