/**
 * Passkeys of people at a real inbox, with a real OpenID Connect server, in Chromium with its virtual authenticator: enrolling,
 * answering, losing and replacing.
 */
import { randomUUID } from 'node:crypto';
import { getRequestListener } from '@hono/node-server';
import { type InboxService, type InboxServiceOptions, openInbox } from '@midcall/inbox';
import { type ApprovalAsk, approvers } from '@midcall/server';
import { provider } from '@midcall/server/connect';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { listenHttp } from '../../packages/core/src/node/index.ts';
import { clientSecret, registeredClient } from '../notes/registered-client.ts';
import { launch, leaveBrowser, visitor } from '../web/browser.ts';
import { signInWith } from './inbox-stage.ts';
import { key } from './stage.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => leaveBrowser(browser));

/** An inbox at a name of this machine. */
async function stage(options: Partial<InboxServiceOptions> = {}) {
  let inbox: InboxService | undefined;
  const errors: unknown[] = [];
  const answer = async (request: Request): Promise<Response> =>
    (await inbox?.pages(request)) ?? new Response('Not found.', { status: 404 });
  const { server, port } = await listenHttp(getRequestListener(answer, { overrideGlobalObjects: false }), {
    port: 0,
    onError: error => errors.push(error),
  });
  const publicUrl = new URL(`http://localhost:${port}`);
  const redirect_uris = [`${publicUrl.origin}/inbox/signed-in`];
  const login = await startAuthorizationServer({
    clients: [registeredClient('inbox', [], { redirect_uris })],
    host: 'localhost',
    tokens: 'opaque',
  });
  const { issuer } = login;
  inbox = await openInbox({
    ...{ where: ':memory:', key, publicUrl, onError: (error: unknown) => void errors.push(error) },
    issuer: provider({ id: 'login', issuer, clientId: 'inbox', clientSecret, scopes: ['openid'] }),
    groups: { names: { finance: ['ada', 'bob'] } },
    ...options,
  });
  onTestFinished(async () => {
    await inbox!.stop();
    await login.close();
    server.closeAllConnections();
    server.close();
    expect(errors).toEqual([]);
  });
  const principal = (who: string): string => `${who} (${issuer})`;
  return {
    ...{ inbox, principal, issuer, at: `${publicUrl.origin}/inbox` },
    /** Asks finance. @returns its id */
    async ask(message: string, change: Partial<ApprovalAsk> = {}): Promise<string> {
      const id = randomUUID();
      await inbox!.ask({
        ...{ id, message, from: approvers('finance', { count: 1 }), requester: { issuer, subject: 'mel' } },
        ...{ server: 'payments', call: { method: 'tools/call', name: 'pay', arguments: { to: 'Acme' } } },
        ...{ schema: { type: 'object', properties: {} }, assurance: 'present' },
        ...{ askedAt: Date.now(), dueAt: Date.now() + 3_600_000 },
        ...change,
      });
      return id;
    },
  };
}

/** Somebody with a browser of their own. */
async function somebody() {
  const me = await visitor(browser);
  onTestFinished(async () => {
    await me[Symbol.asyncDispose]();
    expect(me.troubles.filter(each => !each.includes('401'))).toEqual([]);
  });
  return me.page;
}

interface Device {
  readonly client: CDPSession;
  readonly id: string;
  /** Whether its user is verified when it asks. */
  verifies(does: boolean): Promise<void>;
  remove(): Promise<void>;
}

/** A device of a person's browser that has passkeys, on a page of the inbox: browsers forget it on the way from another site. */
async function device(page: Page): Promise<Device> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId: id } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    ...{ client, id },
    verifies: async does => {
      await client.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: does });
    },
    remove: async () => {
      await client.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: id });
    },
  };
}

/** Adds a passkey on the page for that. */
async function add(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
}

/** The list of what waits. */
const toInbox = (page: Page) =>
  page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click();
