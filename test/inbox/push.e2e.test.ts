/** Telling people that a question waits, from SQLite and from Postgres. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { type PostgresServer, postgresFolder, startPostgres } from '../fixtures/postgres.ts';
import { notifyContract } from './notify-contract.ts';
import { service, stopServices } from './notify-stage.ts';
import { receiver } from './push-receiver.ts';
import { key } from './stage.ts';

let folder: string;
let made = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'midcall-push-'));
});
afterEach(async () => {
  await stopServices();
  rmSync(folder, { recursive: true, force: true });
});

notifyContract('SQLite', async () => {
  const where = join(folder, `${made++}.db`);
  return {
    where,
    async sql(statement) {
      for (;;) {
        const database = new Database(where);
        try {
          const each = database.prepare(statement);
          return (each.all() as object[]).map(row => Object.values(row).map(String));
        } catch (error) {
          if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
          await new Promise(resolve => setImmediate(resolve));
        } finally {
          database.close();
        }
      }
    },
    plan: async () => '',
  };
});

it('a person who looks at their inbox is told a minute later, and not at all if nothing waits then', async () => {
  await using to = await receiver();
  const a = await service(join(folder, 'a.db'), [to]);
  await a.signIn('ada');
  await a.inbox.store.deliveries.turnOn('ada', to.device().subscription);
  const { at, cookie } = await a.signIn('ada');
  const page = await a.inbox.pages(
    new Request(`http://localhost:8080/inbox/s/${at}/events`, {
      headers: { host: 'localhost:8080', cookie: `midcall-inbox=${cookie}` },
    }),
  );
  const reader = page!.body!.getReader();
  expect(a.inbox.isWatched('ada')).toBe(true);
  const { end } = await a.ask('ada');
  await a.pass(20_000);
  await end();
  await a.pass(100_000);
  expect(to.received).toEqual([]);
  await a.ask('ada');
  await a.pass(20_000);
  expect(to.received).toEqual([]);
  await a.pass(100_000);
  expect(to.received).toHaveLength(1);
  await reader.cancel();
});

/** A process of its own with the same inboxes. @returns it, once it has said the word */
async function child(where: string, host: string, does: 'ask' | 'tell'): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('./notify-child.mjs', import.meta.url));
  const started = spawn(process.execPath, [script, where, key.toString('hex'), host, does], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  for await (const line of createInterface({ input: started.stdout! })) if (line === 'ready') return started;
  throw new Error('It has ended.');
}

async function kill(process: ChildProcess): Promise<void> {
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

it('a notification that a killed process was to send is sent by another one', async () => {
  await using to = await receiver();
  const where = join(folder, 'killed.db');
  const a = await service(where, [to]);
  await a.signIn('ada');
  await a.inbox.store.deliveries.turnOn('ada', to.device().subscription);
  // It stores a question, and dies before it tells anybody.
  await kill(await child(where, to.host, 'ask'));
  expect(to.received).toHaveLength(0);
  a.look();
  await eventually(() => to.received.length === 1);
});

it('a notification that a process was sending when it was killed is sent again by another one a minute later', async () => {
  await using to = await receiver();
  const where = join(folder, 'telling.db');
  const a = await service(where, [to]);
  await a.signIn('ada');
  await a.inbox.store.deliveries.turnOn('ada', to.device().subscription);
  // The push service has it, and does not say so. The clock of this process stands still.
  to.does = () => {};
  const teller = await child(where, to.host, 'tell');
  await a.ask('ada');
  await eventually(() => to.received.length === 1);
  await kill(teller);
  to.does = undefined;
  for (let s = 0; s < 50; s += 5) {
    a.look();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(resolve => setImmediate(resolve));
  }
  expect(to.received).toHaveLength(1);
  await eventually(() => {
    a.clock.advance(1_000);
    return to.received.length === 2;
  });
});

describe.skipIf(!postgresFolder)('Postgres', () => {
  let server: PostgresServer;
  const clients: pg.Client[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await Promise.all(clients.map(client => client.end()));
    await server.remove();
  });

  notifyContract('Postgres', async () => {
    const where = server.database();
    const client = new pg.Client(where);
    clients.push(client);
    await client.connect();
    return {
      where,
      async sql(statement) {
        const { rows } = await client.query(statement);
        return rows.map(row => Object.values(row as object).map(String));
      },
      plan: async () => '',
    };
  });

  it('a notification that another process told while it was being claimed is not claimed again', async () => {
    await using to = await receiver();
    const where = server.database();
    const { inbox, signIn, ask, clock } = await service(where, [to]);
    await signIn('ada');
    await inbox.store.deliveries.turnOn('ada', to.device().subscription);
    await ask('ada');
    const [teller, watcher] = [new pg.Client(where), new pg.Client(where)];
    clients.push(teller, watcher);
    await Promise.all([teller.connect(), watcher.connect()]);
    // It is read before another process has told it, and written after.
    await teller.query('begin');
    await teller.query('update inbox_targets set claimed_until = 1');
    const claiming = inbox.store.deliveries.claim([], false);
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await eventually(async () => (await watcher.query(waiting)).rowCount! > 0);
    await teller.query('update inbox_targets set claimed_until = 0, told_line = last_line, due_at = $1', [
      clock.now() + 60_000,
    ]);
    await teller.query('commit');
    expect(await claiming).toEqual([]);
  });
});
