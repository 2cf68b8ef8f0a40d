/** The vault: what it keeps, for whom, under which key, and what can be seen of it. */
import { inspect } from 'node:util';
import type { Principal } from '@midcall/server';
import { type Provider, provider, type Vault, vault } from '@midcall/server/connect';
import { memoryStore } from '@midcall/server/stores/memory';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../packages/core/src/store/store.ts';

const canary = 'canary-secret-0123456789';
const oldKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 5 + 1));
const newKey = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index * 3));
const alice: Principal = { issuer: 'https://login.example', subject: 'alice' };
const bob: Principal = { issuer: 'https://login.example', subject: 'bob' };

let values: Map<string, string>;
let store: Store;
let kept: Vault;
let notes: Provider;
/** What a provider's endpoints answer. */
let answer: () => Response | Promise<Response>;

beforeEach(() => {
  values = new Map();
  const memory = memoryStore();
  store = {
    ...memory,
    async set(key, value, options) {
      const written = await memory.set(key, value, options);
      if (written) values.set(key, value);
      return written;
    },
    async delete(key) {
      values.delete(key);
      await memory.delete(key);
    },
    async take(key) {
      values.delete(key);
      return memory.take(key);
    },
  };
  kept = vault({ store, key: oldKey });
  answer = () => Promise.reject(new Error('no provider in this test'));
  notes = provider({
    id: 'notes',
    name: 'Notes Co',
    issuer: 'https://provider.example',
    clientId: 'midcall',
    clientSecret: `client-${canary}`,
    metadata: {
      authorization_endpoint: 'https://provider.example/auth',
      token_endpoint: 'https://provider.example/token',
      revocation_endpoint: 'https://provider.example/revoke',
    },
    fetch: async () => answer(),
  });
});

const tokens = (name: string, more: object = {}) => ({
  accessToken: `access-${name}-${canary}`,
  refreshToken: `refresh-${name}-${canary}`,
  scopes: ['notes.read'],
  ...more,
});
const stored = (): string => JSON.stringify([...values]);

