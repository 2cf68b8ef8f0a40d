/**
 * The phishing story of the specification (2025-11-25 and 2026-07-28, client/elicitation, "Phishing"): an attacker gets a
 * link made for their own call and sends it, or any later address of the flow, to a victim. Two people, each with a
 * browser profile of their own, signed in at real authorization servers.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launch, leaveBrowser, type Visitor, violations, visitor } from '../web/browser.ts';
import { type PagesUnderTest, startPages } from './oauth-pages.ts';

let browser: Browser;
let under: PagesUnderTest;
let attacker: Visitor;
let victim: Visitor;

beforeAll(async () => {
  [browser, under] = await Promise.all([launch(), startPages({ forms: true })]);
  [attacker, victim] = await Promise.all([visitor(browser), visitor(browser)]);
  await signInAt(victim.page, 'victim');
  await signInAt(attacker.page, 'attacker');
});
afterAll(async () => {
  await leaveBrowser(browser);
  await under?.close();
});
beforeEach(() =>
  Promise.all(['attacker', 'victim'].map(name => under.vault.forget(under.principal(name), under.notes))),
);

const heading = (page: Page): Promise<string | null> => page.getByRole('heading', { level: 1 }).textContent();

async function fillIn(page: Page, who: string): Promise<void> {
  await page.getByLabel('Name').fill(who);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens a link of one's own, so that this profile has a session here and at the login server. */
async function signInAt(page: Page, who: string): Promise<void> {
  const { url } = await under.ask(under.principal(who));
  await page.goto(url);
  await fillIn(page, who);
  expect(await heading(page)).toBe('Connect Notes Co');
}

/** Goes from our page to the provider's. */
async function leave(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue to Notes Co' }).click();
  await page.waitForURL(`${under.thirdParty.issuer}/**`);
}

/** Signs in at the provider, which asks native clients every time, and comes back. */
async function comeBack(page: Page, who: string): Promise<void> {
  await fillIn(page, who);
  await page.waitForURL(`${under.origin}/**`);
}

async function expectNothingOfTheVictims(): Promise<void> {
  expect(await under.vault.signedIn(under.principal('victim'), under.notes)).toBeUndefined();
}

describe('phishing', () => {
  it('elicit-url-53, elicit-url-67, elicit-url-69, elicit-url-71: the victim who opens the attacker’s link is refused; the attacker’s own flow goes on; nothing is bound to anyone else', async () => {
    const { url, pageId } = await under.ask(under.principal('attacker'));
    await victim.page.goto(url);
    expect(await heading(victim.page)).toBe('This link was made for somebody else');
    expect(await victim.page.getByRole('button').allTextContents()).toEqual(['Sign in as somebody else']);
    expect(await violations(victim.page)).toEqual([]);
    expect(await under.outcome(pageId)).toBeUndefined();
    expect(under.said).toContainEqual(expect.objectContaining({ kind: 'page-refused', reason: 'other-person' }));
    await expectNothingOfTheVictims();

    await leave(attacker.page, url);
    await comeBack(attacker.page, 'attacker');
    expect(await heading(attacker.page)).toBe('This is done');
    expect(await under.outcome(pageId)).toMatchObject({ action: 'accept', assurance: 'verified' });
    expect(await under.vault.signedIn(under.principal('attacker'), under.notes)).toBeDefined();
    await expectNothingOfTheVictims();
  });

  it('elicit-url-69: the provider’s address, passed on from the attacker’s flow, does not give the attacker the victim’s account', async () => {
    const { url, pageId } = await under.ask(under.principal('attacker'));
    const [request] = await Promise.all([
      attacker.page.waitForRequest(each => each.url().startsWith(`${under.thirdParty.issuer}/auth?`)),
      leave(attacker.page, url),
    ]);
    await victim.page.goto(request.url());
    await comeBack(victim.page, 'victim');
    expect(await heading(victim.page)).toBe('This link was made for somebody else');
    expect(await under.outcome(pageId)).toBeUndefined();
    expect(await under.vault.signedIn(under.principal('attacker'), under.notes)).toBeUndefined();
    await expectNothingOfTheVictims();
    await comeBack(attacker.page, 'attacker');
    expect(await heading(attacker.page)).toBe('This is done');
  });

  it('elicit-url-69: the attacker’s callback, opened by the victim, connects the victim to nothing', async () => {
    const { url } = await under.ask(under.principal('attacker'));
    const withheld = under.withhold('/connect/callback/');
    await leave(attacker.page, url);
    await fillIn(attacker.page, 'attacker');
    const callback = await withheld;
    await victim.page.goto(callback);
    expect(await heading(victim.page)).toBe('This link was made for somebody else');
    await expectNothingOfTheVictims();
    await attacker.page.goto(callback);
    expect(await heading(attacker.page)).toBe('This is done');
    await expectNothingOfTheVictims();
  });

  it('elicit-url-69: a sign-in begun by the attacker does not sign the victim in as the attacker', async () => {
    const other = await visitor(browser);
    const { url } = await under.ask(under.principal('attacker'));
    const withheld = under.withhold('/connect/sign-in/callback');
    await other.page.goto(url);
    await fillIn(other.page, 'attacker');
    await victim.page.goto(await withheld);
    expect(await heading(victim.page)).toBe('This sign-in is not known');
    await victim.page.goto(url);
    expect(await heading(victim.page)).toBe('This link was made for somebody else');
    await other[Symbol.asyncDispose]();
  });
});

it('a visitor signed in as somebody else signs in as the one who was asked, from the page that refused them', async () => {
  const both = await visitor(browser);
  await signInAt(both.page, 'work');
  const { url, pageId } = await under.ask(under.principal('home'));
  await both.page.goto(url);
  await both.page.getByRole('button', { name: 'Sign in as somebody else' }).click();
  await both.page.getByLabel('Name').waitFor();
  await fillIn(both.page, 'home');
  await both.page.waitForURL(url);
  expect(await heading(both.page)).toBe('Connect Notes Co');
  expect(await under.outcome(pageId)).toBeUndefined();
  await both[Symbol.asyncDispose]();
});

it('the page that connects passes axe, and leads away by itself without client script', async () => {
  const still = await visitor(browser, { javaScriptEnabled: false });
  const { url } = await under.ask(under.principal('still'));
  await still.page.goto(url);
  await fillIn(still.page, 'still');
  expect(await heading(still.page)).toBe('Connect Notes Co');
  await leave(still.page, url);
  await comeBack(still.page, 'still');
  expect(await heading(still.page)).toBe('This is done');
  await still[Symbol.asyncDispose]();

  await attacker.page.goto((await under.ask(under.principal('attacker'))).url);
  expect(await violations(attacker.page)).toEqual([]);
});
