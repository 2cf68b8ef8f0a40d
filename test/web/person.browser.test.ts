/** The inbox of a person in a browser. */
import type { FormQuestion } from '@midcall/host';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  intercept,
  launch,
  leaveBrowser,
  nextPage,
  storesNothing,
  type Visitor,
  violations,
  visitor,
} from './browser.ts';
import { judged } from './person-looks.ts';
import { type PersonStage, personStage } from './person-stage.ts';
import { builtClient, everyField, finishPage, openPage, pickOne, useModel } from './stage.ts';

let browser: Browser;
/** Whoever needs no browser of their own. */
let anybody: Visitor;
beforeAll(async () => {
  browser = await launch();
  anybody = await visitor(browser);
});
afterAll(() => leaveBrowser(browser));

/** Somebody who is signed in, on the list of what waits for them. */
async function enter(options?: BrowserContextOptions) {
  const on = await personStage({ client: builtClient });
  const me = options === undefined ? await nextPage(anybody) : await visitor(browser, options);
  onTestFinished(async () => {
    await me[Symbol.asyncDispose]();
    await on[Symbol.asyncDispose]();
    expect(on.errors).toEqual([]);
    expect(me.troubles).toEqual([]);
  });
  await me.page.goto(`${on.url}/`);
  return { on, ...me };
}

const card = (page: Page) => page.getByRole('article');
const items = (page: Page) => page.locator('.person-list .inbox-item');

