/** What client script adds to the desk: questions that come and go, forms checked while they are filled in, one stream. */
import type { Browser, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../fixtures/grown.ts';
import { launch, leaveBrowser, nextPage, storesNothing, type Visitor, visitor } from './browser.ts';
import { builtClient, everyField, openPage, pickOne, stageOfFile } from './stage.ts';

const on = await stageOfFile({ client: builtClient });
let browser: Browser;
let person: Visitor;
beforeAll(async () => {
  browser = await launch();
  person = await visitor(browser);
  await person.page.goto(on.desk.startUrl());
  await person.page.goto('about:blank');
});
afterAll(() => leaveBrowser(browser));

const at = (path: string): string => new URL(path.replace(/^\//, ''), on.desk.url).href;

it('a question comes to a page that is open without taking focus or typed text', async () => {
  await using me = await nextPage(person);
  const first = everyField('l-1');
  void on.inbox.ask(first);
  await me.page.goto(at('/calls/l-1'));
  const name = me.page.getByLabel('Full name');
  await name.fill('Ada Lovelace');
  const before = on.inbox.list().length;
  const second = pickOne('l-2');
  void on.inbox.ask(second);
  await me.page.locator('#inbox-pill', { hasText: `${before + 1} questions` }).waitFor();
  expect(await name.inputValue()).toBe('Ada Lovelace');
  expect(await me.page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('f0');
  expect(await me.page.title()).toContain(`(${before + 1})`);
  expect(await me.page.locator('#announce').textContent()).toBe('notes asks you a question for notes_delete.');
  expect(me.troubles).toEqual([]);
  on.inbox.end(first.id, { how: 'withdrawn' });
  on.inbox.end(second.id, { how: 'withdrawn' });
});

it('controls stay where they are while a problem of another field comes and goes', async () => {
  await using me = await nextPage(person);
  void on.inbox.ask(everyField('c-1'));
  await me.page.goto(at('/calls/c-1'));
  const name = me.page.getByLabel('Full name');
  const same = () => name.evaluate(control => control.isConnected && document.activeElement === control);
  await me.page.getByRole('checkbox', { name: 'MON' }).uncheck();
  await name.focus();
  const handle = (await name.elementHandle())!;
  await me.page.locator('.problems').waitFor();
  expect([await same(), await handle.evaluate(control => control.isConnected)]).toEqual([true, true]);
  await me.page.getByRole('checkbox', { name: 'WED' }).check();
  await name.focus();
  await me.page.locator('.problems').waitFor({ state: 'detached' });
  expect([await same(), await handle.evaluate(control => control.isConnected)]).toEqual([true, true]);
  expect(me.troubles).toEqual([]);
});

it('a form closes when the server takes its question back, and the focus moves to the reason', async () => {
  await using me = await nextPage(person);
  const question = everyField('w-1');
  void on.inbox.ask(question);
  await me.page.goto(at('/calls/w-1'));
  await me.page.getByLabel('Full name').fill('Ada');
  on.inbox.end(question.id, { how: 'withdrawn' });
  await me.page.locator('.ending-withdrawn').waitFor();
  expect(await me.page.getByRole('article').count()).toBe(0);
  expect(await me.page.evaluate(() => document.activeElement?.textContent)).toContain('withdrew the question');
});

it('elicit-form-04, elicit-form-19: a form is checked while I type, shows what will be sent, and can be changed before it is', async () => {
  await using me = await nextPage(person);
  const question = everyField('t-1');
  const ending = on.inbox.ask(question);
  await me.page.goto(at('/calls/t-1'));
  const { page } = me;
  const review = page.locator('.review');
  expect(await review.textContent()).toContain('Send me newsYes default');
  await page.getByLabel('Email').fill('nonsense');
  await page.getByLabel('Email').blur();
  await page.locator('.field', { hasText: 'Email' }).locator('.error').waitFor();
  expect(await page.locator('.error').count()).toBe(1);
  await page.getByLabel('Email').fill('');
  await page.locator('.error').waitFor({ state: 'detached' });
  await page.getByLabel('Full name').fill('Ada');
  await page.getByRole('searchbox', { name: 'Filter 130 choices' }).fill('country 77');
  const countries = page.getByRole('radiogroup', { name: /^Country/ });
  expect(await countries.getByRole('radio').count()).toBe(1);
  await countries.getByRole('radio', { name: 'Country 77' }).check();
  await review.filter({ hasText: 'Country 77' }).waitFor();
  await page.locator('.field', { hasText: 'Send me news' }).getByRole('radio', { name: 'No', exact: true }).check();
  await review.filter({ hasText: /Send me newsNo(?! answer)/ }).waitFor();
  await page.getByLabel('Shift').selectOption('Shift 3');
  await page.getByRole('button', { name: 'Send answer' }).click();
  expect(await ending).toEqual({
    how: 'answered',
    via: 'web',
    content: {
      full_name: 'Ada',
      meet_at: '2026-07-01T12:00:00+02:00',
      ratio: 0.5,
      news: false,
      country: 'c77',
      shift: 's3',
      days: ['mon'],
    },
  });
  await page.locator('.ending-answered').waitFor();
  expect(me.troubles).toEqual([]);
});

it('dates and times are shown as the person reads them, with what is sent beside them, also once they change', async () => {
  await using me = await visitor(browser, { locale: 'de-DE' });
  const { page } = me;
  const question = everyField('de-1');
  void on.inbox.ask(question);
  await page.goto(on.desk.startUrl());
  await page.goto(at('/calls/de-1'));
  const review = page.locator('.review');
  await review.filter({ hasText: '01.07.2026, 12:00 2026-07-01T12:00:00+02:00' }).waitFor();
  await page.getByLabel('Birthday').fill('1815-12-10');
  await review.filter({ hasText: '10.12.1815 1815-12-10' }).waitFor();
  expect(await review.textContent()).toContain('01.07.2026, 12:00 2026-07-01T12:00:00+02:00');
  await page.getByLabel('Full name').fill('Ada');
  await page.getByRole('searchbox', { name: 'Filter 130 choices' }).fill('country 77');
  await page.getByRole('radio', { name: 'Country 77' }).check();
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.locator('.sent', { hasText: '01.07.2026, 12:00 2026-07-01T12:00:00+02:00' }).waitFor();
  expect(me.troubles).toEqual([]);
});

it('elicit-url-03, elicit-url-60, elicit-url-63: a page opens in a tab of its own, without an opener, only when asked to', async () => {
  await using me = await nextPage(person);
  const asked: string[] = [];
  await me.context.route('https://pages.example/**', route => {
    asked.push(route.request().headers()['referer'] ?? 'no referrer');
    return route.fulfill({ contentType: 'text/html', body: '<title>Far</title>' });
  });
  const question = openPage('https://pages.example/connect/1');
  const ending = on.inbox.ask(question);
  await me.page.goto(at(`/questions/${question.id}`));
  expect(asked).toEqual([]);
  const [tab] = await Promise.all([
    me.context.waitForEvent('page'),
    me.page.getByRole('button', { name: 'Open the page' }).click(),
  ]);
  expect(await ending).toEqual({ how: 'answered', via: 'web' });
  await tab.waitForURL('https://pages.example/connect/1');
  expect(await tab.evaluate(() => window.opener)).toBeNull();
  expect(asked).toEqual(['no referrer']);
  await me.page.locator('.ending-answered').waitFor();
});

it('a page catches up after the desk was out of reach', async () => {
  await using me = await nextPage(person);
  const question = pickOne('o-1');
  void on.inbox.ask(question);
  await me.page.goto(at('/calls/o-1'));
  await me.context.setOffline(true);
  on.inbox.end(question.id, { how: 'timed-out' });
  await me.context.setOffline(false);
  await me.page.locator('.ending-timed-out').waitFor();
});

it('a page is fetched again for a change that it does not show yet, and not for one that it shows', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  // Nothing of the desk's own stream comes between.
  await page.route(/\/events\?/, () => {});
  await page.goto(at('/policy'));
  await page.locator('body.scripted').waitFor();
  const fetched: string[] = [];
  page.on('request', request => {
    const { pathname } = new URL(request.url());
    // The page begins to listen when it has the lock for it, which may be after all else.
    if (!pathname.endsWith('/events')) fetched.push(pathname);
  });
  const hear = (more: number) =>
    page.evaluate(add => {
      const id = Number(document.body.dataset['event']) + add;
      new BroadcastChannel(`midcall-events ${document.body.dataset['base']}`).postMessage({
        type: 'changed',
        id,
        text: `change ${id}`,
      });
      return `change ${id}`;
    }, more);
  await page.locator('#announce', { hasText: await hear(0) }).waitFor({ state: 'attached' });
  expect(fetched).toEqual([]);
  const again = page.waitForResponse(/\/policy$/);
  await page.locator('#announce', { hasText: await hear(1) }).waitFor({ state: 'attached' });
  await again;
  expect(fetched).toEqual([new URL(page.url()).pathname]);
  expect(me.troubles).toEqual([]);
});

it('a question is on the page without another request, also where the page has become another one', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  const requestsUntil = async (id: string): Promise<readonly string[]> => {
    const sent: string[] = [];
    const log = (request: Request) => sent.push(request.url());
    page.on('request', log);
    const question = pickOne(id);
    void on.inbox.ask(question);
    await page.locator(`[data-key="i-${question.id}"]`).waitFor();
    page.off('request', log);
    on.inbox.end(question.id, { how: 'withdrawn' });
    await page.locator(`[data-key="i-${question.id}"]`).waitFor({ state: 'detached' });
    return sent;
  };
  const listens = (path: string) => page.waitForResponse(response => response.url().endsWith(encodeURIComponent(path)));
  let heard = listens('/policy');
  await page.goto(at('/policy'));
  await heard;
  expect(await requestsUntil('n-1')).toEqual([]);
  heard = listens('/models');
  await page.evaluate(url => {
    history.pushState(null, '', url);
    window.dispatchEvent(new PopStateEvent('popstate'));
  }, at('/models'));
  await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
  await heard;
  expect(await requestsUntil('n-2')).toEqual([]);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Models');
  expect(me.troubles).toEqual([]);
});

it('a form is sent by script at a click and by Ctrl+Enter, so that the browser lays out nothing that is folded', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  for (const id of ['own-1', 'own-2']) {
    void on.inbox.ask(pickOne(id));
    await page.goto(at(`/calls/${id}`));
    const byBrowser = page.evaluate(
      () => new Promise(resolve => document.addEventListener('submit', event => resolve(event.isTrusted))),
    );
    await page.getByRole('radio', { name: /2024/ }).check();
    await page.getByRole('radio', { name: 'Yes' }).check();
    if (id === 'own-1') await page.getByRole('button', { name: 'Send answer' }).click();
    else await page.keyboard.press('Control+Enter');
    expect(await byBrowser).toBe(false);
    await page.locator('.ending-answered').waitFor();
  }
  expect(me.troubles).toEqual([]);
});

it('every page of one browser is reached over one stream', async () => {
  await using me = await nextPage(person);
  const question = pickOne('b-1');
  void on.inbox.ask(question);
  const pages = [me.page, ...(await Promise.all(Array.from({ length: 6 }, () => me.context.newPage())))];
  for (const page of pages) await page.goto(at('/calls/b-1'));
  await eventually(() => on.desk.viewers === 1);
  await pages[0]!.close();
  await pages[6]!.bringToFront();
  on.inbox.end(question.id, { how: 'withdrawn' });
  for (const page of pages.slice(1)) await page.locator('.ending-withdrawn').waitFor();
  await eventually(() => on.desk.viewers === 1);
});

it('the desk stays usable with 1,000 open questions', async () => {
  await using me = await nextPage(person);
  const questions = Array.from({ length: 1_000 }, (_, n) => pickOne(`m-${n}`));
  for (const question of questions) void on.inbox.ask(question);
  const { page } = me;
  await page.goto(at('/inbox'));
  expect(await page.locator('main .inbox-item').count()).toBe(50);
  await page.getByRole('link', { name: 'Newer' }).click();
  await page.goto(at('/calls/m-500'));
  await page.getByRole('radio', { name: /2024/ }).check();
  await page.getByRole('radio', { name: 'Yes' }).check();
  await page.locator('.review', { hasText: 'Yes' }).waitFor();
  const client = await me.context.newCDPSession(page);
  // The time of the processor, not that in which others had it.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const script = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return (metrics.find(each => each.name === 'ScriptDuration')?.value ?? 0) * 1_000;
  };
  const before = await script();
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.locator('.ending-answered').waitFor();
  expect((await script()) - before).toBeLessThan(100);
  for (const question of questions) on.inbox.end(question.id, { how: 'withdrawn' });
  expect(me.troubles).toEqual([]);
});

