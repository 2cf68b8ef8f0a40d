/** The file that says who may call a bridge over HTTP: what it takes, and what it says of mistakes. */
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAuthFile } from '../../packages/midcall/src/bridge/http/index.ts';

const token = 'canary-0123456789-0123456789-0123456789';
const resource = new URL('https://bridge.example/mcp');

function file(content: unknown, mode = 0o600): string {
  const path = join(mkdtempSync(join(tmpdir(), 'auth-')), 'auth.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode });
  return path;
}

const present = (authorization?: string) => new Request(resource, { headers: authorization ? { authorization } : {} });

describe('a file of tokens', () => {
  it('a file of tokens names the principal of each, and keeps no token', async () => {
    const { guard, needsAddress } = await readAuthFile(
      file({
        tokens: [
          { token, principal: 'ada', desk: true },
          { token: `${token}2`, principal: 'alan' },
        ],
      }),
    );
    expect(needsAddress).toBe(false);
    const { authenticate, callerOf } = guard(resource);
    const auth = await authenticate(present(`Bearer ${token}`));
    if (auth instanceof Response) throw new Error(`refused with ${auth.status}`);
    expect(JSON.stringify(auth)).not.toContain('canary');
    const other = await authenticate(present(`Bearer ${token}2`));
    if (other instanceof Response) throw new Error(`refused with ${other.status}`);
    expect([callerOf(auth).desk, callerOf(other).desk]).toEqual([true, false]);
    expect(callerOf(auth).id).not.toBe(callerOf(other).id);
  });

  it.each([
    ['no token', undefined],
    ['a token that is not in it', `Bearer ${token}3`],
    ['another scheme', `Basic ${token}`],
  ])('a file of tokens lets no request in with %s', async (_, authorization) => {
    const { guard } = await readAuthFile(file({ tokens: [{ token, principal: 'ada' }] }));
    const refused = await guard(resource).authenticate(present(authorization));
    if (!(refused instanceof Response)) throw new Error('was let in');
    expect(refused.status).toBe(401);
    expect(await refused.text()).not.toContain('canary');
  });
});

describe('a file that names an issuer', () => {
  it('a file that names an issuer tells clients where to get a token', async () => {
    const { guard, needsAddress } = await readAuthFile(file({ issuer: 'https://login.example', clientId: 'bridge' }));
    expect(needsAddress).toBe(true);
    const metadata = guard(resource).metadata(
      new Request('https://bridge.example/.well-known/oauth-protected-resource/mcp'),
    );
    expect(await metadata?.json()).toMatchObject({ authorization_servers: ['https://login.example'] });
  });
});

describe('a file that cannot be used', () => {
  it.each([
    ['is not JSON', `{ ${token}`, 'is not JSON'],
    ['says something else', { users: [token] }, "'tokens' is wrong"],
    ['has no token', { tokens: [] }, "'tokens' is wrong (too_small)"],
    ['has a member it does not know', { tokens: [{ token, principal: 'ada', admin: token }] }, "'tokens.0' is wrong"],
    ['has a token that can be guessed', { tokens: [{ token: 'canary', principal: 'ada' }] }, 'openssl rand -hex 32'],
    ['has a token with a space in it', { tokens: [{ token: `${token} x`, principal: 'ada' }] }, "'tokens.0.token'"],
    [
      'names two holders of one token',
      { tokens: [token, token].map(each => ({ token: each, principal: 'ada' })) },
      'two entries',
    ],
    [
      'gives a principal the desk with one token and not with another',
      {
        tokens: [
          { token, principal: 'ada', desk: true },
          { token: `${token}2`, principal: 'ada' },
        ],
      },
      '\'ada\' has "desk": true in one entry and not in another',
    ],
    ['names no real issuer', { issuer: 'canary', clientId: 'bridge' }, "'issuer' is wrong"],
  ])('a file is refused because it %s, and nothing of it is said', async (_, content, said) => {
    const error = await readAuthFile(file(content)).catch((caught: Error) => caught as Error);
    expect(error).toMatchObject({ code: 'cli/usage', message: expect.stringContaining(said) });
    expect((error as Error).message).not.toContain('canary');
  });

  it.each([0o604, 0o602, 0o660, 0o620])(
    'a file is refused because others may read or write it, as a key file is: %o',
    async mode => {
      const path = file({ tokens: [{ token, principal: 'ada' }] });
      chmodSync(path, mode);
      await expect(readAuthFile(path)).rejects.toThrow('Run chmod 600 on it.');
      chmodSync(path, 0o440);
      await readAuthFile(path);
    },
  );

  it('a file that is not there is refused', async () => {
    await expect(readAuthFile('/nowhere/auth.json')).rejects.toThrow('there is no such file');
  });
});
