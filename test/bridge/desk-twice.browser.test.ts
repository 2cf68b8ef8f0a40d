/** Two bridges of one person, and the desk that both use, in a real browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Era, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { some } from '../fixtures/soak.ts';
import { known, launch, leaveBrowser, visitor } from '../web/browser.ts';
import { textOf } from './stage.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const server = fileURLToPath(new URL('ask-server.mjs', import.meta.url));

/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

/** The standard streams of a bridge that was started by the test, as its host has them. */
class Streams implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  async start(): Promise<void> {
    createInterface({ input: this.#child.stdout! }).on('line', line => this.onmessage?.(JSON.parse(line)));
    this.#child.on('exit', () => this.onclose?.());
  }

  async send(message: object): Promise<void> {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#child.stdin!.end();
  }
}

/** A bridge as a process of its own, and a host that cannot ask. */
async function bridgeTo(name: string, front: 'HTTP' | 'standard input and output', era: Era) {
  const words = front === 'HTTP' ? ['--http', '0'] : [];
  const child = spawn(process.execPath, [main, 'bridge', '--link', ...words, '--', process.execPath, server, name], {
    env: ownEnvironment(),
  });
  onTestFinished(() => void child.kill());
  const said: string[] = [];
  const heard = new Set<() => void>();
  createInterface({ input: child.stderr }).on('line', line => {
    said.push(line);
    for (const look of [...heard]) look();
  });
  /** What the bridge says next that looks so. */
  const told = (pattern: RegExp): Promise<string> =>
    new Promise(resolve => {
      const look = (): void => {
        const at = said.findIndex(line => pattern.test(line));
        if (at < 0) return;
        heard.delete(look);
        resolve(pattern.exec(said.splice(at, 1)[0]!)![1]!);
      };
      heard.add(look);
      look();
    });
  const client = new Client(
    { name: 'poor-host', version: '1.0.0' },
    { versionNegotiation: { ...negotiation(era), probe: { timeoutMs: endless } } },
  );
  const at =
    front === 'HTTP' ? new StreamableHTTPClientTransport(new URL(await told(/ at (http\S+)/))) : new Streams(child);
  await client.connect(at, { timeout: endless });
  onTestFinished(() => client.close());
  /** A person who takes longer than the bridge keeps its client waiting is not to be hurried: the client comes back. */
  const call = async (): Promise<string> => {
    const told = textOf(await client.callTool({ name: 'ask', arguments: {} }, { timeout: endless }));
    return told.includes('again with the same arguments') ? call() : told;
  };
  return {
    end: () => child.kill(),
    link: () => told(/a question waits at (\S+)/),
    call,
  };
}

/** Asks the desk as a command does. */
async function askDesk(word: 'hello' | 'stop'): Promise<{ readonly pid: number }> {
  const socket = connect(join(process.env['XDG_RUNTIME_DIR']!, 'midcall', 'desk.sock'));
  socket.write(`${JSON.stringify({ v: 1, id: 1, word, body: { role: 'command' } })}\n`);
  const [line] = (await once(createInterface({ input: socket }), 'line')) as [string];
  if (word === 'stop') await once(socket, 'close');
  socket.destroy();
  return (JSON.parse(line) as { value: { pid: number } }).value;
}

const deskProcess = async (): Promise<number> => (await askDesk('hello')).pid;

describe.each(
  some([
    ['HTTP', '2026-07-28'],
    ['standard input and output', '2025-11-25'],
  ]),
)('two bridges over %s, before hosts of %s', (front, era) => {
  it('two bridges share one desk: each question is answered there, a call is run again, and a server is muted', async () => {
    const [one, other] = await Promise.all(['one', 'other'].map(name => bridgeTo(name, front, era)));
    await using me = await visitor(browser);
    const { page } = me;
    const answer = async (): Promise<void> => {
      await page.getByRole('radio', { name: 'Yes' }).check();
      await page.getByRole('button', { name: 'Send answer' }).click();
    };
    const open = async (name: string): Promise<void> => {
      await page
        .getByRole('link', { name: new RegExp(`Is ${name} sure`) })
        .first()
        .click();
      await page.getByRole('heading', { name: /ask/ }).first().waitFor();
    };

    const first = one!.call();
    await page.goto(await one!.link());
    await page.getByText('Is one sure?').first().waitFor();
    const second = other!.call();
    await page.getByText('Is other sure?').first().waitFor();
    await answer();
    expect(await first).toBe('accept in call 1 of one');
    await open('other');
    await answer();
    expect(await second).toBe('accept in call 1 of other');

    await page.getByText('accept in call 1 of other').first().waitFor();
    await page.getByRole('link', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await answer();
    await page.getByText('accept in call 2 of other').first().waitFor();

    const muted = one!.call();
    await open('one');
    await page.getByText('Mute this server…').click();
    await page.getByRole('button', { name: 'Mute this server' }).click();
    expect(await muted).toBe('cancel in call 2 of one');
    // Nobody is asked.
    expect(await one!.call()).toBe('cancel in call 3 of one');
    expect(me.troubles).toEqual([]);

    const left = other!.call();
    await page.getByText('Is other sure?').first().waitFor();
    other!.end();
    await left.catch(() => {});
    await page
      .getByRole('link', { name: /Is other sure/ })
      .first()
      .waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: /^ask-server.* not running/ })
      .first()
      .click();
    await page.getByText('The bridge that ran this server has ended').first().waitFor();
    // What is muted is muted for as long as the desk runs.
    await askDesk('stop');
  });

  it('two bridges have their open questions on the next desk, if theirs is killed', async () => {
    const [one, other] = await Promise.all(['one', 'other'].map(name => bridgeTo(name, front, era)));
    await using me = await visitor(browser);
    const { page } = me;
    const first = one!.call();
    await page.goto(await one!.link());
    const second = other!.call();
    await page.getByText('Is other sure?').first().waitFor();
    await known(page);
    const killed = await deskProcess();
    const place = new URL(page.url()).pathname.slice(0, 24);
    process.kill(killed, 'SIGKILL');
    // The browser is known, and finds its own way back to the question that it showed.
    await page.getByText('Is other sure?').first().waitFor();
    await page.waitForFunction(old => !location.pathname.startsWith(old), place);
    expect(await deskProcess()).not.toBe(killed);
    for (const [name, call] of [
      ['one', first],
      ['other', second],
    ] as const) {
      await page.goto(`${new URL(page.url()).origin}/`);
      await page
        .getByRole('link', { name: new RegExp(`Is ${name} sure`) })
        .first()
        .click();
      await page.getByRole('radio', { name: 'Yes' }).check();
      expect(await page.getByText('Its questions were not kept').count()).toBe(0);
      await page.getByRole('button', { name: 'Send answer' }).click();
      expect(await call).toBe(`accept in call 1 of ${name}`);
    }
  });
});
