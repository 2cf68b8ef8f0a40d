/** Two bridges of one person, whose desks are open in one browser profile: run again on one, muted on the other. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Era, negotiation } from '@midcall/testing';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { launch, visitor } from '../web/browser.ts';
import { textOf } from './stage.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const server = fileURLToPath(new URL('ask-server.mjs', import.meta.url));

/** Milliseconds: as long as a timer of Node runs. */
const endless = 2 ** 31 - 1;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

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
async function bridgeTo(name: string, front: 'HTTP' | 'standard input and output', era: Era, config: string) {
  const words = front === 'HTTP' ? ['--http', '0'] : [];
  const child = spawn(process.execPath, [main, 'bridge', '--link', ...words, '--', process.execPath, server, name], {
    env: { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: config },
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
  return {
    link: () => told(/a question waits at (\S+)/),
    call: async () => textOf(await client.callTool({ name: 'ask', arguments: {} }, { timeout: endless })),
  };
}

describe.each([
  ['standard input and output', '2025-11-25'],
  ['HTTP', '2026-07-28'],
] as const)('two bridges over %s, before hosts of %s', (front, era) => {
  it('have desks of their own in one browser: a call is run again on one, and a server is muted on the other', async () => {
    const config = mkdtempSync(join(tmpdir(), 'midcall-config-'));
    const [one, other] = await Promise.all(['one', 'other'].map(name => bridgeTo(name, front, era, config)));
    await using me = await visitor(browser);
    const [first, second] = [me.page, await me.context.newPage()];
    const answer = async (page: typeof first): Promise<void> => {
      await page.getByRole('radio', { name: 'Yes' }).check();
      await page.getByRole('button', { name: 'Send answer' }).click();
    };

    const calls = [one!.call(), other!.call()];
    await first.goto(await one!.link());
    await second.goto(await other!.link());
    // The session of the first is still there, with the second in the same profile.
    await first.reload();
    await answer(first);
    await answer(second);
    expect(await Promise.all(calls)).toEqual(['accept in call 1 of one', 'accept in call 1 of other']);

    await first.getByText('accept in call 1 of one').first().waitFor();
    await first.getByRole('link', { name: 'Run again' }).click();
    await first.getByRole('button', { name: 'Run', exact: true }).click();
    await answer(first);
    await first.getByText('accept in call 2 of one').first().waitFor();

    const muted = other!.call();
    await second.getByText('Is other sure?').first().waitFor();
    await second
      .getByRole('link', { name: /Is other sure/ })
      .first()
      .click();
    await second.getByText('Mute this server…').click();
    await second.getByRole('button', { name: 'Mute this server' }).click();
    expect(await muted).toBe('cancel in call 2 of other');
    // Nobody is asked.
    expect(await other!.call()).toBe('cancel in call 3 of other');

    const asked = one!.call();
    await first.getByText('Is one sure?').first().waitFor();
    await first
      .getByRole('link', { name: /Is one sure/ })
      .first()
      .click();
    await answer(first);
    expect(await asked).toBe('accept in call 3 of one');
    expect(me.troubles).toEqual([]);
  });
});
