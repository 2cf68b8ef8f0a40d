/**
 * `midcall inboxes`: the people who have an inbox at a bridge or server, their passkeys, the record of what they were asked, and a copy of
 * it all. Contents are not shown.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { visible } from '@midcall/core/text';
import { minuteInUtc } from '@midcall/core/time';
import type { InboxStore, Passkey, Person, RecordFilter, ToldTarget } from '@midcall/inbox';
import type { Command } from 'commander';
import { inboxPlace } from './inbox-place.ts';
import { bridgeComplaint } from './serving-log.ts';
import { usage } from './usage.ts';

interface InboxesFlags {
  readonly inbox?: string;
}

interface RecordFlags extends InboxesFlags {
  readonly principal?: string;
  readonly server?: string;
  readonly from?: string;
  readonly to?: string;
  readonly verify?: boolean;
}

interface InviteFlags extends InboxesFlags {
  readonly publicUrl: string;
}

/** Adds the subcommands. */
export function register(command: Command): void {
  const of = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option(
        '--inbox <store>',
        'the SQLite file, or the postgres:// address, as the bridge has it (default: the usual file)',
      );

  of('people', 'list who has an inbox, when they last signed in, and how many questions are open').action(
    (flags: InboxesFlags) =>
      using(flags, async ({ people }) =>
        print((await people.list()).map(said).join('') || 'Nobody has an inbox yet.\n'),
      ),
  );
  of('notifications', 'list where people are told that a question waits, and what could not be delivered').action(
    (flags: InboxesFlags) =>
      using(flags, async ({ deliveries }) =>
        print((await deliveries.list()).map(toldWords).join('') || 'Nobody is told of questions.\n'),
      ),
  );
  of('remove', 'remove a person: their sessions and open questions end at once')
    .argument('<principal>', 'as listed by: midcall inboxes people')
    .action((principal: string, flags: InboxesFlags) =>
      using(flags, async ({ people }) => {
        await mustBe(people, principal);
        print((await people.remove(principal)) ? 'Removed.\n' : 'Already removed.\n');
      }),
    );
  of('admit', 'let a person who was removed sign in again')
    .argument('<principal>', 'as listed by: midcall inboxes people')
    .action((principal: string, flags: InboxesFlags) =>
      using(flags, async ({ people }) => {
        await mustBe(people, principal);
        print((await people.admit(principal)) ? 'Admitted.\n' : 'Nothing to do: this person was not removed.\n');
      }),
    );
  of('invite', 'print a link by which a person adds a passkey, once and within 24 hours')
    .argument('<principal>', 'as listed by: midcall inboxes people')
    .requiredOption('--public-url <url>', 'where people reach the inboxes, as the bridge or server has it')
    .action((principal: string, flags: InviteFlags) =>
      using(flags, async ({ people, passkeys }) => {
        const link = new URL('/inbox?passkeys', addressOf(flags.publicUrl));
        await mustBe(people, principal);
        // What is behind the address is never sent with it, so that nothing on the way writes it down.
        link.hash = await passkeys.invite(principal);
        print(`${link.href}\n`);
      }),
    );
  of('passkeys', 'list the passkeys of a person')
    .argument('<principal>', 'as listed by: midcall inboxes people')
    .action((principal: string, flags: InboxesFlags) =>
      using(flags, async ({ people, passkeys }) => {
        await mustBe(people, principal);
        print((await passkeys.list(principal)).map(saidPasskey).join('') || 'None.\n');
      }),
    );
  of('revoke', 'revoke a passkey, such as that of a lost device: it confirms nothing from then on')
    .argument('<principal>', 'as listed by: midcall inboxes people')
    .argument('<passkey>', 'as listed by: midcall inboxes passkeys')
    .action((principal: string, passkey: string, flags: InboxesFlags) =>
      using(flags, async ({ people, passkeys }) => {
        await mustBe(people, principal);
        const theirs = (await passkeys.list(principal)).find(({ id }) => id === passkey);
        if (!theirs)
          throw usage(
            `They have no passkey ${visible(passkey, { max: 300 })}. See: midcall inboxes passkeys ${visible(JSON.stringify(principal), { max: 300 })}`,
          );
        print((await passkeys.revoke(principal, passkey, 'administrator')) ? 'Revoked.\n' : 'Already revoked.\n');
      }),
    );
  of('record', 'print the record as JSON Lines: who was asked what kind of question when, and how it ended')
    .option('--principal <principal>', 'only of this person')
    .option('--server <name>', 'only of this server')
    .option('--from <time>', 'only from this time on, such as 2026-11-27 or 2026-11-27T10:00Z')
    .option('--to <time>', 'only up to this time')
    .option('--verify', 'check instead that no line was changed, removed or put elsewhere')
    .action((flags: RecordFlags) => using(flags, store => printRecord(store, flags)));
  of('backup', 'write a copy of inboxes in a SQLite file to another file, while bridges use it')
    .argument('<file>', 'where; it must not exist')
    .action((file: string, flags: InboxesFlags) =>
      using(flags, async store => {
        await store.backup(resolve(file));
        print('Written. Keep the key elsewhere: without it, the questions in the copy cannot be read.\n');
      }),
    );
}

