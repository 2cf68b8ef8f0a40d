/** The payment that two others agree to, as its example says: asked for on the command line, agreed to in two browsers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ownEnvironment } from '../fixtures/own-environment.ts';
import { signInWith } from '../inbox/inbox-stage.ts';
import { launch, leaveBrowser, visitor } from '../web/browser.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const children = new Set<ChildProcess>();
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(async () => {
  await leaveBrowser(browser);
  for (const child of children) child.kill();
});

/** Starts a command. @returns `said`: resolves with what a line of it matched */
function start(words: readonly string[]) {
  const child = spawn(process.execPath, words, { cwd: root, env: ownEnvironment(), stdio: ['pipe', 'pipe', 'pipe'] });
  children.add(child);
  const all: string[] = [];
  const waiting = new Map<RegExp, (line: string) => void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', line => {
      all.push(line);
      for (const [words, found] of waiting) if (words.test(line)) found(line);
    });
  return {
    all,
    closed: once(child, 'close') as Promise<[number | null]>,
    said: (words: RegExp) =>
      new Promise<string>(resolve => {
        const before = all.find(line => words.test(line));
        if (before === undefined) waiting.set(words, resolve);
        else resolve(before);
      }),
  };
}

it('a payment is made when two people who did not ask for it have agreed, and not before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-approvals-'));
  const typescript = join(root, 'tools/load-typescript.mjs');
  const example = start([
    ...['--import', typescript, join(root, 'examples/main.ts')],
    ...['approvals', '--data', folder, '--port', '0'],
  ]);
  const command = /npx midcall call (--url \S+ pay .+)/.exec(await example.said(/npx midcall call/))![1]!;
  const inbox = /(http\S+)/.exec(await example.said(/\/inbox$/))![1]!;

  const call = start([join(root, 'packages/midcall/bin/midcall.js'), 'call', ...command.split(' ')]);
  await using adas = await visitor(browser);
  const ada = adas.page;
  await ada.goto(/Address: (\S+)/.exec(await call.said(/Address: /))![1]!);
  await ada.getByLabel('Name').fill('ada');
  await ada.getByRole('button', { name: 'Sign in' }).click();
  await call.said(/Waiting for 2 of 'finance' since .+: nobody has answered yet/);

  for (const who of ['ada', 'ben', 'cleo']) {
    await using other = await visitor(browser);
    const { page } = other;
    await signInWith(page, who, inbox);
    const question = page.locator('a[href*="/questions/"]').first();
    if (who === 'ada') {
      // Whoever asks for it is not asked.
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await question.count()).toBe(0);
      continue;
    }
    await question.click();
    await page.getByRole('button', { name: 'Agree' }).waitFor();
    expect(await page.textContent('main')).toContain('Pay 4000.00 EUR to Acme?');
    expect(example.all.join()).not.toContain('Paid');
    await page.getByRole('button', { name: 'Agree' }).click();
    await page.locator('[id$="-end"]').first().waitFor();
  }
  expect((await call.closed)[0]).toBe(0);
  expect(call.all.join('\n')).toContain('Paid. ben and cleo agreed.');
  expect(await example.said(/^Paid/)).toBe('Paid 4000.00 EUR to Acme: ben and cleo agreed.');
});

it('says of a port that is taken what to do', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const example = start([
    ...['--import', join(root, 'tools/load-typescript.mjs'), join(root, 'examples/main.ts')],
    ...['approvals', '--port', String(port)],
  ]);
  expect((await example.closed)[0]).toBe(1);
  expect(example.all).toEqual([`Port ${port} is taken. Choose another, or 0 for any free one.`]);
});
