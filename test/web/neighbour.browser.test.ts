/** Another server on the same machine, in a real browser that has the desk open; and the way back to the desk. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { launch, leaveBrowser, visitor } from './browser.ts';
import { builtClient, pickOne, stage } from './stage.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

it('guard-G2: a browser that has the desk open tells another port of this machine nothing of it', async () => {
  await using on = await stage({ client: builtClient });
  await using me = await visitor(browser);
  await me.page.goto(on.desk.startUrl());
  await me.page.locator('#inbox').waitFor();
  const told: unknown[] = [];
  const neighbour = createServer((req, res) => {
    told.push(req.headers.cookie, req.headers.referer);
    res.end('<p>Hello</p>');
  });
  await new Promise<void>(resolve => neighbour.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void neighbour.close());
  const place = `http://127.0.0.1:${(neighbour.address() as AddressInfo).port}`;
  // From the desk itself, which is the same site, and as a link from outside.
  await me.page.evaluate(to => window.location.assign(to), `${place}/from-the-desk`);
  await me.page.waitForURL(`${place}/**`);
  for (const path of ['/', '/start?key=x', '/assets/x', '/inbox']) await me.page.goto(`${place}${path}`);
  expect(told.length).toBeGreaterThanOrEqual(10);
  expect(told.filter(each => each !== undefined && !String(each).startsWith(place))).toEqual([]);
  await me.page.goto(on.desk.url);
  await me.page.locator('#inbox').waitFor();
});

it('guard-G2: where another desk has the port by now, the way back ends, and its own link leads in', async () => {
  await using me = await visitor(browser);
  const port = await freePort();
  {
    await using before = await stage({ client: builtClient, port });
    await me.page.goto(before.desk.startUrl());
    await me.page.locator('#inbox').waitFor();
    await me.page.goto('about:blank');
  }
  await using after = await stage({ client: builtClient, port });
  const loaded: string[] = [];
  me.page.on('framenavigated', frame => loaded.push(new URL(frame.url()).pathname));
  await me.page.goto(`http://127.0.0.1:${port}/`);
  await me.page.waitForFunction(() => localStorage.length === 0);
  await me.page.reload();
  await me.page.getByText('Open the desk with the link').waitFor();
  expect(loaded.length).toBeLessThanOrEqual(4);
  await me.page.goto(after.desk.startUrl());
  await me.page.locator('#inbox').waitFor();
  await me.page.goto(`http://127.0.0.1:${port}/`);
  await me.page.locator('#inbox').waitFor();
});

it('guard-G2: a start link that was used leads back to the desk in its own browser, and in no other', async () => {
  await using on = await stage({ client: builtClient });
  await using me = await visitor(browser);
  await using other = await visitor(browser);
  const question = pickOne(undefined);
  void on.inbox.ask(question);
  const link = on.desk.startUrl(question.id);
  await me.page.goto(link);
  await me.page.locator(`#q-${question.id}`).waitFor();
  const tab = await me.context.newPage();
  await tab.goto(link);
  await tab.locator(`#q-${question.id}`).waitFor();
  expect(tab.url()).toBe(`${on.desk.url}questions/${question.id}`);
  const refused = await other.page.goto(link);
  expect(refused?.status()).toBe(401);
  await other.page.getByText('works once').waitFor();
  expect(other.page.url()).toBe(link);
});