/** Another tab of the same browser. */
async function tab({ on, context }: Awaited<ReturnType<typeof enter>>, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${on.url}${path}`);
  return page;
}

/** A form with one line of text. */
const oneLine = (message: string, more: Partial<FormQuestion> = {}): FormQuestion => ({
  ...pickOne(undefined),
  message,
  fields: [{ kind: 'text', name: 'colour', title: 'Colour', required: true }],
  ...more,
});

describe('answering', () => {
  it('a form of several kinds of field is filled in from the list, and the next question follows', async () => {
    const me = await enter();
    const { on, page } = me;
    const question = everyField('profile');
    const next = { ...oneLine('Which colour?'), askedAt: Date.now() };
    const ending = on.questions.ask(question);
    await items(page).filter({ hasText: 'Tell us about you.' }).waitFor();
    const second = on.questions.ask(next);
    await items(page).nth(1).waitFor();
    expect(await page.title()).toBe('(2) Inbox · Midcall');
    await items(page).first().click();
    await card(page).waitFor();
    await card(page).getByLabel('Full name').fill('A');
    await card(page).getByLabel('Email').fill('ada@lovelace.example');
    await card(page).locator('.error').filter({ hasText: '2' }).waitFor();
    await card(page).getByLabel('Full name').fill('Ada Lovelace');
    await card(page).getByRole('searchbox').fill('Country 77');
    await card(page).getByText('Country 77', { exact: true }).click();
    await card(page).getByLabel('Shift').selectOption({ label: 'Shift 3' });
    await card(page).getByText('WED', { exact: true }).click();
    await card(page).getByRole('button', { name: 'Send answer' }).click();
    expect(await ending).toMatchObject({
      how: 'answered',
      via: 'inbox',
      content: {
        full_name: 'Ada Lovelace',
        email: 'ada@lovelace.example',
        country: 'c77',
        shift: 's3',
        days: ['mon', 'wed'],
        // The zone of the browser.
        meet_at: '2026-07-01T12:00:00+02:00',
      },
    });
    await page.getByText('You answered.').waitFor();
    await page.getByRole('link', { name: 'Next: notes asks you' }).click();
    await card(page).getByLabel('Colour').fill('green');
    await page.keyboard.press('Enter');
    expect(await second).toMatchObject({ content: { colour: 'green' } });
    await page.getByText('Nothing more waits for you.').waitFor();
  });

  it('a wizard goes back with what was typed', async () => {
    const { on, page } = await enter();
    const back = { kind: 'select', name: 'back', required: false, wayBack: true } as const;
    const question = oneLine('Step 2: Colour', {
      fields: [
        { kind: 'text', name: 'colour', title: 'Colour', required: false },
        { ...back, choices: [{ value: 'wall', title: 'Change: Wall' }] },
      ] as unknown as FormQuestion['fields'],
    });
    const ending = on.questions.ask(question);
    await page.goto(`${on.url}/questions/${question.id}`);
    await card(page).getByLabel('Colour').fill('red');
    await card(page).getByRole('button', { name: 'Change: Wall' }).click();
    expect(await ending).toMatchObject({ how: 'answered', content: { colour: 'red', back: 'wall' } });
  });

  it.each([
    ['Decline', 'declined', 'You declined.'],
    ['Dismiss', 'dismissed', 'You dismissed it.'],
  ])('a question ends by its button: %s', async (name, how, says) => {
    const { on, page } = await enter();
    const question = pickOne('d');
    const ending = on.questions.ask(question);
    await items(page).first().click();
    await card(page).getByRole('button', { name }).click();
    await page.getByText(says).waitFor();
    expect(await ending).toEqual({ how, via: 'inbox' });
  });

  it('a page opens in a tab of its own, after the consent', async () => {
    const { on, page, context } = await enter();
    await context.route('https://pay.example.com/**', route =>
      route.fulfill({ body: 'Paid.', contentType: 'text/plain' }),
    );
    const ending = on.questions.ask(openPage('https://pay.example.com/x'));
    await items(page).first().click();
    const opened = context.waitForEvent('page');
    await card(page).getByRole('button', { name: 'Open the page' }).click();
    const other = await opened;
    await other.getByText('Paid.').waitFor();
    expect(await other.evaluate(() => document.referrer)).toBe('');
    expect(await ending).toMatchObject({ how: 'answered' });
    await page.getByText('You agreed to open the page.').waitFor();
  });

  it('a call that waits is made, and its arguments are shown', async () => {
    const { on, page } = await enter();
    const { id, asker, askedAt } = pickOne(undefined);
    const ending = on.questions.ask({
      ...{ kind: 'call', id, asker, askedAt, why: 'rule 2 says ask' },
      call: { id: 'c', kind: 'tool', name: 'remove_branch', arguments: { branch: 'main' } },
      grants: { scopes: ['exact'], fields: [], ends: ['hour'], recent: [] },
    });
    await items(page).first().click();
    await card(page).getByText('The call has not been made.').waitFor();
    expect(await card(page).textContent()).not.toContain('Let calls like it pass');
    await card(page).getByRole('button', { name: 'Make this call once' }).click();
    await page.getByText('You said yes to the call.').waitFor();
    expect(await ending).toMatchObject({ how: 'answered' });
  });

  it('the second of two tabs says that the first was faster, and keeps what was typed there to be copied', async () => {
    const me = await enter();
    const question = oneLine('Which colour?');
    const ending = me.on.questions.ask(question);
    const [first, second] = [await tab(me, `/questions/${question.id}`), await tab(me, `/questions/${question.id}`)];
    await second.getByLabel('Colour').fill('blue, typed in vain');
    await first.getByLabel('Colour').fill('red');
    await first.getByRole('button', { name: 'Send answer' }).click();
    await second.getByText('You answered.').waitFor();
    expect(await ending).toMatchObject({ content: { colour: 'red' } });
    await second.getByText('You typed this, and it was not sent.').waitFor();
    expect(await second.locator('.left-over dd').textContent()).toBe('blue, typed in vain');
    await first.getByText('You answered.').waitFor();
    expect(await first.locator('.left-over').isVisible()).toBe(false);
    expect(await violations(second)).toEqual([]);
  });

  it('exactly one of two answers sent at once wins, and the other tab says so for as long as it is open', async () => {
    const { on, page: first, context } = await enter();
    const question = oneLine('Which colour?');
    const ending = on.questions.ask(question);
    // No page is told of changes, so that both answers are sent.
    await first.close();
    const tabs = await Promise.all(
      ['red', 'blue'].map(async colour => {
        const page = await context.newPage();
        await page.route('**/events?*', () => {});
        await page.goto(`${on.url}/questions/${question.id}`);
        await page.getByLabel('Colour').fill(colour);
        return { colour, page };
      }),
    );
    await Promise.all(tabs.map(({ page }) => page.getByRole('button', { name: 'Send answer' }).click()));
    const ended = await ending;
    const colour = ended.how === 'answered' && ended.content?.['colour'];
    const [won, lost] = tabs[0]!.colour === colour ? tabs : [tabs[1]!, tabs[0]!];
    await won!.page.getByText('You answered.').waitFor();
    const late = lost!.page.getByText('Your earlier answer was received; this one was not. You answered.');
    await late.waitFor();
    // What is told after a change has the page look again.
    void on.questions.ask(oneLine('Another question'));
    await lost!.page.evaluate(() => window.dispatchEvent(new Event('online')));
    await lost!.page.locator('.inbox-count').filter({ hasText: '1' }).waitFor();
    expect(await late.isVisible()).toBe(true);
    expect(await lost!.page.locator('.left-over dd').textContent()).toBe(lost!.colour);
  });

  it('a question that was answered elsewhere is shown as such at once, on its page and in the list', async () => {
    const me = await enter();
    const question = oneLine('Which colour?');
    void me.on.questions.ask(question);
    const other = await tab(me, `/questions/${question.id}`);
    await card(other).waitFor();
    await me.page.locator('.head').filter({ hasText: '1 question waiting' }).waitFor();
    await me.on.questions.inbox.reply(question.id, { action: 'decline' }, 'host');
    await other.getByText('You declined in the host.').waitFor();
    await me.page.getByText('Nothing is waiting for you.').waitFor();
    await me.page.getByRole('link', { name: 'Past', exact: true }).click();
    await me.page.getByText('in the host').waitFor();
  });

  it('the page says that an answer is on its way, and then how it ended', async () => {
    const { on, page } = await enter();
    const question = oneLine('Which colour?');
    void on.questions.ask(question);
    await items(page).first().click();
    on.questions.isSilent = true;
    await card(page).getByLabel('Colour').fill('red');
    await card(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('Your answer is on its way.').waitFor();
    expect(await violations(page)).toEqual([]);
    await on.questions.deliver();
    await page.getByText('You answered.').waitFor();
  });

  it('the page says what to do when the host has stopped waiting', async () => {
    const { on, page } = await enter();
    const question = oneLine('Which colour?');
    void on.questions.ask(question);
    on.questions.wait(question.id, { host: 'Zed', state: 'waits' });
    await items(page).first().click();
    await card(page).getByText('Zed waits').waitFor();
    on.questions.wait(question.id, { host: 'Zed', state: 'left' });
    await card(page).getByText('Answer here; then go back to it and say “continue”.').waitFor();
    await card(page).getByLabel('Colour').fill('red');
    await page.keyboard.press('Enter');
    await page.getByText('Zed has stopped waiting: go back to it and say “continue”.').waitFor();
  });
});

describe('a page that is open', () => {
  it('an open page follows ten questions as they come and end, and keeps what is typed, its focus and its place', async () => {
    const { on, page } = await enter();
    const all = Array.from({ length: 10 }, (_, at) => oneLine(`Question ${at}`, { askedAt: Date.now() + at }));
    for (const question of all) void on.questions.ask(question);
    await items(page).nth(9).waitFor();
    await page.locator('.head').filter({ hasText: '10 questions waiting' }).waitFor();
    await page.locator('#announce').filter({ hasText: 'questions waiting' }).waitFor({ state: 'attached' });
    await items(page).nth(4).click();
    await card(page).getByLabel('Colour').fill('half a wo');
    for (const question of all.slice(0, 4)) on.questions.inbox.end(question.id, { how: 'timed-out' });
    await page.locator('.inbox-count').filter({ hasText: '6' }).waitFor();
    await page.keyboard.type('rd');
    expect(await card(page).getByLabel('Colour').inputValue()).toBe('half a word');
    await page.getByRole('link', { name: 'Past', exact: true }).click();
    await page.getByRole('heading', { name: 'Past questions' }).waitFor();
    await page.goBack();
    expect(await card(page).getByLabel('Colour').inputValue()).toBe('half a word');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('You answered.').waitFor();
    await page
      .getByRole('link', { name: /^Inbox/ })
      .first()
      .click();
    await items(page).nth(4).waitFor();
    await items(page).nth(1).focus();
    on.questions.inbox.end(all[5]!.id, { how: 'withdrawn' });
    await page.locator('.inbox-count').filter({ hasText: '4' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Question 6');
  });

  it('a secret is never put aside, in the page nor elsewhere in the browser', async () => {
    const { on, page } = await enter();
    const question = oneLine('Sign in', {
      fields: [
        { kind: 'text', name: 'password', required: true },
        { kind: 'text', name: 'user', required: false },
      ],
    });
    void on.questions.ask(question);
    await items(page).first().click();
    await card(page).getByLabel('Password').fill('hunter2-of-the-tab');
    await card(page).getByLabel('User').fill('ada');
    await page.getByRole('link', { name: 'Past', exact: true }).click();
    await page.getByRole('heading', { name: 'Past questions' }).waitFor();
    await page.goBack();
    expect(await card(page).getByLabel('User').inputValue()).toBe('ada');
    expect(await card(page).getByLabel('Password').inputValue()).toBe('');
    await card(page).getByLabel('Password').fill('hunter2-of-the-tab');
    on.questions.inbox.end(question.id, { how: 'timed-out' });
    await page.getByText('You typed this').waitFor();
    expect(await page.locator('.left-over').textContent()).not.toContain('hunter2-of-the-tab');
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    );
    expect(stored).not.toMatch(/hunter2|ada/);
  });

  it('the page says that the inbox cannot be reached, keeps what is typed, and goes on by itself', async () => {
    const { on, page, context, troubles } = await enter();
    const question = oneLine('Which colour?');
    const ending = on.questions.ask(question);
    await items(page).first().click();
    await card(page).getByLabel('Colour').fill('red');
    await context.setOffline(true);
    await card(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('The inbox may not have received this.').waitFor();
    await page.getByText('The inbox cannot be reached.').waitFor();
    expect(await card(page).getByLabel('Colour').inputValue()).toBe('red');
    expect(await violations(page)).toEqual([]);
    await context.setOffline(false);
    await page.getByText('The inbox cannot be reached.').waitFor({ state: 'hidden' });
    await card(page).getByRole('button', { name: 'Send answer' }).click();
    expect(await ending).toMatchObject({ content: { colour: 'red' } });
    troubles.length = 0;
  });
});

describe('an odd device', () => {
  it('a clock that is an hour fast ends no question before its time', async () => {
    const { on, page } = await enter({});
    const now = Date.now();
    const question = oneLine('Which colour?', { openUntil: now + 1_800_000 });
    void on.questions.ask(question);
    await page.clock.setFixedTime(now + 3_600_000);
    await page.goto(`${on.url}/questions/${question.id}`);
    await page.locator('body.scripted').waitFor();
    expect(await card(page).locator('.time-left').isVisible()).toBe(false);
    expect(await card(page).locator('.chip-wait .age').textContent()).toMatch(/ s$|^\d min$/);
  });

  it('a browser that refuses to store anything, and lets pages share nothing, shows what comes, and sends answers', async () => {
    const { on, page } = await enter({});
    await page.addInitScript(storesNothing);
    await page.goto(`${on.url}/`);
    await page.locator('body.scripted').waitFor();
    const ending = on.questions.ask(oneLine('Which colour?'));
    await items(page).first().click();
    await card(page).getByLabel('Colour').fill('red');
    await card(page).getByRole('button', { name: 'Send answer' }).click();
    expect(await ending).toMatchObject({ content: { colour: 'red' } });
    await page.getByText('You answered.').waitFor();
  });
});

describe('an answer that fails on its way', () => {
  /** Somebody who has typed an answer; what is sent gets its answer from `answer`. */
  async function typed(answer: (route: Route) => unknown, options?: BrowserContextOptions) {
    const me = await enter(options);
    const question = oneLine('Which colour?');
    const ending = me.on.questions.ask(question);
    await items(me.page).first().click();
    await card(me.page).getByLabel('Colour').fill('a long answer');
    await intercept(me.page, `**/questions/${question.id}`, route =>
      route.request().method() === 'POST' ? answer(route) : route.continue(),
    );
    return { ...me, question, ending, colour: card(me.page).getByLabel('Colour') };
  }
  const send = (page: Page) => card(page).getByRole('button', { name: 'Send answer' }).click();
  const box = (page: Page, says: string) =>
    page.getByRole('alert').filter({ has: page.getByText(says).filter({ visible: true }) });
  /** Somebody whose answer fails once they have gone on to another page, which says so. */
  async function failedElsewhere(fail: (route: Route) => unknown) {
    let failNow = (): void => {};
    const me = await typed(async route => {
      await new Promise<void>(resolve => {
        failNow = resolve;
      });
      await fail(route);
    });
    const { page } = me;
    await Promise.all([page.waitForRequest(each => each.method() === 'POST'), send(page)]);
    await page.getByRole('link', { name: 'Past', exact: true }).click();
    await page.getByRole('heading', { name: 'Past questions' }).waitFor();
    failNow();
    const notice = box(page, 'What you sent from another page may not have been received.');
    await notice.waitFor();
    return { ...me, notice };
  }

  it.each([
    [502, 'The inbox may not have received this.'],
    [500, 'The inbox may not have received this.'],
    [403, 'This was refused, so it was not sent.'],
    [413, 'This is too large, so it was not sent.'],
  ])('what was typed stays when the answer is %i, and can be sent again', async (status, says) => {
    const me = await typed(route => route.fulfill({ status, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }));
    const { page, colour, ending, troubles } = me;
    await send(page);
    await box(page, says).waitFor();
    expect(await colour.inputValue()).toBe('a long answer');
    expect(await violations(page)).toEqual([]);
    await box(page, says).getByRole('button', { name: 'Close' }).click();
    expect(await box(page, says).isVisible()).toBe(false);
    await send(page);
    await box(page, says).waitFor();
    await page.unrouteAll();
    await send(page);
    expect(await ending).toMatchObject({ content: { colour: 'a long answer' } });
    await page.getByText('You answered.').waitFor();
    expect(await box(page, says).isVisible()).toBe(false);
    troubles.length = 0;
  });

  it.each([
    ['is refused', (route: Route) => route.fulfill({ status: 422, contentType: 'text/html', body: 'Wrong' })],
    ['is lost', (route: Route) => route.abort('connectionreset')],
  ])(
    'somebody who has gone on to another page hears of it there if an answer %s, and finds it again',
    async (_, fail) => {
      const { page, notice, colour, ending, troubles } = await failedElsewhere(fail);
      expect(await notice.locator('dd').textContent()).toBe('a long answer');
      expect(await violations(page)).toEqual([]);
      await page.unrouteAll();
      await notice.getByRole('link', { name: 'Go back to that page' }).click();
      await colour.waitFor();
      expect(await colour.inputValue()).toBe('a long answer');
      expect(await notice.isVisible()).toBe(false);
      await send(page);
      expect(await ending).toMatchObject({ content: { colour: 'a long answer' } });
      troubles.length = 0;
    },
  );

  it('what was sent in vain from another page can still be copied once the session has ended', async () => {
    const { on, page, notice, troubles } = await failedElsewhere(route => route.abort('connectionreset'));
    on.isSignedIn = false;
    void on.questions.ask(oneLine('Another?'));
    await box(page, 'You are signed out.').waitFor();
    expect(await notice.locator('dd').textContent()).toBe('a long answer');
    expect(await page.locator('.kept-typed').isVisible()).toBe(true);
    troubles.length = 0;
  });

  it('an answer that takes its time is said to be on its way, and to have failed if that does not end', async () => {
    // The clock is that of all pages of a browser.
    const me = await typed(() => {}, {});
    const { page, colour, context, troubles } = me;
    await context.clock.install();
    await context.clock.pauseAt(Date.now() + 3_600_000);
    const line = page.getByRole('status').filter({ hasText: 'Sending…' });
    await Promise.all([page.waitForRequest(each => each.method() === 'POST'), send(page)]);
    expect(await line.isVisible()).toBe(false);
    await context.clock.runFor(300);
    await line.waitFor();
    expect(await violations(page)).toEqual([]);
    await context.clock.runFor(60_000);
    await box(page, 'The inbox may not have received this.').waitFor();
    await line.waitFor({ state: 'hidden' });
    expect(await colour.inputValue()).toBe('a long answer');
    troubles.length = 0;
  });
});

describe('signing out', () => {
  it('signing out ends the session, forgets its path, and leads every other page of it to signing in', async () => {
    const me = await enter();
    const { on, page, troubles } = me;
    const other = await tab(me, '/past');
    await page.getByRole('link', { name: 'Sign out' }).click();
    const everywhere = page.getByRole('button', { name: 'Sign out everywhere' });
    await everywhere.waitFor();
    expect(await violations(page)).toEqual([]);
    await everywhere.click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(on.signedOut).toBe('everywhere');
    await other.getByText('Your session has ended.').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('midcall-inbox'))).toBeNull();
    // The page in the other tab was refused, as it should be.
    troubles.length = 0;
  });

  it('what was typed stays when the session has ended meanwhile', async () => {
    const { on, page, troubles } = await enter();
    void on.questions.ask(oneLine('Which colour?'));
    await items(page).first().click();
    await card(page).getByLabel('Colour').fill('a long answer');
    on.isSignedIn = false;
    await card(page).getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('You are signed out.').filter({ visible: true }).waitFor();
    expect(await card(page).getByLabel('Colour').inputValue()).toBe('a long answer');
    expect(await violations(page)).toEqual([]);
    troubles.length = 0;
  });

  it('what says that an answer was not sent stays, where nothing was typed and the session had ended', async () => {
    const { on, page, troubles } = await enter();
    void on.questions.ask(oneLine('Which colour?'));
    // A stream that is refused is how the page would learn that the session has ended, before anything is sent.
    await expect.poll(() => on.questions.listeners, { timeout: 120_000 }).toBe(1);
    await items(page).first().click();
    await card(page).waitFor();
    on.isSignedIn = false;
    await card(page).getByRole('button', { name: 'Decline' }).click();
    const says = page.getByText('Your session has ended.');
    await says.waitFor();
    await says.evaluate(line => {
      line.dataset['marked'] = '';
    });
    const refused = page.waitForResponse(each => each.status() === 401 && each.request().method() === 'GET');
    on.questions.tell();
    await refused;
    await page.evaluate(async () => void (await fetch(location.href)));
    expect(await page.locator('[data-marked]').isVisible()).toBe(true);
    troubles.length = 0;
  });

  it('what says that an answer came too late stays when the session ends', async () => {
    const { on, page, troubles } = await enter();
    const question = oneLine('Which colour?');
    void on.questions.ask(question);
    await items(page).first().click();
    await card(page).waitFor();
    // The page does not learn that the question has ended.
    const fetched = `${on.url}/questions/${question.id}`;
    await intercept(page, fetched, route => (route.request().method() === 'GET' ? route.abort() : route.continue()));
    on.questions.inbox.end(question.id, { how: 'timed-out' });
    await card(page).getByRole('button', { name: 'Decline' }).click();
    const says = page.getByText('Your answer was not sent, because this question had already ended.');
    await says.waitFor();
    on.isSignedIn = false;
    await page.unrouteAll();
    on.questions.tell();
    await page.getByText('You are signed out.').filter({ visible: true }).waitFor();
    expect(await says.isVisible()).toBe(true);
    troubles.length = 0;
  });

  it('the public address finds the session of a browser again, with the question that it names', async () => {
    const { on, page, troubles } = await enter();
    const question = oneLine('Which colour?');
    void on.questions.ask(question);
    await page.goto(`${on.origin}/inbox`);
    await items(page).first().waitFor();
    await page.goto(`${on.origin}/inbox?question=${question.id}`);
    await card(page).getByLabel('Colour').waitFor();
    on.isSignedIn = false;
    await page.goto(`${on.origin}/inbox`);
    await page.getByText('Your session has ended.').waitFor();
    await page.waitForFunction(() => localStorage.getItem('midcall-inbox') === null);
    await page.goto(`${on.origin}/inbox`);
    await page.getByText('Here you find what servers ask you.').waitFor();
    troubles.length = 0;
  });
});

describe('for everybody', () => {
  it('the inbox can be used by the keyboard alone', async () => {
    const { on, page } = await enter();
    const ending = on.questions.ask(pickOne('keys'));
    const next = on.questions.ask(oneLine('Which colour?', { askedAt: Date.now() }));
    await items(page).nth(1).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Multiple notes match');
    await page.keyboard.press('Enter');
    await card(page).waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('[data-question] input'));
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+Enter');
    expect(await ending).toMatchObject({ how: 'answered', content: { note_id: 'note-2024', confirm: true } });
    await page.getByText('You answered.').waitFor();
    while (!(await focused()).startsWith('Next:')) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('[data-question] textarea'));
    await page.keyboard.press('Escape');
    expect(await next).toMatchObject({ how: 'dismissed' });
  });

  it('the inbox works without client script', async () => {
    const { on, page } = await enter({ javaScriptEnabled: false });
    const question = everyField('plain');
    const ending = on.questions.ask(question);
    await page.goto(`${on.url}/`);
    await page.locator('.zone-note').filter({ hasText: 'Times are in UTC.' }).waitFor();
    await items(page).first().click();
    await card(page).getByLabel('Full name').fill('A');
    await card(page).getByRole('button', { name: 'Review first' }).click();
    await card(page).getByLabel('Full name').fill('Ada');
    await card(page).getByText('Country 7', { exact: true }).click();
    await card(page).getByRole('button', { name: 'Send answer' }).click();
    expect(await ending).toMatchObject({
      content: { full_name: 'Ada', country: 'c7', meet_at: '2026-07-01T10:00:00Z' },
    });
    await page.getByText('You answered.').waitFor();
    await page.getByRole('link', { name: 'Past', exact: true }).click();
    await page.getByText('here', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out of this browser' }).click();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(on.signedOut).toBe('here');
  });

  it('the inbox is clean for axe, in every width and colour: lists, cards, endings, and pages outside a session', async () => {
    const { on, page, troubles } = await enter();
    const judge = (name: string) => judged(page, name);
    await page.getByText('Nothing is waiting for you.').waitFor();
    await judge('empty');
    const asked = fill(on);
    await page.goto(`${on.url}/`);
    await judge('list');
    for (const [name, { id }] of Object.entries(asked)) {
      await page.goto(`${on.url}/questions/${id}`);
      await judge(name);
    }
    await page.goto(`${on.url}/past`);
    await judge('past');
    await page.locator('td a').nth(1).click();
    await page.locator('.timeline').waitFor();
    await judge('past-question');
    await page.goto(`${on.url}/sign-out`);
    await judge('sign-out');
    await page.goto(`${on.url}/questions/none`);
    await judge('missing');
    on.isSignedIn = false;
    await page.evaluate(() => localStorage.clear());
    await page.goto(`${on.origin}/inbox`);
    await judge('notice');
    troubles.length = 0;
  });
});

/** Questions in every state. @returns those that have a page of interest */
function fill({ questions }: PersonStage) {
  const now = Date.now();
  const form = { ...everyField('profile'), askedAt: now - 7_300_000, openUntil: now + 3_600_000 };
  const pick = { ...pickOne('delete'), askedAt: now - 640_000 };
  const url = { ...openPage(), askedAt: now - 90_000 };
  const model = { ...useModel('sum'), askedAt: now - 30_000 };
  const finish = { ...finishPage('connect'), askedAt: now - 20_000 };
  const call = {
    ...{ kind: 'call' as const, id: 'the-call', asker: pick.asker, askedAt: now - 4_000, why: 'rule 2 says ask' },
    call: { id: 'c', kind: 'tool' as const, name: 'deploy', arguments: { branch: 'main', notes: 'One\nTwo\nThree' } },
  };
  const sent = { ...oneLine('Which colour?'), id: 'the-sent', askedAt: now - 1_000 };
  for (const question of [form, pick, url, model, finish, call, sent]) void questions.ask(question);
  questions.wait(pick.id, { host: 'Claude Desktop', state: 'waits', until: now + 600_000 });
  questions.wait(form.id, { host: 'Visual Studio Code', state: 'left' });
  questions.isSilent = true;
  void questions.reply(sent.id, { action: 'accept', content: { colour: 'red' } });
  questions.isSilent = false;
  const content = { note_id: 'note-2024', confirm: true };
  questions.past(pickOne('a'), { how: 'answered', via: 'inbox', content }, now - 90_000_000);
  questions.past(openPage('https://pay.example.com/x'), { how: 'declined', via: 'host' }, now - 80_000_000);
  questions.past(call, { how: 'in-doubt' }, now - 70_000_000);
  questions.past(useModel('b'), { how: 'timed-out' }, now - 60_000_000);
  questions.past(
    pickOne('c'),
    { how: 'refused-by-policy', decision: 'An administrator removed you.' },
    now - 50_000_000,
  );
  questions.past(pickOne('d'), { how: 'answered', via: 'host', content }, now - 40_000_000);
  return { form, pick, url, model, finish, call, sent };
}
