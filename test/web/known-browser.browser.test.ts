/** A browser that the desk knows, in Chromium: the bookmark leads in after a restart, and another program learns nothing of use. */
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandTarget } from '@midcall/host';
import { browsersFile } from '@midcall/host/web';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { known, launch, leaveBrowser, visitor } from './browser.ts';
import { builtClient, pickOne, stage } from './stage.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

it('guard-G5: a browser that has used a link finds its way in from the bookmark after a restart, and no other does', async () => {
  const browsers = browsersFile(join(mkdtempSync(join(tmpdir(), 'b-')), 'browsers.json'));
  await using me = await visitor(browser);
  await using other = await visitor(browser);
  const port = await freePort();
  {
    await using before = await stage({ client: builtClient, browsers, port });
    await me.page.goto(before.desk.startUrl());
    await me.page.locator('#inbox').waitFor();
    await known(me.page);
    await me.page.goto('about:blank');
  }
  const bookmark = `http://127.0.0.1:${port}/`;

  // Another program has the port in between, and hears all that the browser sends.
  const heard: { cookie: string | undefined; url: string | undefined; body: string }[] = [];
  const program = createServer((req, res) => {
    let body = '';
    req.on('data', chunk => (body += chunk));
    req.on('end', () => {
      heard.push({ cookie: req.headers.cookie, url: req.url, body });
      res.setHeader('content-type', 'text/html').end('<body data-nonce="of-another-program">Hello');
    });
  });
  await new Promise<void>(resolve => program.listen(port, '127.0.0.1', resolve));
  await me.page.goto(bookmark);
  expect(heard.every(({ cookie, body }) => cookie === undefined && body === '')).toBe(true);
  await me.page.goto('about:blank');
  program.closeAllConnections();
  await new Promise(resolve => program.close(resolve));

  await using after = await stage({ client: builtClient, browsers, port });
  const question = pickOne(undefined);
  void after.inbox.ask(question);
  await me.page.goto(bookmark);
  await me.page.locator('#inbox').waitFor();
  expect(me.page.url()).toBe(after.desk.url);
  expect((await other.page.goto(bookmark))?.status()).toBe(401);
  await other.page.getByText('type “midcall desk” in a terminal').waitFor();
  expect(other.page.url()).toBe(bookmark);
});

it.each([
  ['a question', (id: string) => `questions/${id}`, (id: string) => `#q-${id}`],
  ['a server', () => 'servers/pond', () => 'main'],
])('guard-G5: a page of %s that is open when the desk is started again opens itself anew', async (_, path, shown) => {
  const browsers = browsersFile(join(mkdtempSync(join(tmpdir(), 'b-')), 'browsers.json'));
  await using me = await visitor(browser);
  const question = pickOne(undefined);
  const port = await freePort();
  {
    await using before = await stage({ client: builtClient, browsers, port });
    void before.inbox.ask(question);
    await before.desk.workspace.servers.add({ id: 'pond', target: commandTarget(['pond']) }, { start: false });
    await me.page.goto(before.desk.startUrl(question.id));
    await me.page.locator(`#q-${question.id}`).waitFor();
    await known(me.page);
    await me.page.goto(`${before.desk.url}${path(question.id)}`);
    await me.page.locator('body.scripted').waitFor();
  }
  await using after = await stage({ client: builtClient, browsers, port, ask: question });
  await me.page.waitForURL(`${after.desk.url}${path(question.id)}`);
  await me.page.locator(shown(question.id)).waitFor();
});
