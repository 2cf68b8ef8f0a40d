/** A call of a real server that waits for the person on the desk: allowed once, refused, and let pass from then on. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandTarget, consentFile, Rules } from '@midcall/host';
import { eras } from '@midcall/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { launch, leaveBrowser, violations, visitor } from './browser.ts';
import { builtClient, stage, whenSo } from './stage.ts';

const script = fileURLToPath(new URL('../fixtures/silent-server.mjs', import.meta.url));

/** Where pictures of every page go (`npm run screenshots -- all`). */
const pictures = process.env['MIDCALL_SCREENSHOTS'];

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  for (const width of [1440, 400]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true });
  }
}

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

it.each(few(eras, '2026-07-28'))(
  '%s: a call that waits is shown, made once, not made, or lets calls like it pass until that is revoked',
  async era => {
    const folder = mkdtempSync(join(tmpdir(), 'midcall-held-'));
    const list = join(folder, 'removed');
    writeFileSync(list, '');
    const consent = consentFile(join(folder, 'consent.json'));
    const rules = new Rules({ rules: [{ server: 'silent', tools: ['remove'], effect: 'ask' }], consent });
    const on = await stage({ client: builtClient, era, rules, consent });
    onTestFinished(() => on[Symbol.asyncDispose]());
    const person = await visitor(browser);
    onTestFinished(() => person[Symbol.asyncDispose]());
    const { page, troubles } = person;
    await on.desk.addServer({ id: 'silent', target: commandTarget([process.execPath, script, list]) });
    await page.goto(on.desk.startUrl());
    const { workspace, url } = on.desk;
    const removed = () => readFileSync(list, 'utf8').split('\n').filter(Boolean);
    const call = (name: string): Promise<string> =>
      workspace.calls.run('silent', { kind: 'tool', name: 'remove', arguments: { name } });
    const open = async (name: string): Promise<string> => {
      const id = await call(name);
      await whenSo(on.desk, () => on.inbox.list()[0]);
      await page.goto(new URL(`calls/${id}`, url).href);
      return id;
    };
    const ended = (id: string) => whenSo(on.desk, () => workspace.calls.get(id)?.outcome);
    const card = page.getByRole('article');

    const once = await open('a');
    await card.getByText('The call has not been made.').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, `held-call-${era}`);
    expect(removed()).toEqual([]);
    await card.getByRole('button', { name: 'Make this call once' }).click();
    await page.locator('#main').getByText('You said yes to the call.').waitFor();
    await ended(once);
    expect(removed()).toEqual(['a']);

    const refused = await open('b');
    await card.getByRole('button', { name: 'Do not make it' }).click();
    await page.locator('#main').getByText('You said no. The call was not made.').waitFor();
    await ended(refused);
    expect(removed()).toEqual(['a']);

    const granted = await open('a');
    await card.getByText('Let calls like it pass').click();
    await card.getByText('would have let pass 1 of the last 2').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, `held-call-grant-${era}`);
    await card.getByLabel('where these arguments are equal:').check();
    await card.getByRole('button', { name: 'Make this call, and let such calls pass' }).click();
    await card.getByText('Choose at least one of the arguments that must be equal.').waitFor();
    await card.getByRole('checkbox', { name: 'name' }).check();
    await card.getByRole('button', { name: 'Make this call, and let such calls pass' }).click();
    await page.locator('#main').getByText('You said yes to the call.').waitFor();
    await ended(granted);
    await ended(await call('a'));
    expect(removed()).toEqual(['a', 'a', 'a']);
    expect(on.inbox.list()).toEqual([]);

    await page.goto(new URL('policy', url).href);
    await page.getByText('{"name":"a"}').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, `grants-${era}`);
    await page.getByRole('region', { name: 'Calls that pass' }).getByRole('button', { name: 'Revoke' }).first().click();
    await page.locator('#main').getByText('No grants. You are asked about every call').waitFor();
    await open('a');
    expect(removed()).toHaveLength(3);
    expect(troubles).toEqual([]);
  },
);
