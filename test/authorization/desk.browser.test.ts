/** A server that wants a sign-in, on the desk in a real browser: signed in to, and signed out of. */
import { memoryVault, urlTarget } from '@midcall/host';
import { eras } from '@midcall/testing';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { few } from '../fixtures/soak.ts';
import { launch, leaveBrowser, violations, visitor } from '../web/browser.ts';
import { builtClient, stage, whenSo } from '../web/stage.ts';
import { guarded } from './stage.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

it.each(few(eras, '2026-07-28'))('a person signs in on the desk and out again, before a server of %s', async era => {
  const { url, logins } = await guarded();
  await using on = await stage({ client: builtClient, era, authorization: { vault: memoryVault() } });
  await using me = await visitor(browser);
  const { page, context } = me;
  const added = on.desk.addServer({ id: 'guarded', target: urlTarget(url.href) });
  const asked = () => whenSo(on.desk, () => on.inbox.list().find(({ kind }) => kind === 'sign-in'));
  const { id } = await asked();
  await page.goto(on.desk.startUrl(id));
  const signIn = async (): Promise<void> => {
    const opened = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const tab = await opened;
    await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
    await tab.close();
  };
  await signIn();
  await added;
  await page.goto(`${on.desk.url}questions/${id}`);
  const over = await page.locator('main').textContent();
  expect(over).toContain(logins.issuer);
  expect(over).not.toContain('code_challenge');

  await page.goto(`${on.desk.url}servers/guarded`);
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true });
  await signOut.click();
  await signOut.waitFor({ state: 'detached' });
  expect(await violations(page)).toEqual([]);
  expect(await page.locator('body').textContent()).not.toContain('could not be told');
  expect(on.audit.entries().map(({ event }) => event)).toContainEqual({
    type: 'policy',
    what: 'signed out of guarded',
  });

  // The next call asks for a sign-in again; after it, the place where that was cannot be told.
  const call = on.desk.workspace.servers.connection('guarded').run({ kind: 'tool', name: 'whoami' });
  await page.goto(`${on.desk.url}questions/${(await asked()).id}`);
  await signIn();
  expect(await call.outcome).toMatchObject({ how: 'completed' });
  logins.state.intercept = (request, response) => {
    if (!request.url?.includes('revocation')) return false;
    response.writeHead(503).end();
    return true;
  };
  await page.goto(`${on.desk.url}servers/guarded`);
  await signOut.click();
  await page.getByText('could not be told').waitFor();
  expect(await violations(page)).toEqual([]);
  expect(me.troubles).toEqual([]);
});
