/** The newcomer's first minute, on the real process: `midcall desk --samples`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { launch, leaveBrowser, type Visitor, violations, visitor } from './browser.ts';

const samples = fileURLToPath(new URL('../../packages/midcall/samples/notes', import.meta.url));
const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly startUrl: string;
  readonly notes: string;
}

async function startDesk(): Promise<Running> {
  const child = spawn(process.execPath, [main, 'desk', '--no-keep', '--samples'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! });
  let startUrl = '';
  for await (const line of lines) {
    startUrl ||= /^Midcall desk: (\S+)$/.exec(line)?.[1] ?? '';
    const notes = /^Sample notes: (.+)$/.exec(line)?.[1];
    if (notes !== undefined) return { child, startUrl, notes };
  }
  throw new Error('The desk did not start.');
}

/** Sample notes on disk, hidden folders (the trash) left out. */
const notesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.md') && !path.split('/').some(part => part.startsWith('.')))
    .sort();

let browser: Browser;
let desk: Running;
let me: Visitor;
let page: Page;

beforeAll(async () => {
  [browser, desk] = await Promise.all([launch(), startDesk()]);
  me = await visitor(browser);
  await me.page.goto(desk.startUrl);
  await me.page.locator('.server-row .state-ready').waitFor();
  home = me.page.url();
});
afterAll(async () => {
  await leaveBrowser(browser);
  await stopped(desk, 'SIGTERM');
});

beforeEach(async () => {
  cpSync(samples, desk.notes, { recursive: true, force: true });
  page = await me.context.newPage();
});
afterEach(async () => {
  for (const each of me.context.pages()) if (each !== me.page) await each.close();
  expect(me.troubles).toEqual([]);
});

/** The desk's own page, where the start link led. */
let home: string;

async function stopped({ child }: Running, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  return new Promise(resolve => child.once('exit', resolve));
}

const childrenOf = ({ child }: Running): number[] =>
  execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Runs the tool, found beside the page. */
async function findAndRunDelete(on: Page): Promise<void> {
  await on.getByRole('navigation', { name: 'Servers' }).getByRole('link', { name: 'notes_delete' }).click();
  await fillInAndRun(on);
}

async function runDelete(on: Page): Promise<void> {
  await on.goto(new URL('servers/notes/tools/notes_delete', home).href);
  await fillInAndRun(on);
}

async function fillInAndRun(on: Page): Promise<void> {
  await on.getByLabel('Title').fill('TPS report');
  await on.getByRole('button', { name: 'Run' }).click();
  await on.getByRole('heading', { name: 'notes asks you' }).waitFor();
}

