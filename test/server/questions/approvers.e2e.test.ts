/** A question to approvers under `kill -9` of the server that asked it: asked once, answered once. Needs the build. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sqliteStore } from '@midcall/server/stores/sqlite';
import { eras } from '@midcall/testing';
import { afterEach, expect, it } from 'vitest';
import { inSoak } from '../../fixtures/soak.ts';
import { storedInbox } from '../../fixtures/stored-inbox.mjs';

const script = fileURLToPath(new URL('../../fixtures/approval-crash-server.mjs', import.meta.url));
const outcome = 'paid, as ben and eve agreed';

interface Result {
  readonly taskId?: string;
  readonly status?: string;
  readonly statusMessage?: string;
  readonly content?: readonly { readonly text: string }[];
  readonly result?: Result;
}

/** One process; every request resolves to nothing if it was killed first. */
class Server {
  readonly #child: ChildProcess;
  readonly gone: Promise<undefined>;
  readonly #waiting = new Map<number, (result: Result) => void>();
  readonly #era: string;
  readonly #tasks: boolean;
  #id = 0;
  isGone = false;

  constructor(folder: string, { era = '2026-07-28', killAt = 0, tasks = true } = {}) {
    this.#era = era;
    this.#tasks = tasks;
    this.#child = spawn(process.execPath, [script, folder], {
      env: {
        ...process.env,
        KILL_AT: String(killAt),
        ...(tasks && { TASK: killAt % 2 === 0 ? 'always' : 'when-needed' }),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.gone = new Promise(resolve =>
      this.#child.once('exit', () => {
        this.isGone = true;
        resolve(undefined);
      }),
    );
    this.#child.stdin!.on('error', () => {});
    createInterface(this.#child.stdout!).on('line', line => {
      const { id, result, error } = JSON.parse(line);
      this.#waiting.get(id)?.(result ?? { content: [{ text: error?.message }] });
    });
  }

  async request(method: string, params: object): Promise<Result | undefined> {
    this.#id += 1;
    const id = this.#id;
    const replied = new Promise<Result>(resolve => this.#waiting.set(id, resolve));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': this.#tasks
        ? { extensions: { 'io.modelcontextprotocol/tasks': {} } }
        : {},
    };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, ...(this.#era === '2026-07-28' && { _meta }) } };
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
    return Promise.race([replied, this.gone]);
  }

  /** Begins a session of 2025-11-25. */
  async hello(): Promise<void> {
    const clientInfo = { name: 'bare', version: '1.0.0' };
    await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.gone;
  }
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A folder of a server, and the people who answer there. */
async function place() {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-approvals-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const store = await sqliteStore(join(folder, 'inbox.sqlite'), { lockTimeoutMs: 30_000, sync: 'normal' });
  closers.push(() => store.close());
  const inbox = storedInbox(store);
  const lines = (name: string): readonly string[] => {
    const file = join(folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  };
  return { folder, inbox, asked: () => lines('asked'), paid: () => lines('paid') };
}

const turn = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

it.each(eras)(
  'a question to approvers is asked and answered once, though the server is killed as it waits with a ticket, on %s',
  async era => {
    const { folder, inbox, asked, paid } = await place();
    const start = async (): Promise<Server> => {
      const server = new Server(folder, { era, tasks: false });
      closers.push(() => server.kill());
      if (era === '2025-11-25') await server.hello();
      return server;
    };
    const textOf = (result: Result | undefined): string => result?.content?.[0]?.text ?? '';
    const ticketIn = (text: string) => ({ name: 'resume', arguments: { ticket: /ticket "([^"]+)"/.exec(text)?.[1] } });

    const first = await start();
    const text = textOf(await first.request('tools/call', { name: 'pay', arguments: {} }));
    await first.kill();
    await inbox.vote(asked()[0]!, 'ben', { value: true });
    const second = await start();
    const again = textOf(await second.request('tools/call', ticketIn(text)));
    expect(again).toContain('1 has answered');
    await second.kill();
    await inbox.vote(asked()[0]!, 'eve', { value: true });
    const third = await start();
    expect(textOf(await third.request('tools/call', ticketIn(again)))).toBe(outcome);
    expect([asked().length, paid().length]).toEqual([1, 1]);
  },
);

it('a question to approvers is asked and answered once, wherever the server of its task is killed', async () => {
  let kills = 0;
  for (let killAt = 1; ; killAt += inSoak(1, 5)) {
    const { folder, inbox, asked, paid } = await place();
    const first = new Server(folder, { killAt });
    closers.push(() => first.kill());
    const begun = await first.request('tools/call', { name: 'pay', arguments: {} });
    let server = first;
    /** The state of the task, at whatever process lives; a server runs tasks from its first message on. */
    const look = async (taskId: string | undefined): Promise<Result | undefined> => {
      if (server.isGone) {
        const next = new Server(folder);
        closers.push(() => next.kill());
        server = next;
      }
      const told = await server.request('tasks/get', { taskId });
      await turn(5);
      return told;
    };
    if (begun) {
      const { taskId } = begun;
      while (asked().length === 0) await look(taskId);
      await inbox.vote(asked()[0]!, 'ben', { value: true });
      await look(taskId);
      await inbox.vote(asked()[0]!, 'eve', { value: true });
      let told = await look(taskId);
      while (!told || told.status === 'working') {
        expect(asked().length, `killed at ${killAt}`).toBe(1);
        told = await look(taskId);
      }
      expect(told.result?.content?.[0]?.text, `killed at ${killAt}: ${JSON.stringify(told)}`).toBe(outcome);
      expect([asked().length, paid().length], `killed at ${killAt}`).toEqual([1, 1]);
    } else expect(asked().length, `killed at ${killAt}`).toBeLessThan(2);
    const wasKilled = first.isGone;
    await server.kill();
    if (!wasKilled) break;
    kills += 1;
  }
  expect(kills).toBeGreaterThan(5);
});
