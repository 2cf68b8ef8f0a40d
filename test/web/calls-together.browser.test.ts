/** Alike calls of a real server on the desk: read, left out and allowed with the keyboard, while others come and end. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandTarget, Rules } from '@midcall/host';
import { eras } from '@midcall/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { launch, leaveBrowser, violations, visitor, wrongInLook } from './browser.ts';
import { builtClient, stage, whenSo } from './stage.ts';

const script = fileURLToPath(new URL('../fixtures/silent-server.mjs', import.meta.url));

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

/** Presses Tab until a control with this name has the focus, and then Enter. */
async function press(page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> {
  const control = page.locator('#main').getByRole(role, { name }).first();
  await control.waitFor();
  while (!(await control.evaluate(each => each === document.activeElement))) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
}

it.each(few(eras, '2025-11-25'))(
  '%s: the keyboard alone allows the calls that were shown, and neither one that came nor one that ended',
  async era => {
    const list = join(mkdtempSync(join(tmpdir(), 'midcall-alike-')), 'removed');
    writeFileSync(list, '');
    const rules = new Rules({ rules: [{ server: 'silent', tools: ['remove'], effect: 'ask' }] });
    const on = await stage({ client: builtClient, era, rules });
    onTestFinished(() => on[Symbol.asyncDispose]());
    const { page, troubles, ...person } = await visitor(browser);
    onTestFinished(() => person[Symbol.asyncDispose]());
    await on.desk.addServer({ id: 'silent', target: commandTarget([process.execPath, script, list]) });
    const { workspace } = on.desk;
    const call = (name: string): Promise<string> =>
      workspace.calls.run('silent', { kind: 'tool', name: 'remove', arguments: { name } });
    const waiting = (count: number) =>
      whenSo(on.desk, () => (on.inbox.list().length === count ? on.inbox.list() : undefined));
    const ids = [await call('a'), await call('b'), await call('c'), await call('d')];
    await waiting(4);

    await page.goto(on.desk.startUrl());
    await press(page, 'link', /4 calls are about to be made/);
    const form = page.locator('#together-form');
    await form.getByText('Call 4 of 4').waitFor();
    expect(await violations(page)).toEqual([]);
    const looks = { viewport: { width: 400, height: 900 } };
    for (const colorScheme of ['light', 'dark'] as const)
      expect(await wrongInLook(page, { ...looks, colorScheme })).toEqual([]);

    await press(page, 'link', 'Leave it out');
    await form.getByText('Call 3 of 3').waitFor();
    // The page follows what happens while the person reads: one call ends elsewhere, and another comes.
    const [, , c] = on.inbox.list();
    await on.inbox.reply(c!.id, { action: 'decline' }, 'terminal');
    await form.getByText('Call 2 of 2').waitFor();
    ids.push(await call('e'));
    await page.getByText('2 other calls like this wait.').waitFor();
    expect(await violations(page)).toEqual([]);
    await press(page, 'button', 'Allow these 2');
    await page.locator('#main').getByText('You said yes to the call.').nth(1).waitFor();
    expect(await violations(page)).toEqual([]);
    for (const id of [ids[1]!, ids[3]!]) await whenSo(on.desk, () => workspace.calls.get(id)?.outcome);
    const removed = () => readFileSync(list, 'utf8').split('\n').filter(Boolean).sort();
    expect(removed()).toEqual(['b', 'd']);

    await press(page, 'link', 'Show all of them');
    await press(page, 'button', 'Refuse these 2');
    await page.locator('#main').getByText('You said no. The call was not made.').nth(1).waitFor();
    expect(on.inbox.list()).toEqual([]);
    expect(removed()).toEqual(['b', 'd']);
    expect(troubles).toEqual([]);
  },
);