const listed = (page: Page) => page.locator('.passkeys tbody tr');
const item = (page: Page, name: string) => page.getByRole('link', { name });

it('a person who signed in just now adds a passkey from a question, confirms the answer with it, and the server sees who was present', async () => {
  const { inbox, principal, at, ask } = await stage();
  const page = await somebody();
  await signInWith(page, 'ada', at);
  const phone = await device(page);
  await page.locator('body.scripted').waitFor();
  // Nobody has a passkey yet, so nobody could answer.
  await expect(ask('Pay 1 €?')).rejects.toThrow('none of them has one');
  await page.getByRole('link', { name: 'Passkeys' }).click();
  await add(page, 'Phone');
  await listed(page).filter({ hasText: 'Phone' }).waitFor();

  const id = await ask('Pay 4,000 €?');
  await toInbox(page);
  await item(page, 'Pay 4,000 €?').click();
  // The device does not recognise its user: nothing is sent.
  await phone.verifies(false);
  await page.getByRole('button', { name: 'Agree' }).click();
  await page.getByText('Nothing was sent, because no passkey confirmed it.').waitFor();
  expect(await inbox.look(id)).toEqual({ votes: [] });
  await phone.verifies(true);
  await page.getByRole('button', { name: 'Agree' }).click();
  await page.getByText('You agreed.').waitFor();
  const { votes, outcome } = (await inbox.look(id))!;
  expect(votes).toMatchObject([{ subject: 'ada', action: 'accept', assurance: 'present' }]);
  expect(outcome).toMatchObject({ action: 'accept' });

  // A no as well, by the keyboard.
  const other = await ask('Pay 5 €?', { from: approvers('finance', { count: 1 }) });
  await toInbox(page);
  await item(page, 'Pay 5 €?').click();
  await page.getByRole('button', { name: 'Decline' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('You declined.').waitFor();
  expect((await inbox.look(other))!.votes).toMatchObject([{ action: 'decline', assurance: 'present' }]);

  const said: unknown[] = [];
  for await (const { event, principal: who, question } of inbox.store.record.search())
    if (event.startsWith('passkey')) said.push([event, who, question !== undefined]);
  expect(said).toEqual([
    ['passkey-added', principal('ada'), false],
    ['passkey-used', principal('ada'), true],
    ['passkey-used', principal('ada'), true],
  ]);
});

it('an administrator invites a person, who adds a passkey by the link once, also if they have to sign in first', async () => {
  const { inbox, principal, at } = await stage({ enrolment: 'invited' });
  const page = await somebody();
  await signInWith(page, 'bob', at);
  await page.goto(`${at}?passkeys`);
  await page.locator('body.scripted').waitFor();
  await page.getByText('you need an invitation').waitFor();
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign out of this browser' }).click();
  await page.waitForURL(at);

  const secret = await inbox.store.passkeys.invite(principal('bob'));
  const sent: string[] = [];
  page.on('request', request => sent.push(request.url()));
  await signInWith(page, 'bob', `${at}?passkeys#${secret}`);
  await device(page);
  await page.getByText('You were invited to add a passkey.').waitFor();
  expect(page.url()).not.toContain(secret);
  await add(page, 'Tablet');
  await listed(page).filter({ hasText: 'Tablet' }).waitFor();
  // The secret is in no address that a browser or a proxy writes down.
  expect(sent.filter(each => each.includes(secret))).toEqual([]);

  // The link, once more: in a browser that is signed in, and by somebody else.
  await page.goto(`${at}?passkeys#${secret}`);
  await page.getByText('You were invited to add a passkey.').waitFor();
  await add(page, 'Again');
  await page.getByText('this invitation is for somebody else, was used before').waitFor();
  const others = await inbox.store.passkeys.invite(principal('bob'));
  const thief = await somebody();
  await signInWith(thief, 'mallory', `${at}?passkeys#${others}`);
  await device(thief);
  await thief.getByText('You were invited to add a passkey.').waitFor();
  await add(thief, 'Stolen');
  await thief.getByText('this invitation is for somebody else').waitFor();
  expect(await inbox.store.passkeys.list(principal('mallory'))).toEqual([]);
  expect(await inbox.store.passkeys.list(principal('bob'))).toHaveLength(1);
});

it('a person removes the passkey of a device that is lost, adds another, and only that one confirms', async () => {
  const { inbox, principal, at, ask } = await stage();
  const page = await somebody();
  await signInWith(page, 'ada', at);
  const lost = await device(page);
  await page.goto(`${at}?passkeys`);
  await page.locator('body.scripted').waitFor();
  await add(page, 'Lost phone');
  await listed(page).filter({ hasText: 'Lost phone' }).waitFor();
  // The device has one already.
  await add(page, 'Twice');
  await page.locator('#add-passkey').getByText('this device already has a passkey of yours here').waitFor();

  await lost.remove();
  const found = await device(page);
  await page.reload();
  await add(page, 'New phone');
  await listed(page).filter({ hasText: 'New phone' }).waitFor();
  await page.getByRole('button', { name: 'Remove the passkey “Lost phone”' }).click();
  await listed(page).filter({ hasText: 'Lost phone' }).waitFor({ state: 'detached' });
  const id = await ask('Pay 7 €?');
  await toInbox(page);
  await item(page, 'Pay 7 €?').click();
  await page.getByRole('button', { name: 'Agree' }).waitFor();

  // An administrator revokes that one as well, while the page is open.
  const keys = await inbox.store.passkeys.list(principal('ada'));
  expect(keys.map(({ name, revokedAt }) => [name, revokedAt !== undefined])).toEqual([
    ['Lost phone', true],
    ['New phone', false],
  ]);
  await inbox.store.passkeys.revoke(principal('ada'), keys[1]!.id, 'administrator');
  await page.getByText('you have none here').waitFor();
  expect(await inbox.look(id)).toEqual({ votes: [] });

  // She adds one on the device at hand, and is led back to the question.
  await found.client.send('WebAuthn.clearCredentials', { authenticatorId: found.id });
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await add(page, 'Third');
  await page.getByRole('button', { name: 'Agree' }).click();
  await page.getByText('You agreed.').waitFor();
  expect((await inbox.look(id))!.votes).toMatchObject([{ assurance: 'present' }]);
});

it('a page says what is missing where an address has no passkeys, and without JavaScript', async () => {
  const { principal, inbox, issuer, at, ask } = await stage();
  const numbers = await openInbox({
    ...{ where: ':memory:', key, publicUrl: new URL('http://127.0.0.1:7000') },
    issuer: provider({ id: 'login', issuer, clientId: 'inbox', clientSecret, scopes: ['openid'] }),
    groups: { names: { finance: ['ada'] } },
  });
  const wanted = { from: approvers('finance'), requester: undefined } as const;
  expect(await numbers.whyNot({ ...wanted, assurance: 'present' })).toContain('these are at http://127.0.0.1:7000');
  expect(await numbers.whyNot({ ...wanted, assurance: 'verified' })).toBeUndefined();
  await numbers.stop();

  await inbox.store.passkeys.add(
    principal('ada'),
    { id: 'AAAA', name: 'Known', publicKey: 'AAAA', counter: 0, transports: [], user: 'AAAA' },
    'signed-in',
  );
  const id = await ask('Pay 8 €?');
  await using plain = await visitor(browser, { javaScriptEnabled: false });
  const { page } = plain;
  await signInWith(page, 'ada', at);
  await item(page, 'Pay 8 €?').click();
  await page.locator('.no-script').filter({ hasText: 'Passkeys need JavaScript' }).waitFor();
  for (const name of ['Agree', 'Decline']) {
    await page.getByRole('button', { name }).click();
    await page.getByText('it has to be confirmed with your passkey, which needs JavaScript').waitFor();
  }
  expect(await inbox.look(id)).toEqual({ votes: [] });
});
