/** Three people at once, each with a host and a browser of their own, at a real bridge and a real OpenID Connect server. */
import type { Era } from '@midcall/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launch, leaveBrowser, violations, visitor } from '../web/browser.ts';
import { type HostOf, type InboxStage, inboxStage, type RunningBridge, signInWith } from './inbox-stage.ts';

let browser: Browser;
let stage: InboxStage;
let bridge: RunningBridge;

beforeAll(async () => {
  stage = await inboxStage();
  bridge = await stage.bridge();
  browser = await launch();
});

afterAll(async () => {
  await leaveBrowser(browser);
  await stage?.[Symbol.asyncDispose]();
});

const inbox = (): string => new URL('/inbox', bridge.address).href;
const pathOf = (page: Page): string => new URL(page.url()).pathname.match(/^\/inbox\/s\/[^/]+/)![0];
const shown = async (page: Page): Promise<string> => (await page.locator('main').textContent())!;

/** Calls `ask`. A person who takes longer than the bridge keeps a host waiting is not to be hurried: the host comes back. */
async function asked(host: HostOf, ...words: [Record<string, unknown>, { signal: AbortSignal }?]): Promise<string> {
  const told = await host.call('ask', ...words);
  return told.includes("is waiting for the person's answer") ? asked(host, ...words) : told;
}

