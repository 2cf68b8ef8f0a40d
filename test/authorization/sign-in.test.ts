/** Servers that want a sign-in, before a real authorization server: who is asked, how often, and what is kept. */
import { EventEmitter, once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@midcall/core/time';
import { memoryVault } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { handClock } from '../host/clock.ts';
import { folderOfVault, guarded, hostOf, signsIn } from './stage.ts';

describe.each(eras)('a server that wants a sign-in, on %s', era => {
  it('a server is reached after its person has signed in once, and by their other processes without asking', async () => {
    const { url, logins, granted } = await guarded();
    const { folder, vault } = await folderOfVault();
    const first = hostOf(url, { era, vault: vault() });
    await first.connection.start();
    expect(await first.call('whoami')).toBe('alice');
    expect(first.asked).toMatchObject([
      { issuer: logins.issuer, scopes: ['notes', 'offline_access'], more: false, asker: { id: 'guarded' } },
    ]);
    const asked = new URL(first.asked[0]!.url.href).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: url.href,
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(first.inbox.list()).toEqual([]);
    const second = hostOf(url, { era, vault: vault() });
    await second.connection.start();
    expect(await second.call('whoami')).toBe('alice');
    expect(second.asked).toEqual([]);
    expect(granted).toEqual(['authorization_code']);
    // Nothing of a token is readable in the folder.
    const files = await Promise.all(
      (await readdir(folder)).map(async name => [name, await readFile(join(folder, name), 'utf8')] as const),
    );
    expect(files.map(([name]) => name).sort()).toEqual([expect.stringMatching(/^[0-9a-f]{40}\.json$/), 'key']);
    for (const [, text] of files) expect(text).not.toContain('access_token');
  });

  it('a sign-in belongs to the principal that signed in, and to no other', async () => {
    const { url } = await guarded();
    const { vault } = await folderOfVault();
    const ada = hostOf(url, { era, vault: vault(), principal: 'ada' });
    await ada.connection.start();
    const grace = hostOf(url, {
      era,
      vault: vault(),
      principal: 'grace',
      person: ({ id }, inbox) => inbox.reply(id, { action: 'decline' }, 'test'),
    });
    expect(await grace.refusal()).toMatch(/could not be reached .* The person declined to sign in at http/);
    expect([ada.asked.length, grace.asked.length]).toEqual([1, 1]);
  });

  it('an ended token is renewed, and three processes present the refresh token once', async () => {
    const { url, granted } = await guarded();
    const { vault } = await folderOfVault();
    const first = hostOf(url, { era, vault: vault() });
    await first.connection.start();
    const later = { ...systemClock, now: () => Date.now() + 7_200_000 };
    const hosts = [1, 2, 3].map(() => hostOf(url, { era, vault: vault(), clock: later }));
    await Promise.all(hosts.map(({ connection }) => connection.start()));
    expect(await Promise.all(hosts.map(({ call }) => call('whoami')))).toEqual(['alice', 'alice', 'alice']);
    expect(granted).toEqual(['authorization_code', 'refresh_token']);
    expect(hosts.flatMap(({ asked }) => asked)).toEqual([]);
  });

  it('a person is asked once for more when calls need more scopes, and the calls go on', async () => {
    const { url, wants } = await guarded();
    const { vault } = await folderOfVault();
    const host = hostOf(url, { era, vault: vault() });
    await host.connection.start();
    wants.scope = 'admin';
    const names = ['whoami', 'whoami', 'whoami'];
    expect(await Promise.all(names.map(name => host.call(name)))).toEqual(['alice', 'alice', 'alice']);
    expect(host.asked.map(({ more, scopes }) => [more, scopes])).toEqual([
      [false, ['notes', 'offline_access']],
      [true, expect.arrayContaining(['notes', 'admin'])],
    ]);
  });

  it('a host says so where the sign-in gives no more scopes, and does not go on asking', async () => {
    const { url, wants } = await guarded();
    const { vault } = await folderOfVault();
    const host = hostOf(url, { era, vault: vault() });
    await host.connection.start();
    wants.scope = 'nowhere';
    expect(await host.call('whoami')).toMatch(/^abandoned: The server still wants more scopes than the sign-in gave/);
    expect(host.asked.length).toBeLessThanOrEqual(3);
  });

  it('a program signs in by itself with client credentials, and nobody is asked', async () => {
    const { url, logins, granted, clientSecret } = await guarded();
    const { vault } = await folderOfVault();
    const auth = { flow: 'client-credentials', clientId: 'robot', clientSecret, issuer: logins.issuer } as const;
    const host = hostOf(url, { era, vault: vault(), auth });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('robot');
    expect([host.asked, granted]).toEqual([[], ['client_credentials']]);
  });

  it('a client that was registered by hand is taken where clients cannot register by themselves', async () => {
    const { url } = await guarded({ registration: false });
    const { vault } = await folderOfVault();
    const unknown = hostOf(url, { era, vault: vault() });
    expect(await unknown.refusal()).toMatch(
      /does not register clients by itself. Register one there by hand, with the redirect URI .* as 'clientId' in 'auth'/,
    );
    const host = hostOf(url, { era, vault: vault(), auth: { clientId: 'by-hand' } });
    await host.connection.start();
    expect(await host.call('whoami')).toBe('alice');
    expect(new URL(host.asked[0]!.url.href).searchParams.get('client_id')).toBe('by-hand');
  });

  it('a host ends its sign-in where another process has finished one, and uses what that got', async () => {
    const { url } = await guarded();
    const { vault } = await folderOfVault();
    const waiting = hostOf(url, { era, vault: vault(), person: () => {} });
    const started = waiting.connection.start();
    const other = hostOf(url, { era, vault: vault(), person: signsIn });
    await other.connection.start();
    await started;
    expect(await waiting.call('whoami')).toBe('alice');
    expect(waiting.record.filter(({ event }) => event.type === 'ended')).toMatchObject([
      { event: { kind: 'sign-in', how: 'completed' } },
    ]);
  });

  it('a process keeps the sign-in that another finished while it registered its client', async () => {
    const { url } = await guarded();
    const { vault } = await folderOfVault();
    const gate = new EventEmitter();
    const [registering, signedIn] = [once(gate, 'registering'), once(gate, 'signed in')];
    const late = hostOf(url, {
      era,
      vault: vault(),
      person: () => {},
      fetch: async (input, init) => {
        if (new URL(input instanceof Request ? input.url : input).pathname !== '/reg') return fetch(input, init);
        gate.emit('registering');
        await signedIn;
        return fetch(input, init);
      },
    });
    const started = late.connection.start();
    await registering;
    const other = hostOf(url, { era, vault: vault() });
    await other.connection.start();
    gate.emit('signed in');
    await started;
    expect(await late.call('whoami')).toBe('alice');
    expect(await other.connection.isSignedIn()).toBe(true);
  });

  it('a person signs out in every process, and the authorization server takes back what it gave', async () => {
    const { url, logins } = await guarded();
    const taken: string[] = [];
    logins.state.intercept = request => {
      if (request.url?.startsWith('/token/revocation')) taken.push(request.method ?? '');
      return false;
    };
    const { vault } = await folderOfVault();
    const clock = handClock(Date.now());
    const [here, there] = [hostOf(url, { era, vault: vault() }), hostOf(url, { era, vault: vault(), clock })];
    await here.connection.start();
    await there.connection.start();
    expect(await here.connection.isSignedIn()).toBe(true);
    expect(await here.connection.signOut()).toBe(true);
    expect([await here.connection.isSignedIn(), await there.connection.isSignedIn()]).toEqual([false, false]);
    // The refresh token, and the access token with it.
    expect(taken.length).toBeGreaterThan(0);
    expect(await here.call('whoami')).toBe('alice');
    expect(here.asked).toHaveLength(2);
    await here.connection.signOut();
    clock.move(5_000);
    expect(await there.call('whoami')).toBe('alice');
    expect(there.asked).toHaveLength(1);
  });

  it('a person signs out here where the authorization server cannot be told, which is said', async () => {
    const { url, logins } = await guarded();
    const host = hostOf(url, { era, vault: memoryVault() });
    await host.connection.start();
    logins.state.intercept = (request, response) => {
      if (!request.url?.includes('revocation')) return false;
      response.writeHead(503).end();
      return true;
    };
    expect(await host.connection.signOut()).toBe(false);
    expect(await host.connection.isSignedIn()).toBe(false);
    expect(await host.call('whoami')).toBe('alice');
    expect(host.asked).toHaveLength(2);
  });

  it('a person is not asked about a sign-in any more when the host is stopped', async () => {
    const { url } = await guarded();
    const { vault } = await folderOfVault();
    const host = hostOf(url, { era, vault: vault(), person: () => void host.connection.stop() });
    expect(await host.refusal()).toContain('The sign-in at');
    expect([host.inbox.list(), host.connection.state]).toEqual([[], 'stopped']);
  });
});