describe('the first minute', () => {
  it('elicit-05, elicit-42: the desk shows who asks and for which call, lets me pick one of three, and exactly that note is gone', async () => {
    const before = notesIn(desk.notes);
    await page.goto(home);
    await findAndRunDelete(page);
    const card = page.getByRole('article', { name: 'notes asks you' });
    expect(await card.textContent()).toContain('midcall.js notes');
    expect(await card.textContent()).toMatch(/for the call\s*notes_delete/);
    expect(await card.textContent()).toContain('"TPS report"');
    expect(await card.getByRole('blockquote').textContent()).toBe(
      "Delete 'TPS report'? Multiple notes match; pick one.",
    );
    const choices = card.getByRole('radio', { name: /TPS report/ });
    expect(await choices.count()).toBe(3);
    expect(await violations(page)).toEqual([]);
    await card.getByRole('radio', { name: /2024/ }).check();
    await card.getByRole('radio', { name: 'Yes' }).check();
    await card.locator('.review', { hasText: '2024' }).waitFor();
    await card.getByRole('button', { name: 'Send answer' }).click();
    await page.locator('.entry-result').waitFor();
    expect(await page.locator('.ending-answered').textContent()).toContain('You answered.');
    expect(notesIn(desk.notes)).toEqual(before.filter(path => !path.includes('2024/tps')));
    expect(await violations(page)).toEqual([]);
  });

  it('elicit-07: a decline and a dismissal are told apart, and neither deletes anything', async () => {
    const before = notesIn(desk.notes);
    await runDelete(page);
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.locator('.entry-result, .entry-failed').waitFor();
    const declined = await page.locator('.timeline').textContent();
    await page.getByRole('link', { name: 'Run again' }).first().click();
    // The page of the call has such a form, too.
    await page.locator('.split-empty').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('TPS report');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { name: 'notes asks you' }).waitFor();
    await page.getByRole('button', { name: /Dismiss/ }).click();
    await page.locator('.entry-result, .entry-failed').waitFor();
    const dismissed = await page.locator('.timeline').textContent();
    expect(declined).toContain('You declined.');
    expect(dismissed).toContain('You dismissed it.');
    const result = (text: string | null) => /Result(.*)$/s.exec(text ?? '')?.[1]?.replace(/\d+/g, '');
    expect(result(declined)).not.toBe(result(dismissed));
    expect(notesIn(desk.notes)).toEqual(before);
  });

  it('the desk works with the keyboard alone from the first minute', async () => {
    await page.goto(home);
    const tabTo = async (name: RegExp, most = 60) => {
      for (let at = 0; at < most; at += 1) {
        await page.keyboard.press('Tab');
        const text = await page.evaluate(() => {
          const now = document.activeElement as HTMLElement;
          return `${now.textContent} ${(now as HTMLInputElement).labels?.[0]?.textContent ?? ''} ${now.getAttribute('aria-label') ?? ''}`;
        });
        if (name.test(text)) return;
      }
      throw new Error(`Tab does not lead to ${name}.`);
    };
    await page.getByRole('link', { name: 'notes_delete' }).first().waitFor();
    await tabTo(/notes_delete/);
    await page.keyboard.press('Enter');
    // The cursor is where one types, and in the question that comes.
    await page.locator('form[action$=notes_delete] [name=f0]:focus').waitFor();
    await page.keyboard.type('TPS report');
    await page.keyboard.press('Enter');
    await page.locator('[data-question] input[type=radio]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await tabTo(/Yes/, 3);
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.locator('.entry-result').waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('You answered'));
    expect(notesIn(desk.notes).filter(path => path.includes('tps'))).toHaveLength(2);
  });

  it('elicit-24: the first minute is dismissed by Esc', async () => {
    await runDelete(page);
    await page.keyboard.press('Escape');
    await page.locator('.ending-dismissed').waitFor();
  });

  it('the desk still works with client script off', async () => {
    const storageState = await me.context.storageState();
    await using plain = await visitor(browser, { javaScriptEnabled: false, storageState });
    await plain.page.goto(home);
    await plain.page.getByRole('link', { name: 'notes_delete' }).first().click();
    await plain.page.getByLabel('Title').fill('TPS report');
    await plain.page.getByRole('button', { name: 'Run' }).click();
    await plain.page.getByRole('radio', { name: /2023/ }).check();
    await plain.page.getByRole('radio', { name: 'Yes' }).check();
    await plain.page.getByRole('button', { name: 'Review first' }).click();
    expect(await plain.page.locator('.review').textContent()).toContain('2023');
    await plain.page.getByRole('button', { name: 'Send answer' }).click();
    await plain.page.locator('.entry-result').waitFor();
    expect(notesIn(desk.notes).some(path => path.includes('2023/tps'))).toBe(false);
  });

  it('the first minute says so kindly when a question was answered in another tab', async () => {
    await runDelete(page);
    const other = await me.context.newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'notes asks you' }).waitFor();
    await other.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.locator('.ending-declined').waitFor();
    await other.getByRole('radio', { name: /2024/ }).check();
    await other.getByRole('radio', { name: 'Yes' }).check();
    await other.getByRole('button', { name: 'Send answer' }).click();
    await other.getByRole('alert').filter({ hasText: 'Your earlier answer was received' }).waitFor();
    expect(await other.locator('.ending-declined').textContent()).toContain('You declined.');
    expect(notesIn(desk.notes).filter(path => path.includes('tps'))).toHaveLength(3);
  });

  it('the form closes and says why when its call is cancelled in another tab', async () => {
    await runDelete(page);
    await page.getByRole('radio', { name: /2024/ }).check();
    const other = await me.context.newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Cancel the call' }).click();
    await page.locator('.ending-withdrawn').waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    expect(await page.locator('.timeline').textContent()).toContain('You cancelled this call.');
  });

  it('the desk survives a crash of the server: the question ends truthfully, and Restart brings the server back', async () => {
    await runDelete(page);
    const { execFileSync } = await import('node:child_process');
    const children = execFileSync('pgrep', ['-P', String(desk.child.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    process.kill(Number(children[0]), 'SIGKILL');
    await page.locator('.ending-server-gone').waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    await page.locator('.entry-failed', { hasText: 'The server has stopped.' }).waitFor();
    await page.getByText('It is not known what this call has done.').waitFor();
    await page.getByRole('button', { name: 'Start it again' }).click();
    expect(await page.getByLabel('title').inputValue()).toBe('TPS report');
    await page.locator('.state-ready').waitFor();
    await findAndRunDelete(page);
  });
});

describe('the process', () => {
  it('the desk opens with a link that works once, says where things are, and takes its servers with it', async () => {
    const own = await startDesk();
    await using other = await visitor(browser);
    await other.page.goto(own.startUrl);
    expect(new URL(other.page.url()).search).toBe('');
    await other.page.locator('.server-row .state-ready').waitFor();
    expect(notesIn(own.notes)).toEqual(notesIn(samples));
    const children = childrenOf(own);
    expect(children).toHaveLength(1);
    expect(await stopped(own, 'SIGINT')).toBe(0);
    await eventually(() => !children.some(isAlive));
  });
});