it('the tab has a dot while a question waits, and the page says what to do where the browser blocks notifications', async () => {
  await using me = await nextPage(person);
  await me.page.addInitScript(() => {
    // As a browser is whose person chooses Block when they are asked.
    const blocked = {
      permission: 'default',
      requestPermission: async () => {
        blocked.permission = 'denied';
        return 'denied';
      },
    };
    Object.defineProperty(window, 'Notification', { value: blocked });
  });
  await me.page.goto(at('/settings'));
  for (const { id } of on.inbox.list()) on.inbox.end(id, { how: 'withdrawn' });
  const mark = (name: string) => me.page.locator(`link[rel=icon][href$="${name}"]`).waitFor({ state: 'attached' });
  await mark('icon.svg');
  const question = pickOne('dot-1');
  void on.inbox.ask(question);
  await mark('waiting.svg');
  on.inbox.end(question.id, { how: 'withdrawn' });
  await mark('icon.svg');
  const main = me.page.getByRole('main');
  const help = main.getByText('Your browser blocks notifications from the desk');
  expect(await help.isVisible()).toBe(false);
  await main.getByLabel('Alert me').check();
  await help.waitFor();
  await main.getByLabel('Alert me').uncheck();
  await help.waitFor({ state: 'hidden' });
  expect(me.troubles).toEqual([]);
});