const print = (text: string): void => void process.stdout.write(text);

async function using(flags: InboxesFlags, use: (store: InboxStore) => Promise<void>): Promise<void> {
  const where = inboxPlace(flags.inbox ?? true);
  if (!where.includes('://') && !existsSync(where))
    throw usage(`There are no inboxes in ${visible(where, { max: 300 })}. A bridge makes them, with --inbox.`);
  const { openInboxStore } = await import('@midcall/inbox');
  const store = await openInboxStore({ where, onError: bridgeComplaint });
  try {
    await use(store);
  } finally {
    await store.stop();
  }
}

async function mustBe(people: InboxStore['people'], principal: string): Promise<void> {
  if ((await people.list()).some(each => each.principal === principal)) return;
  throw usage(`Nobody is called ${visible(principal, { max: 300 })}. See: midcall inboxes people`);
}

/** @throws the error of a wrong use of the command */
function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || url.hostname === 'localhost')) return url;
  throw usage('--public-url must be an address such as https://mcp.example: browsers have no passkeys at others.');
}

function saidPasskey({ id, name, addedAt, usedAt, revokedAt }: Passkey): string {
  const parts = [
    `added ${minuteInUtc(addedAt)}`,
    usedAt === undefined ? 'never used' : `used ${minuteInUtc(usedAt)}`,
    ...(revokedAt === undefined ? [] : [`revoked ${minuteInUtc(revokedAt)}`]),
  ];
  return `${id}  ${visible(name, { max: 80 })}\n  ${parts.join(', ')}\n`;
}

function toldWords({ principal, by, toldAt, failedAt, failure }: ToldTarget): string {
  const parts = [
    by === 'push' ? 'a device' : 'the webhook',
    toldAt === undefined ? 'never told' : `told ${minuteInUtc(toldAt)}`,
    ...(failedAt === undefined ? [] : [`failed ${minuteInUtc(failedAt)}: ${visible(failure ?? '', { max: 300 })}`]),
  ];
  return `${visible(principal, { max: 300 })}\n  ${parts.join(', ')}\n`;
}

function said({ principal, name, seenAt, removedAt, open }: Person): string {
  const parts = [
    seenAt === undefined ? 'never signed in' : `signed in ${minuteInUtc(seenAt)}`,
    `${open} open`,
    ...(removedAt === undefined ? [] : [`removed ${minuteInUtc(removedAt)}`]),
  ];
  const called = name === undefined || principal.startsWith(`${name} (`) ? '' : `  ${visible(name, { max: 80 })}`;
  return `${visible(principal, { max: 300 })}${called}\n  ${parts.join(', ')}\n`;
}

async function printRecord({ record }: InboxStore, flags: RecordFlags): Promise<void> {
  if (flags.verify) {
    const verdict = await record.verify();
    if (verdict.ok) return print(`${verdict.lines} lines, and none was changed.\n`);
    process.exitCode = 1;
    return print(`The record was changed: line ${verdict.at} is not what was written, or is missing.\n`);
  }
  const { principal, server, from, to } = flags;
  const filter: RecordFilter = {
    ...(principal !== undefined && { principal }),
    ...(server !== undefined && { server }),
    ...(from !== undefined && { from: timeOf('--from', from) }),
    ...(to !== undefined && { to: timeOf('--to', to) }),
  };
  for await (const line of record.search(filter)) print(`${JSON.stringify(line)}\n`);
}

function timeOf(flag: string, text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw usage(`${flag} must be a time such as 2026-11-27 or 2026-11-27T10:00Z.`);
  return at;
}
