/** Groups that a real OpenID Connect server names in its ID tokens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approvers } from '@midcall/server';
import { provider } from '@midcall/server/connect';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../examples/import/authorization-server.ts';
import { type InboxService, openInbox } from '../../packages/inbox/src/public.ts';
import { Browser } from '../connect/sign-in-flow.ts';
import { clientSecret, registeredClient } from '../notes/registered-client.ts';
import { payment } from './approvals-contract.ts';
import { key } from './stage.ts';

const publicUrl = new URL('http://127.0.0.1:9/');
const folder = mkdtempSync(join(tmpdir(), 'midcall-inbox-'));
let login: AuthorizationServer;
let inbox: InboxService;
beforeAll(async () => {
  login = await startAuthorizationServer({ clients: [registeredClient('inbox', ['/inbox/signed-in'])] });
  inbox = await openInbox({
    where: join(folder, 'inbox.db'),
    key,
    publicUrl,
    issuer: provider({ id: 'login', issuer: login.issuer, clientId: 'inbox', clientSecret, scopes: ['openid'] }),
    groups: { names: { finance: ['bob'] }, claim: 'groups' },
  });
});
afterAll(async () => {
  await inbox?.stop();
  await login?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Signs somebody in, with these groups. */
async function signIn(who: string, groups: unknown): Promise<void> {
  login.state.person = who;
  login.state.groups = { [who]: groups };
  const browser = new Browser(async (url, init) =>
    url.origin === publicUrl.origin ? (await inbox.pages(new Request(url, init)))! : fetch(url, init),
  );
  const { response } = await browser.follow(new URL('/inbox/sign-in', publicUrl));
  expect(await response!.text()).toContain('You are signed in.');
}
const idOf = (who: string): string => `${who} (${login.issuer})`;
const requester = () => ({ issuer: login.issuer, subject: 'mel' });
/** Why a group that needs so many cannot be asked. */
const whyNot = (group: string, count = 1) =>
  inbox.whyNot({ from: approvers(group, { count }), requester: requester(), assurance: 'verified' });

it('people are in the groups of the claim of their ID token, and of nothing else in it', async () => {
  await signIn('ada', ['finance', 'ops', 7, { name: 'audit' }, '', 'x'.repeat(201), null]);
  await signIn('eve', 'audit');
  for (const group of ['finance', 'ops', 'audit']) expect(await whyNot(group)).toBeUndefined();
  expect(await whyNot('finance', 3)).toContain('2 members');
  expect(await whyNot('audit', 2)).toContain('one member');
  await signIn('eve', { finance: true });
  expect(await whyNot('audit')).toContain('Nobody who has signed in');
  expect(await whyNot('finance', 3)).toContain('2 members');
});

it('a person finds their question at the address that the server is told, and is asked no more once the claim is gone', async () => {
  await signIn('ada', ['finance']);
  const ask = payment({ requester: requester() });
  const { url } = await inbox.ask(ask);
  expect(url).toBe(`${publicUrl.origin}/inbox?question=${ask.id}`);
  const question = await inbox.store.person(idOf('ada')).get(ask.id);
  expect(question).toMatchObject({ question: { message: ask.message }, approval: { group: 'finance' } });
  await signIn('zoe', ['finance']);
  await signIn('ada', undefined);
  expect((await inbox.store.person(idOf('ada')).open(0, 9)).questions).toEqual([]);
  for (const who of ['zoe', 'bob']) {
    const of = inbox.store.person(idOf(who));
    const found = await of.get(ask.id);
    expect(await of.reply(found!.question.id, { action: 'accept', content: { sure: true } })).toEqual({ ok: true });
  }
  expect(await inbox.look(ask.id)).toMatchObject({
    outcome: { action: 'accept' },
    votes: [{ issuer: login.issuer, subject: 'zoe' }, { subject: 'bob' }],
  });
});

it('an answer with a passkey is not asked for where browsers have none', async () => {
  const asked = { from: approvers('finance'), requester: requester(), assurance: 'present' } as const;
  expect(await inbox.whyNot(asked)).toContain(publicUrl.origin);
});

it('groups that are not what they may be are refused', async () => {
  for (const groups of [
    { names: { finance: 'ada' } },
    { names: { ' ': ['ada'] } },
    { claim: '' },
    { claims: 'groups' },
  ])
    await expect(openInbox({ where: ':memory:', publicUrl, groups } as never)).rejects.toThrow(/^openInbox: .*groups/);
});
