/** What the pages stored and cannot open again: it counts as missing, and operators are told why. */
import { createHash, randomBytes } from 'node:crypto';
import { midcall } from '@midcall/server';
import { connect, oauthPages, provider, signIn, vault } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { digest } from '../../packages/server/src/base/digest.ts';
import { noWake } from '../../packages/server/src/base/wake.ts';
import { identities } from '../../packages/server/src/connect/oauth/identities.ts';
import type { Provider } from '../../packages/server/src/connect/oauth/provider.ts';
import { OpenPages } from '../../packages/server/src/connect/open-pages.ts';
import { newPageId, PageRecords, pageDigest } from '../../packages/server/src/connect/page-records.ts';
import type { PageAsk } from '../../packages/server/src/request/pages.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';

const key = randomBytes(32);
const keys = { ours: createSealer(keyRing(key)), another: createSealer(keyRing(randomBytes(32))) };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Ways in which a stored text came to be unreadable, and what operators are told of it. */
const ways = [
  {
    how: 'changed',
    spoilt: (purpose: string) => keys.ours.seal({}, purpose, 'elsewhere'),
    why: 'was changed in the store, or written without its key, so it is ignored. Find out who else can write there.',
  },
  {
    how: 'written by a program that has no key',
    spoilt: () => '{"subject":"mallory"}',
    why: 'was changed in the store, or written without its key, so it is ignored. Find out who else can write there.',
  },
  {
    how: 'sealed with a key that is gone',
    spoilt: (purpose: string, at: string) => keys.another.seal({}, purpose, at),
    why:
      'is sealed with a key that is not in the ring, so it is ignored. Give every server that shares the store the same ' +
      'keys, and keep an old key in the list until what it sealed has expired.',
  },
] as const;

/** Pages of one server: what operators were told, and the addresses a browser gets. */
function setting() {
  const warned: string[] = [];
  const store = memoryStore();
  const login = provider({
    id: 'login',
    name: 'Login',
    issuer: 'https://login.invalid',
    clientId: 'notes',
    scopes: [],
  });
  const pages = connect({
    name: 'Notes',
    baseUrl: 'https://notes.example/connect',
    kinds: [oauthPages(vault({ store, key }), [login])],
    signIn: signIn(login, { store, key }),
  });
  midcall({ key, store, pages, warn: message => warned.push(message) });
  const get = (path: string, cookie = '') =>
    pages.fetch(new Request(`https://notes.example/connect/${path}`, { headers: { cookie } }));
  const clock = { now: Date.now, after: () => () => {} };
  const host = { store, clock, sealer: keys.ours, wake: noWake, warn: (message: string) => warned.push(message) };
  return { warned, store, get, host: { ...host, audit() {} } };
}

const page = (more: Partial<PageAsk> = {}): PageAsk => ({
  ...{ pageId: newPageId(), kind: 'confirm', data: {}, message: 'Sure?', check: 'none', arguments: {} },
  call: { principal: { issuer: 'https://login.invalid', subject: 'ada' } } as PageAsk['call'],
  ...{ askedAt: Date.now(), dueAt: Date.now() + 60_000 },
  ...more,
});

describe.each(ways)('a stored value that was $how', ({ spoilt, why }) => {
  it.each([
    ['A sign-in in progress', 'sign-in', 'sign-in/callback'],
    ['A connection in progress', 'oauth-flow', 'callback/login'],
  ])('flows-F2: a stored value that cannot be read is no sign-in: %s', async (what, purpose, path) => {
    const { warned, store, get } = setting();
    const at = `${purpose}:${sha256('returned')}`;
    await store.set(at, spoilt(purpose, at), { ttlMs: 60_000 });
    expect((await get(`${path}?state=returned&code=c`)).status).toBe(400);
    expect(warned).toEqual([`midcall: ${what} ${why}`]);
  });

  it('flows-F2: a session that cannot be read is none: its browser is sent to sign in', async () => {
    const { warned, store, get, host } = setting();
    const asked = page({ check: 'sign-in' });
    await new PageRecords(host).issue(asked);
    const at = `session:${sha256('kept-by-the-browser')}`;
    await store.set(at, spoilt('session', at), { ttlMs: 60_000 });
    const name = `__Host-midcall-session-${sha256('https://notes.example/connect/sign-in/callback').slice(0, 12)}`;
    await get(asked.pageId, `${name}=kept-by-the-browser`);
    expect(warned).toEqual([`midcall: The session of a signed-in person ${why}`]);
  });

  it('a registration that cannot be read is none: this server registers again', async () => {
    const { warned, store } = setting();
    const at = { id: 'notes', issuer: 'https://provider.invalid', name: 'Notes Co' };
    const client = {
      registered: false,
      takes: async () => ({ document: false, registration: true }),
      register: async () => ({ identity: { id: 'c-1' } }),
    };
    const redirectUri = new URL('https://notes.example/connect/callback/notes');
    const offer = { name: 'Notes', redirectUri, document: new URL('https://notes.example/connect/client/notes') };
    const keyOf = `oauth-client:${sha256(JSON.stringify(['midcall.client', at.id, at.issuer, redirectUri.href]))}`;
    await store.set(keyOf, spoilt('oauth-client', keyOf), { ttlMs: 60_000 });
    const who = identities(store, keys.ours);
    const told = (message: string) => void warned.push(message);
    expect(await who.at({ ...at, client } as unknown as Provider, offer, told)).toEqual({ id: 'c-1' });
    // Looked at before it registers, and after.
    expect(warned).toEqual(Array(2).fill(`midcall: A registration at a provider ${why}`));
    expect(await who.at({ ...at, client } as unknown as Provider, offer, told)).toEqual({ id: 'c-1' });
    expect(warned).toHaveLength(2);
  });

  it('page-record-R6: a page that cannot be read is none, and is told of once, however often somebody looks', async () => {
    const { warned, store, host } = setting();
    const asked = page();
    const at = `page:${pageDigest(asked.pageId)}`;
    await store.set(at, spoilt('page', at), { ttlMs: 60_000 });
    const records = new PageRecords(host);
    for (let times = 0; times < 3; times += 1) expect(await records.look(asked.pageId)).toBeUndefined();
    expect(warned).toEqual([`midcall: The record of a page ${why}`]);
  });

  it('a list of open pages that cannot be read is none: the next page begins another', async () => {
    const { warned, store, host } = setting();
    const at = `open-pages:${digest(['https://login.invalid', 'ada'])}`;
    await store.set(at, spoilt('open-pages', at), { ttlMs: 60_000 });
    const open = new OpenPages({ most: 1, host, isUntaken: async () => true });
    await open.open(page(), async () => {});
    expect(warned).toEqual([`midcall: The list of the open pages of a person ${why}`]);
    await expect(open.open(page(), async () => {})).rejects.toMatchObject({ code: 'connect/limit' });
    expect(warned).toHaveLength(1);
  });
});