it('a question sounds and shows a notification where the person wants that, and does neither where they do not', async () => {
  await using me = await nextPage(person);
  await me.page.addInitScript(() => {
    // A browser that says what it sounds and shows; the page is behind another window.
    const told = (what: string): void => {
      document.documentElement.dataset['told'] = `${document.documentElement.dataset['told'] ?? ''}${what};`;
    };
    const sink = { connect() {}, gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} } };
    class Audio {
      currentTime = 0;
      destination = {};
      resume = async () => {};
      createGain = () => sink;
      createOscillator = () => {
        const frequency = { value: 0 };
        return { ...sink, frequency, start: () => told(`tone ${frequency.value}`), stop() {} };
      };
    }
    class Shown {
      static permission = 'granted';
      constructor(title: string, { body }: { body: string }) {
        told(`${title}: ${body}`);
      }
      close() {
        told('taken back');
      }
    }
    Object.assign(window, { AudioContext: Audio, Notification: Shown });
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
  });
  await me.page.goto(at('/settings'));
  const announced = (text: string) => me.page.locator('#announce', { hasText: text }).waitFor({ state: 'attached' });
  const told = () => me.page.evaluate(() => document.documentElement.dataset['told'] ?? '');
  const quiet = everyField('quiet-1');
  void on.inbox.ask(quiet);
  await announced('for profile_edit');
  expect(await told()).toBe('');
  await me.page.getByRole('main').getByLabel('Alert me').check();
  const loud = pickOne('loud-1');
  void on.inbox.ask(loud);
  await announced('for notes_delete');
  await me.page.waitForFunction(() => (document.documentElement.dataset['told'] ?? '').split(';').length === 4);
  const parts = (await told()).split(';').filter(Boolean).sort();
  expect(parts).toEqual(['Midcall: notes asks you a question for notes_delete.', 'tone 660', 'tone 880']);
  on.inbox.end(loud.id, { how: 'withdrawn' });
  await me.page.waitForFunction(() => document.documentElement.dataset['told']?.endsWith('taken back;'));
  await me.page.getByRole('main').getByLabel('Alert me').uncheck();
  on.inbox.end(quiet.id, { how: 'withdrawn' });
  expect(me.troubles).toEqual([]);
});

