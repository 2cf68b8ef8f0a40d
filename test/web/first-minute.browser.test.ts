/** What the first page of `midcall desk --samples` offers to somebody who has never seen a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { launch, leaveBrowser, violations, visitor } from './browser.ts';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));

it('the first page offers three calls, one click each, until they were made; and lists no tool only for models', async () => {
  const data = mkdtempSync(join(tmpdir(), 'midcall-first-'));
  const child = spawn(process.execPath, [main, 'desk', '--no-keep', '--samples'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_DATA_HOME: data },
  });
  const browser = await launch();
  onTestFinished(async () => {
    await leaveBrowser(browser);
    child.kill();
    await once(child, 'exit');
    rmSync(data, { recursive: true });
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  const { page, troubles } = await visitor(browser);
  await page.goto(line.replace('Midcall desk: ', ''));
  const runs = page.getByRole('button', { name: /^Run: / });
  await runs.first().waitFor();
  const home = page.url();
  expect(await runs.evaluateAll(all => all.map(each => each.getAttribute('aria-label')))).toEqual([
    'Run: Delete a note',
    'Run: Set up a folder',
    'Run: Summarize a note with a model',
  ]);
  expect(await page.getByText(join(data, 'midcall', 'samples', 'notes')).count()).toBe(1);
  const tools = await page.getByRole('navigation', { name: 'Servers' }).getByRole('link').allTextContents();
  expect(tools.join()).toMatch(/Delete a note.*notes_delete/);
  expect(tools.join()).not.toMatch(/resume/i);
  expect(await violations(page)).toEqual([]);
  const questions = {
    'Delete a note': 'asks you',
    'Set up a folder': 'asks you to open a page',
    'Summarize a note': 'asks to use your model',
  };
  for (const [title, asks] of Object.entries(questions)) {
    await page.goto(home);
    await page.getByRole('button', { name: `Run: ${title}` }).click();
    await page.getByRole('heading', { name: `notes ${asks}` }).waitFor();
    if (title === 'Delete a note') expect(await page.getByRole('radio', { name: /TPS report/ }).count()).toBe(3);
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.locator('.entry-result, .entry-failed').waitFor();
  }
  await page.goto(home);
  await page.getByRole('heading', { name: 'Calls' }).waitFor();
  expect(await runs.count()).toBe(0);
  expect(troubles).toEqual([]);
});
