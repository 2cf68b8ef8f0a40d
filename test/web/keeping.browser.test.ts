/** What somebody has typed is not lost, and what is secret stays hidden. */
import type { FormQuestion } from '@midcall/host';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { some } from '../fixtures/soak.ts';
import { enter, launch, leaveBrowser, nextPage, type Visitor, violations } from './browser.ts';
import { builtClient, everyField, pickOne, stageOfFile, useModel } from './stage.ts';

const on = await stageOfFile({ client: builtClient });
const { calls } = on.desk.workspace;
let browser: Browser;
let person: Visitor;
beforeAll(async () => {
  browser = await launch();
  person = await enter(on.desk.startUrl());
  await person.page.goto('about:blank');
});
afterAll(() => leaveBrowser(browser));

const at = (path: string): string => new URL(path.replace(/^\//, ''), on.desk.url).href;

/** Resolves when the desk has been told what a form holds. */
function toldOf(id: string): Promise<void> {
  return new Promise(resolve => {
    const real = calls.typed;
    calls.typed = (...given) => {
      real.apply(calls, given);
      if (given[0] !== id) return;
      calls.typed = real;
      resolve();
    };
  });
}

/** Stops the page's clock, so that no timer of it fires any more; it was installed before. */
const stopClock = (page: Page): Promise<void> => page.clock.pauseAt(Date.now() + 3_600_000);

const stored = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));

const signIn = (call: string): FormQuestion => ({
  ...pickOne(call),
  message: 'Who are you?',
  fields: [
    { kind: 'text', name: 'password', required: true },
    { kind: 'text', name: 'text', title: 'Private key', required: false },
    { kind: 'text', name: 'nickname', required: true, minLength: 3 },
  ],
});

describe('a draft', () => {
  it('a draft is there after a reload and in a new tab, from the desk’s memory and not the browser’s', async () => {
    await using me = await nextPage(person);
    const question = everyField('k-1');
    void on.inbox.ask(question);
    await me.page.goto(at('/calls/k-1'));
    await me.page.getByLabel('Full name').fill('Ada Lovelace');
    await me.page.getByRole('checkbox', { name: 'MON' }).uncheck();
    await me.page.getByRole('checkbox', { name: 'WED' }).check();
    await me.page.getByRole('radio', { name: 'No', exact: true }).check();
    await me.page.locator('.review', { hasText: /Send me news\s*No/ }).waitFor();
    const holds = async (page: Page) => {
      expect(await page.getByLabel('Full name').inputValue()).toBe('Ada Lovelace');
      expect(await page.getByRole('checkbox', { name: 'MON' }).isChecked()).toBe(false);
      expect(await page.getByRole('checkbox', { name: 'WED' }).isChecked()).toBe(true);
      expect(await page.getByRole('radio', { name: 'No', exact: true }).isChecked()).toBe(true);
      await page.locator('.review', { hasText: 'Ada Lovelace' }).waitFor();
    };
    await me.page.reload();
    await holds(me.page);
    await me.page.close();
    const again = await me.context.newPage();
    await again.goto(at('/calls/k-1'));
    await holds(again);
    expect(await stored(again)).not.toMatch(/Lovelace|csrf/);
    await again.getByRole('button', { name: 'Decline' }).click();
    await again.locator('.ending-declined').waitFor();
    expect(await again.locator('.left-over').count()).toBe(0);
    expect(calls.draft(question.id)).toBeUndefined();
    expect(me.troubles).toEqual([]);
  });

  it('a draft is told when the tab goes before anything was told', async () => {
    await using me = await enter(on.desk.startUrl());
    const question = useModel('k-2');
    void on.inbox.ask(question);
    await me.page.clock.install();
    await me.page.goto(at('/calls/k-2'));
    await stopClock(me.page);
    const told = toldOf(question.id);
    await me.page.getByLabel('System prompt').fill('Be kind.');
    await me.page.close({ runBeforeUnload: true });
    await told;
    const again = await me.context.newPage();
    await again.goto(at('/calls/k-2'));
    expect(await again.getByLabel('System prompt').inputValue()).toBe('Be kind.');
    on.inbox.end(question.id, { how: 'withdrawn' });
    await again.locator('.left-over', { hasText: 'Be kind.' }).waitFor();
    expect(me.troubles).toEqual([]);
  });

  it('a draft never holds a secret, nor a card number', async () => {
    await using me = await nextPage(person);
    const question = signIn('k-3');
    void on.inbox.ask(question);
    await me.page.goto(at('/calls/k-3'));
    await me.page.getByLabel('Password').fill('hunter2');
    await me.page.getByLabel('Private key').fill('PRIVATE-KEY');
    await me.page.getByLabel('Nickname').fill('4111 1111 1111 1111');
    await me.page.locator('.secret-warning', { hasText: 'looks like a card number' }).waitFor();
    expect([...calls.draft(question.id)!.keys()]).toEqual([]);
    await me.page.getByLabel('Nickname').fill('ada');
    await me.page.locator('.review', { hasText: 'ada' }).waitFor();
    expect([...calls.draft(question.id)!]).toEqual([['f2', ['ada']]]);
    expect(await stored(me.page)).not.toMatch(/hunter2|PRIVATE|ada/);
    expect(await violations(me.page)).toEqual([]);
    on.inbox.end(question.id, { how: 'timed-out' });
    const left = me.page.locator('.left-over');
    await left.waitFor();
    expect(await left.textContent()).toMatch(/Secrets are not kept.*Nickname\s*ada/);
    expect(await me.page.content()).not.toMatch(/hunter2|PRIVATE-KEY/);
    expect(me.troubles).toEqual([]);
  });
});