it('the desk works in a browser that refuses to store anything, and lets pages share nothing', async () => {
  await using me = await nextPage(person);
  await me.page.addInitScript(storesNothing);
  await me.page.goto(at('/settings'));
  const alerts = me.page.getByRole('main').getByLabel('Alert me');
  await alerts.check();
  const question = pickOne('unstored-1');
  void on.inbox.ask(question);
  await me.page.locator('#announce', { hasText: 'for notes_delete' }).waitFor({ state: 'attached' });
  await me.page.locator(`[data-key="i-${question.id}"]`).click();
  await me.page.locator(`[data-question="${question.id}"]`).waitFor();
  await me.page.goBack();
  expect(await alerts.isChecked()).toBe(true);
  on.inbox.end(question.id, { how: 'withdrawn' });
  expect(me.troubles).toEqual([]);
});

it('the ways out of a long form stay in sight, with how much is answered, at every width and place', async () => {
  await using me = await nextPage(person);
  const { page } = me;
  const [long, short] = [everyField('bar-1'), pickOne('bar-2')];
  for (const question of [long, short]) void on.inbox.ask(question);
  await page.goto(at('/calls/bar-2'));
  await page.locator(`[data-question="${short.id}"]`).waitFor();
  expect(await page.locator(`[data-question="${short.id}"] .answered-count`).count()).toBe(0);
  await page.goto(at('/calls/bar-1'));
  const card = page.locator(`[data-question="${long.id}"]`);
  /** What of the bar can be seen and hit where the page is scrolled to. */
  const seen = () =>
    card.locator('.actions').evaluate(bar =>
      [...bar.querySelectorAll('.answered-count,button[name=action]')].flatMap(each => {
        const { left, top, width, height } = each.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return each.contains(hit) ? [(each as HTMLButtonElement).value ?? each.textContent] : [];
      }),
    );
  for (const [width, height] of [
    [1280, 720],
    // The same window at 200 %, then a telephone, upright and on its side.
    [640, 360],
    [360, 640],
    [640, 340],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const name of ['Full name', 'Ratio', 'THU']) {
      const field = card.getByLabel(name);
      await field.scrollIntoViewIfNeeded();
      await field.focus();
      const all = { width, height, name, bar: await seen() };
      expect(all).toEqual({ width, height, name, bar: ['5 answers, 6 left empty', 'accept', 'decline', 'dismiss'] });
    }
    const outside = await card.evaluate(
      each =>
        [...each.querySelectorAll('.actions')].filter(
          bar => bar.getBoundingClientRect().right > each.getBoundingClientRect().right,
        ).length,
    );
    expect(outside).toBe(0);
  }
  await card.getByLabel('Full name').fill('Ada Lovelace');
  await card.getByText('6 answers, 5 left empty').waitFor();
  for (const { id } of [long, short]) on.inbox.end(id, { how: 'withdrawn' });
  expect(me.troubles).toEqual([]);
});