describe('secrets', () => {
  it('a secret is got by its owner, replaced by the next, and gone when forgotten', async () => {
    await kept.put(alice, 'weather-api', 'first');
    await kept.put(alice, 'weather-api', 'second');
    expect(await kept.get(alice, 'weather-api')).toBe('second');
    expect(await kept.forget(alice, 'weather-api')).toBe('removed');
    expect(await kept.get(alice, 'weather-api')).toBeUndefined();
    expect(await kept.forget(alice, 'weather-api')).toBe('nothing');
    expect(values.size).toBe(0);
  });

  it('elicit-30, elicit-31, elicit-url-41: any text comes back as it was, under any name, for its owner only', {
    tags: 'thorough',
  }, async () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    await fc.assert(
      fc.asyncProperty(text, text, text, text, async (issuer, subject, name, secret) => {
        const owner = { issuer, subject };
        await kept.put(owner, name, secret);
        expect(await kept.get(owner, name)).toBe(secret);
        expect(await kept.get({ issuer: `${issuer}x`, subject }, name)).toBeUndefined();
        expect(await kept.get({ issuer, subject: `${subject}x` }, name)).toBeUndefined();
        expect(await kept.get(owner, `${name}x`)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  it('owners that would read the same when joined are told apart', async () => {
    await kept.put({ issuer: 'a', subject: 'b,c' }, 'n', canary);
    expect(await kept.get({ issuer: 'a,b', subject: 'c' }, 'n')).toBeUndefined();
    expect(await kept.get({ issuer: 'a","b', subject: 'c' }, 'n')).toBeUndefined();
  });

  it('a secret and a sign-in of one name do not meet', async () => {
    await kept.keepSignIn(alice, notes, tokens('alice'));
    expect(await kept.get(alice, 'notes')).toBeUndefined();
    await kept.put(alice, 'notes', 'secret');
    expect((await kept.token(alice, notes, { scopes: [] }))?.value).toBe(tokens('alice').accessToken);
  });

  it('nothing is kept and nothing is given without a principal', async () => {
    for (const call of [
      () => kept.put(undefined, 'n', canary),
      () => kept.get(undefined, 'n'),
      () => kept.token(undefined, notes),
      () => kept.keepSignIn(undefined, notes, tokens('nobody')),
      () => kept.forget(undefined, notes),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'connect/identity' });
    }
    expect(values.size).toBe(0);
  });
});

describe('at rest', () => {
  it('elicit-33; vault-V1: a store shows no value, no person, no provider and no name', async () => {
    await kept.put(alice, 'weather-api', canary);
    await kept.keepSignIn(alice, notes, tokens('alice'));
    for (const word of ['canary', 'alice', 'login.example', 'weather', 'notes', 'provider.example', 'midcall.vault']) {
      expect(stored()).not.toContain(word);
    }
  });

  it('vault-V1: equal secrets of two people look different', async () => {
    await kept.put(alice, 'n', canary);
    await kept.put(bob, 'n', canary);
    expect(new Set(values.values()).size).toBe(values.size);
  });

  it('elicit-30, elicit-31; vault-V2: an entry moved into another person’s slot is refused, and told without a word of it', async () => {
    await kept.put(bob, 'n', canary);
    const [his, sealed] = [...values][0]!;
    await kept.put(alice, 'n', 'hers');
    await store.set([...values.keys()].find(key => key !== his)!, sealed);
    const error = await kept.get(alice, 'n').catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'store/corrupt' });
    expect(inspect(error, { depth: 9 })).not.toContain('canary');
    expect(await kept.forget(alice, 'n')).toBe('removed');
  });

  it('vault-V3: a credential that is replaced, renewed and forgotten is one row, and then none', async () => {
    for (const name of ['first', 'second', 'third']) await kept.keepSignIn(alice, notes, tokens(name));
    expect(values.size).toBe(1);
    const rotated = vault({ store, key: [newKey, oldKey] });
    expect((await rotated.token(alice, notes, { scopes: [] }))?.value).toBe(tokens('third').accessToken);
    expect(values.size).toBe(1);
    await rotated.forget(alice, notes);
    expect(values.size).toBe(0);
  });

  it('vault-V5: a scope that was asked for and not granted is an error, so that no handler asks again and again', async () => {
    await kept.keepSignIn(alice, notes, tokens('alice'), ['notes.read', 'notes.write']);
    const missing = kept.token(alice, notes, { scopes: ['notes.write'] });
    await expect(missing).rejects.toMatchObject({
      code: 'connect/scopes',
      message: expect.stringContaining('notes.write'),
    });
    expect((await kept.token(alice, notes, { scopes: ['notes.read'] }))?.value).toBe(tokens('alice').accessToken);
    expect(await kept.token(alice, notes, { scopes: ['notes.delete'] })).toBeUndefined();
    expect(await kept.signedIn(alice, notes)).toMatchObject({ scopes: ['notes.read'], refused: ['notes.write'] });
  });

  it('vault-V3: a replacement that is cut off at any operation of the store leaves the old value or the new one, and no other row', async () => {
    const replacements: ((by: Vault) => Promise<void>)[] = [
      by => by.put(alice, 'n', 'second'),
      by => by.keepSignIn(alice, notes, tokens('second')),
    ];
    for (const replace of replacements) {
      for (let [operations, isCut] = [0, true]; isCut; operations += 1) {
        const rows = new Set<string>();
        const memory = memoryStore();
        let left = Number.POSITIVE_INFINITY;
        const act = async <T>(key: string, operate: () => Promise<T>): Promise<T> => {
          if (left === 0) throw new Error('killed');
          left -= 1;
          const done = await operate();
          (await memory.get(key)) === undefined ? rows.delete(key) : rows.add(key);
          return done;
        };
        const cut: Store = {
          get: key => act(key, () => memory.get(key)),
          set: (key, value, options) => act(key, () => memory.set(key, value, options)),
          delete: key => act(key, () => memory.delete(key)),
          take: key => act(key, () => memory.take(key)),
          sortedSets: memory.sortedSets,
        };
        const mine = vault({ store: cut, key: oldKey });
        await mine.put(alice, 'n', 'first');
        await mine.keepSignIn(alice, notes, tokens('first'));
        left = operations;
        isCut = await replace(mine).then(
          () => false,
          () => true,
        );
        const next = vault({ store: memory, key: oldKey });
        expect(['first', 'second']).toContain(await next.get(alice, 'n'));
        expect([tokens('first').accessToken, tokens('second').accessToken]).toContain(
          (await next.token(alice, notes, { scopes: [] }))?.value,
        );
        expect(rows.size).toBe(2);
      }
    }
  });

  it('vault-V4: sealing a secret again with a newer key does not bring back one that was forgotten meanwhile', async () => {
    await kept.put(alice, 'n', canary);
    const slow: Store = {
      ...store,
      async set(key, value, options) {
        await kept.forget(alice, 'n');
        return store.set(key, value, options);
      },
    };
    expect(await vault({ store: slow, key: [newKey, oldKey] }).get(alice, 'n')).toBe(canary);
    expect(values.size).toBe(0);
    await kept.put(alice, 'n', 'second');
    const late: Store = {
      ...store,
      async set(key, value, options) {
        await kept.put(alice, 'n', 'third');
        return store.set(key, value, options);
      },
    };
    expect(await vault({ store: late, key: [newKey, oldKey] }).get(alice, 'n')).toBe('second');
    expect(await kept.get(alice, 'n')).toBe('third');
  });

  it('a changed entry is refused', async () => {
    await kept.put(alice, 'n', canary);
    const [key, sealed] = [...values].find(([, value]) => value.startsWith('m1.'))!;
    await store.set(key, `${sealed.slice(0, -8)}${sealed.at(-8) === 'A' ? 'B' : 'A'}${sealed.slice(-7)}`);
    await expect(kept.get(alice, 'n')).rejects.toMatchObject({ code: 'store/corrupt' });
  });
});

describe('keys', () => {
  const keyIds = (): Set<string> =>
    new Set([...values.values()].filter(value => value.startsWith('m1.')).map(value => value.slice(3, 11)));

  it('what an older key sealed is read, and sealed again with the newest, secrets and sign-ins alike', async () => {
    await kept.put(alice, 'n', canary);
    await kept.keepSignIn(alice, notes, tokens('alice'));
    const [before] = keyIds();
    const rotated = vault({ store, key: [newKey, oldKey] });
    expect(await rotated.get(alice, 'n')).toBe(canary);
    expect((await rotated.token(alice, notes, { scopes: [] }))?.value).toBe(tokens('alice').accessToken);
    expect(keyIds().has(before!)).toBe(false);
    const after = vault({ store, key: newKey });
    expect(await after.get(alice, 'n')).toBe(canary);
    expect((await after.token(alice, notes, { scopes: [] }))?.value).toBe(tokens('alice').accessToken);
    expect([...values.keys()].filter(key => key.startsWith('refresh:'))).toEqual([]);
  });

  it('a sign-in that was stored or forgotten is not said to have failed where the store fails afterwards', async () => {
    let revoked = 0;
    answer = () => {
      revoked += 1;
      return new Response(null, { status: 200 });
    };
    const fails = vault({
      store: {
        ...store,
        delete: key => (key.startsWith('refresh:') ? Promise.reject(new Error('lost')) : store.delete(key)),
      },
      key: oldKey,
    });
    await fails.keepSignIn(alice, notes, tokens('first'));
    await fails.keepSignIn(alice, notes, tokens('second'));
    expect(await fails.signedIn(alice, notes)).toBeDefined();
    expect(await fails.forget(alice, notes)).toBe('revoked');
    expect(revoked).toBeGreaterThan(0);
  });

  it('a vault without the old key says so, and forgetting works all the same', async () => {
    await kept.put(alice, 'n', canary);
    const other = vault({ store, key: newKey });
    const error = await other.get(alice, 'n').catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'store/corrupt', message: expect.stringContaining('Put the old key back') });
    expect(await other.forget(alice, 'n')).toBe('removed');
    expect(values.size).toBe(0);
  });
});