describe('what was typed when a question ends without the person', () => {
  it.each(some(['withdrawn', 'timed-out', 'server-gone']))(
    'what was typed stays to be copied, to the last key: %s',
    async how => {
      await using me = await enter(on.desk.startUrl(), { permissions: ['clipboard-read', 'clipboard-write'] });
      const question = everyField(`e-${how}`);
      void on.inbox.ask(question);
      await me.page.clock.install();
      await me.page.goto(at(`/calls/e-${how}`));
      await stopClock(me.page);
      await me.page.getByLabel('Full name').fill('Ada Lovelace');
      on.inbox.end(question.id, { how });
      const left = me.page.locator('.left-over');
      await left.waitFor();
      expect(await left.locator('p').textContent()).toBe(
        'You typed this, and it was not sent. It stays here until the desk stops, so that you can copy it.',
      );
      expect(await left.locator('dt').allTextContents()).toEqual(['Full name']);
      await left.getByRole('button', { name: 'Copy' }).click();
      await left.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await me.page.evaluate(() => navigator.clipboard.readText())).toBe('Ada Lovelace');
      expect(await violations(me.page)).toEqual([]);
      expect(me.troubles).toEqual([]);
    },
  );

  it('what was typed is there for somebody who comes back to a tab that was closed', async () => {
    await using me = await nextPage(person);
    const question = everyField('e-closed');
    void on.inbox.ask(question);
    await me.page.goto(at('/calls/e-closed'));
    await me.page.getByLabel('Full name').fill('Ada Lovelace');
    await me.page.getByRole('spinbutton', { name: 'Age' }).fill('36');
    await me.page.locator('.review', { hasText: '36' }).waitFor();
    await me.page.close();
    on.inbox.end(question.id, { how: 'server-gone' });
    const again = await me.context.newPage();
    await again.goto(at('/calls/e-closed'));
    expect(await again.locator('.left-over [data-typed]').allTextContents()).toEqual([
      'Full nameAda Lovelace',
      'Age36',
    ]);
  });

  it('nothing is said of what was typed where nothing was', async () => {
    await using me = await nextPage(person);
    const question = everyField('e-nothing');
    void on.inbox.ask(question);
    await me.page.goto(at('/calls/e-nothing'));
    on.inbox.end(question.id, { how: 'timed-out' });
    await me.page.locator('.ending-timed-out').waitFor();
    expect(await me.page.locator('.left-over').count()).toBe(0);
  });
});

describe('a secret on the page', () => {
  it('a secret on the page stays hidden or shown as the person wants, and stays typed, while the rest is checked', async () => {
    await using me = await nextPage(person);
    const question = signIn('r-1');
    const ending = on.inbox.ask(question);
    await me.page.goto(at('/calls/r-1'));
    const password = me.page.getByLabel('Password');
    const show = me.page.locator('[data-field=f0] [data-reveal]');
    await password.fill('hunter2');
    const review = me.page.locator('.review');
    await me.page.locator('.review', { hasText: '••••••••' }).waitFor();
    expect([await password.getAttribute('type'), await review.textContent()]).toEqual([
      'password',
      expect.not.stringContaining('hunter2'),
    ]);
    await show.click();
    await me.page.getByLabel('Nickname').fill('ad');
    await me.page.getByLabel('Nickname').blur();
    await me.page.locator('.error').waitFor();
    expect([await password.getAttribute('type'), await password.inputValue()]).toEqual(['text', 'hunter2']);
    expect(await show.getAttribute('aria-pressed')).toBe('true');
    await show.click();
    expect(await password.getAttribute('type')).toBe('password');
    await me.page.getByLabel('Nickname').fill('ada');
    await me.page.getByRole('button', { name: 'Send answer' }).click();
    expect(await ending).toMatchObject({ content: { password: 'hunter2', nickname: 'ada' } });
    await me.page.locator('.ending-answered').waitFor();
    expect(await me.page.content()).not.toContain('hunter2');
    expect(me.troubles).toEqual([]);
  });
});
