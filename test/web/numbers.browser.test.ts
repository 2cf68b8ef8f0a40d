/** Numbers of an answer: as the person writes them, and as they are sent. */
import { randomUUID } from 'node:crypto';
import type { FormQuestion } from '@midcall/host';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, leaveBrowser, visitor } from './browser.ts';
import { builtClient, pickOne, stageOfFile } from './stage.ts';

const on = await stageOfFile({ client: builtClient });
let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

const prices = (): FormQuestion => ({
  ...pickOne('price-1'),
  id: randomUUID(),
  fields: [
    { kind: 'number', name: 'price', integer: false, required: true, default: 1234567.25 },
    { kind: 'number', name: 'count', integer: true, required: true, default: 12 },
  ],
});

it('numbers have the person’s format, with the exact value beside them where it differs, before and after they are sent', async () => {
  await using me = await visitor(browser, { locale: 'de-DE' });
  const { page } = me;
  const question = prices();
  void on.inbox.ask(question);
  await page.goto(on.desk.startUrl());
  await page.goto(new URL('calls/price-1', on.desk.url).href);
  const values = (list: string) => page.locator(`${list} dd`).allInnerTexts();
  await page.locator('.review dd', { hasText: '1.234.567,25 1234567.25' }).waitFor();
  expect((await values('.review'))[1]).toMatch(/^12\s+default$/);
  await page.getByLabel('Price').fill('1e-7');
  await page.locator('.review dd', { hasText: '0,0000001 1e-7' }).waitFor();
  await page.getByLabel('Count').fill('4000');
  await page.locator('.review dd', { hasText: '4.000 4000' }).waitFor();
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.locator('.sent').waitFor();
  expect(await values('.sent')).toEqual(['0,0000001 1e-7', '4.000 4000']);
  expect(me.troubles).toEqual([]);
});