describe('what prints', () => {
  it('elicit-url-49: an access token gives its value to the code, and to nothing that writes it out', async () => {
    await kept.keepSignIn(alice, notes, tokens('alice', { expiresAt: Date.now() + 3_600_000 }));
    const token = await kept.token(alice, notes, { scopes: ['notes.read'] });
    expect(token?.value).toBe(tokens('alice').accessToken);
    for (const text of [
      JSON.stringify({ token }),
      inspect(token, { depth: 9 }),
      String(token),
      JSON.stringify({ ...token }),
    ]) {
      expect(text).not.toContain('canary');
    }
  });

  it('a provider and a vault print without secrets', async () => {
    await kept.put(alice, 'n', canary);
    for (const each of [notes, kept]) {
      expect(inspect(each, { depth: 20, showHidden: true })).not.toContain('canary');
      expect(JSON.stringify(each)).not.toContain('canary');
    }
  });

  it('whatever a provider answers, no error carries a secret of ours or a word of its answer', async () => {
    const said = `${canary}-said-by-the-provider`;
    const answers: (() => Response | Promise<Response>)[] = [
      () => Response.json({ error: 'invalid_grant', error_description: said }, { status: 400 }),
      () => Response.json({ error: said }, { status: 400 }),
      () => Response.json({ error: 'server_error', said }, { status: 500 }),
      () => Response.json({ access_token: said, token_type: said }),
      () => Response.json({ access_token: said }),
      () => Response.json({ access_token: said, token_type: 'bearer', expires_in: said }),
      () => Response.json([said]),
      () => new Response(said, { status: 200, headers: { 'content-type': 'text/html' } }),
      () => new Response(said, { status: 200, headers: { 'content-type': 'application/json' } }),
      () => new Response(said, { status: 503 }),
      () => new Response(null, { status: 302, headers: { location: `https://evil.example/${said}` } }),
      () => new Response(null, { status: 401, headers: { 'www-authenticate': `Bearer error="${said}"` } }),
      () => Promise.reject(new TypeError(said, { cause: new Error(said) })),
    ];
    for (const [index, each] of answers.entries()) {
      answer = each;
      await kept.keepSignIn(alice, notes, tokens(`a${index}`, { expiresAt: 1 }));
      const outcome = await kept.token(alice, notes, { scopes: [] }).catch((reason: unknown) => reason);
      if (index > 0) expect(outcome).toMatchObject({ code: 'connect/provider' });
      expect(inspect(outcome, { depth: 20, showHidden: true })).not.toContain('canary');
      expect(String((outcome as Error | undefined)?.stack)).not.toContain('canary');
      await kept.forget(alice, notes);
    }
    expect(stored()).not.toContain('canary');
  });
});

describe('configuration', () => {
  it('elicit-url-58: a bad provider fails when it is built, naming the field and not the secret', () => {
    const good = { id: 'notes', issuer: 'https://provider.example', clientId: 'midcall', clientSecret: canary };
    for (const [bad, field] of [
      [{ id: 'Not An Id' }, 'id'],
      [{ id: '../up' }, 'id'],
      [{ issuer: 'http://provider.example' }, 'https'],
      [{ issuer: 'nonsense' }, 'issuer'],
      [{ issuer: 'https://provider.example/?tenant=x' }, 'query'],
      [{ clientId: '' }, 'clientId'],
      [{ clientSecret: '' }, 'clientSecret'],
      [{ scopes: ['two words'] }, 'scope'],
      [{ timeoutMs: 0 }, 'timeoutMs'],
      [{ name: 'two\nlines' }, 'name'],
      [{ parameters: { state: 'mine' } }, 'state'],
      [{ parameters: { code_challenge_method: 'plain' } }, 'code_challenge_method'],
    ] as const) {
      const build = () => provider({ ...good, ...bad });
      expect(build).toThrow(TypeError);
      expect(build).toThrow(field);
      expect(build).not.toThrow(canary);
    }
  });
});
