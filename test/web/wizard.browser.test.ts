/** A wizard of a real process on the desk: one form after the other, and all of them on a page of the server. */
import { commandTarget } from '@midcall/host';
import { type Era, eras } from '@midcall/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { codeIn } from '../connect/visitor.ts';
import { few } from '../fixtures/soak.ts';
import { travelCommand } from '../fixtures/travel-server.ts';
import { launch, leaveBrowser, violations, visitor } from './browser.ts';
import { builtClient, stage, whenSo } from './stage.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

/** Somebody whose desk has called `trip_plan`, on the page of that call. */
async function planning(era: Era, ...options: readonly string[]) {
  const on = await stage({ client: builtClient, era });
  onTestFinished(() => on[Symbol.asyncDispose]());
  const person = await visitor(browser);
  onTestFinished(() => person[Symbol.asyncDispose]());
  const { command, args } = travelCommand(...options);
  await on.desk.addServer({ id: 'travel', target: commandTarget([command, ...args]) });
  const id = await on.desk.workspace.calls.run('travel', { kind: 'tool', name: 'trip_plan', arguments: {} });
  const question = await whenSo(on.desk, () => on.inbox.list()[0]);
  await person.page.goto(on.desk.startUrl());
  await person.page.goto(new URL(`calls/${id}`, on.desk.url).href);
  return { ...person, question };
}

/** Waits for the card of one form, fills it in, and sends it, or goes back by another button. */
async function answer(page: Page, says: string | RegExp, fill: () => Promise<void>, by = 'Send answer'): Promise<void> {
  await page.getByRole('article').getByRole('blockquote').filter({ hasText: says }).waitFor();
  await fill();
  await page.getByRole('article').getByRole('button', { name: by }).click();
}

it.each(few(eras, '2026-07-28'))(
  'wizard-W2, wizard-W4: %s: a wizard goes forwards and back on the desk, with what was typed in every form',
  async era => {
    const { page, troubles } = await planning(era);
    const card = page.getByRole('article');
    const dates = async (day: string) => {
      await card.getByLabel('Departure').fill(day);
      await card.getByRole('radio', { name: 'Yes' }).check();
    };
    await answer(page, 'Step 1 of 2: Dates', () => dates('2027-12-01'));
    await answer(page, 'Step 2 of 3: Return', () => card.getByLabel('Return').fill('2027-03-08'));
    const isDay = async (day: string) => expect(await card.getByLabel('Return').inputValue()).toBe(day);
    await answer(page, 'Choose a day after the departure.', () => isDay('2027-03-08'), 'Change: Dates');
    await answer(page, 'Step 1 of 3: Dates', async () => {
      expect(await card.getByLabel('Departure').inputValue()).toBe('2027-12-01');
      await dates('2027-03-01');
    });
    await answer(page, 'Step 3 of 3: Seat', () => card.getByRole('radio', { name: '1A' }).waitFor(), 'Change: Return');
    await answer(page, 'Step 2 of 3: Return', () => isDay('2027-03-08'));
    await answer(page, 'Step 3 of 3: Seat', () => card.getByRole('radio', { name: '1B' }).check());
    await answer(page, /Return: Return: 2027-03-08\s+Seat: Seat: 1B/, async () => {
      expect(await violations(page)).toEqual([]);
      await card.getByRole('radio', { name: 'Change: Seat' }).check();
    });
    await answer(page, 'Step 3 of 3: Seat', async () => {
      expect(await card.getByRole('radio', { name: '1B' }).isChecked()).toBe(true);
      await card.getByRole('radio', { name: '2A' }).check();
    });
    await answer(page, 'Seat: Seat: 2A', () => card.getByRole('radio', { name: 'Send these answers' }).check());
    await page.getByText('Seat 2A, out on 2027-03-01, back on 2027-03-08.').first().waitFor();
    expect(troubles).toEqual([]);
  },
);

it.each(few(eras, '2025-11-25'))(
  'wizard-W2, wizard-W3: %s: a wizard goes forwards and back on one page of the server, and is declined in the middle',
  async era => {
    const { page, context, question, troubles } = await planning(era, '--page');
    // The server may not use URL mode here, so one card has the link and the next one the code.
    const tab = await context.newPage();
    await tab.goto(/http:\S+/.exec('message' in question ? question.message : '')![0]);
    await page.getByRole('button', { name: 'Allow' }).click();
    const code = page.getByRole('blockquote').filter({ hasText: 'code for the page' });
    await tab.getByRole('textbox', { name: 'Code' }).fill(codeIn((await code.textContent())!));
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.getByRole('heading', { name: 'Step 1 of 2' }).waitFor();
    await tab.getByLabel('Departure').fill('2027-03-05');
    await tab.getByRole('radio', { name: 'Yes' }).check();
    await tab.getByRole('button', { name: 'Next' }).click();
    await tab.getByRole('heading', { name: 'Step 2 of 3' }).waitFor();
    await tab.getByLabel('Return').fill('2027-03-08');
    await tab.getByRole('button', { name: 'Back' }).click();
    await tab.getByRole('heading', { name: 'Step 1 of 3' }).waitFor();
    expect(await tab.getByLabel('Departure').inputValue()).toBe('2027-03-05');
    await tab.getByRole('button', { name: 'Next' }).click();
    await tab.getByRole('heading', { name: 'Step 2 of 3' }).waitFor();
    expect(await tab.getByLabel('Return').inputValue()).toBe('2027-03-08');
    await tab.getByRole('button', { name: 'Next' }).click();
    await tab.getByRole('radio', { name: '1B' }).check();
    await tab.getByRole('button', { name: 'Next' }).click();
    await tab.getByRole('heading', { name: 'Check your answers' }).waitFor();
    await tab.getByRole('button', { name: 'Change Dates' }).click();
    await tab.getByRole('radio', { name: 'No' }).check();
    await tab.getByRole('button', { name: 'Next' }).click();
    await tab.getByRole('heading', { name: 'Step 2 of 2' }).waitFor();
    expect(await tab.getByRole('radio', { name: '1B' }).isChecked()).toBe(true);
    await tab.getByRole('button', { name: 'Decline' }).click();
    await page.getByRole('article').getByRole('button', { name: 'Allow' }).click();
    await page.getByText('No trip was planned: the person said no').first().waitFor();
    expect(troubles).toEqual([]);
  },
);