/** Goes to something with the tab key alone. */
async function tabTo(page: Page, there: Locator): Promise<void> {
  await there.waitFor();
  for (let pressed = 0; pressed < 60; pressed += 1) {
    if (await there.evaluate(element => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The tab key does not lead there.');
}

it('each of three people sees, while they look, what they are asked and nothing else, and answers, declines or dismisses it', async () => {
  const people: readonly (readonly [string, Era])[] = [
    ['ada', '2025-11-25'],
    ['bob', '2026-07-28'],
    ['cleo', '2025-11-25'],
  ];
  const hosts: HostOf[] = [];
  for (const [who, era] of people) hosts.push(await stage.host(bridge, who, era));
  await using adas = await visitor(browser);
  await using bobs = await visitor(browser);
  await using cleos = await visitor(browser);
  const pages = [adas.page, bobs.page, cleos.page] as const;
  for (const [at, page] of pages.entries()) {
    const looked = page.waitForResponse(each => each.headers()['content-type'] === 'text/event-stream');
    await signInWith(page, people[at]![0], inbox());
    await page.getByText('Nothing is waiting for you.').waitFor();
    await page.locator('body.scripted').waitFor();
    await looked;
  }
  expect(await violations(adas.page)).toEqual([]);

  // They are looked at, so that the hosts wait.
  const results = hosts.map((host, at) => asked(host, { n: at, message: `A question for ${people[at]![0]}` }));
  for (const [at, page] of pages.entries()) {
    await page.getByRole('link', { name: `A question for ${people[at]![0]}` }).waitFor();
    const others = people.filter((_, other) => other !== at).map(([who]) => `A question for ${who}`);
    for (const other of others) expect(await shown(page)).not.toContain(other);
  }
  expect(await violations(bobs.page)).toEqual([]);

  // Ada uses the keyboard alone.
  const ada = adas.page;
  await tabTo(ada, ada.getByRole('link', { name: 'A question for ada' }));
  await ada.keyboard.press('Enter');
  await tabTo(ada, ada.locator('[name=f0]'));
  await ada.keyboard.type('green');
  await tabTo(ada, ada.getByRole('button', { name: 'Send answer' }));
  await ada.keyboard.press('Enter');
  await ada.getByText('You answered').waitFor();
  expect(await results[0]).toContain('green');
  expect(await violations(ada)).toEqual([]);

  // The address of a question of somebody else leads nowhere, in one's own session or in theirs.
  const bob = bobs.page;
  await bob.getByRole('link', { name: 'A question for bob' }).click();
  await bob.locator('[name=f0]').waitFor();
  const cleo = cleos.page;
  const stolen = bob.url();
  const own = pathOf(cleo);
  expect((await cleo.goto(stolen))!.status()).toBe(401);
  // The page leads her to her own session.
  await cleo.waitForURL(`**${own}/**`);
  expect(await shown(cleo)).not.toContain('A question for bob');
  expect((await cleo.goto(stolen.replace(pathOf(bob), own)))!.status()).toBe(404);
  await bob.getByRole('button', { name: 'Decline' }).click();
  await bob.getByText('You declined').waitFor();
  expect(await results[1]).toContain('decline');

  await cleo.goto(new URL(`${own}/`, bridge.address).href);
  await cleo.getByRole('link', { name: 'A question for cleo' }).click();
  await cleo.getByRole('button', { name: /Dismiss|Decide later|Close/ }).click();
  await cleo.getByText(/You dismissed|You closed/).waitFor();
  expect(await results[2]).toContain('cancel');
  for (const page of pages) {
    await page.getByRole('link', { name: 'Past', exact: true }).click();
    await page.getByRole('heading', { name: 'Past questions' }).waitFor();
  }
  expect(
    [await shown(ada), await shown(bob), await shown(cleo)].map(text => text.match(/A question for (?:ada|bob|cleo)/g)),
  ).toEqual(people.map(([who]) => [`A question for ${who}`]));
  for (const host of hosts) await host.client.close();
  const troubles = [...adas.troubles, ...bobs.troubles, ...cleos.troubles];
  expect(troubles.filter(each => !each.includes('401'))).toEqual([]);
});

it('a person who comes later is told to go back to their host, one who is too late that nothing was sent, and one who has signed out elsewhere that they are out', async () => {
  const host = await stage.host(bridge, 'dora', '2025-11-25', 'Dora’s host');
  await using doras = await visitor(browser);
  const { page } = doras;

  // Nobody looks, so that the model is told the way.
  const id = await host.ask({ n: 'later' });
  await signInWith(page, 'dora', `${inbox()}?question=${id}`);
  await page
    .getByText('Dora’s host has stopped waiting. Answer here; then go back to it and say “continue”.')
    .waitFor();
  await page.locator('[name=f0]').fill('blue');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await page.getByText('You answered').waitFor();
  await page.getByText('Dora’s host has stopped waiting: go back to it and say “continue”.').waitFor();
  expect(await host.call('ask', { n: 'later' })).toContain('blue');
  await page.getByText('Dora’s host came back, and has the result.').waitFor();

  // The host cancels its call while she types.
  const cancelled = new AbortController();
  const call = asked(host, { n: 'cancelled', message: 'Too late' }, { signal: cancelled.signal }).catch(() => {});
  await page.getByRole('link', { name: 'Inbox', exact: false }).first().click();
  await page.getByRole('link', { name: 'Too late' }).click();
  await page.locator('[name=f0]').fill('typed in vain');
  cancelled.abort();
  await call;
  await page.getByText('You typed this, and it was not sent.').waitFor();
  expect(await shown(page)).toContain('typed in vain');
  expect(stage.noted().filter(each => each['n'] === 'cancelled')).toEqual([]);
  expect(await violations(page)).toEqual([]);

  // Another browser signs out everywhere.
  await using other = await visitor(browser);
  await signInWith(other.page, 'dora', inbox());
  await other.page.getByRole('link', { name: 'Sign out' }).click();
  await other.page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByText('You are signed out').filter({ visible: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await host.client.close();
  expect([...doras.troubles, ...other.troubles].filter(each => !each.includes('401'))).toEqual([]);
});

it('signing out leads to signing in, though the page hears that its session has ended before the browser has the answer', async () => {
  await using me = await visitor(browser);
  const { page } = me;
  await signInWith(page, 'dora', inbox());
  await page.locator('body.scripted').waitFor();
  await page.getByRole('link', { name: 'Sign out' }).click();
  const refused = page.waitForResponse(response => response.status() === 401);
  await page.route(/\/sign-out$/, async route => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch({ maxRedirects: 0 });
    await refused;
    return route.fulfill({ response });
  });
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.waitForURL(inbox());
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
});
