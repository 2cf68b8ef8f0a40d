/** Sign-ins in a folder: sealed, their owner's alone, and changed by one process at a time. */
import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Grant, type GrantVault, memoryVault } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { folderOfVault } from './stage.ts';

const key = { principal: 'ada', server: 'https://mcp.example.com/mcp' };
const grant: Grant = {
  issuer: 'https://login.example.com',
  tokens: { access_token: 'canary-token-5b0f3a7719', token_type: 'Bearer' },
};

const sealedFile = async (folder: string): Promise<string> =>
  join(folder, (await readdir(folder)).find(name => name.endsWith('.json'))!);

describe('a vault', () => {
  it('vault-folder-V1: a file opens for its principal and server alone, and says nothing of what is in it', async () => {
    const { folder, vault } = await folderOfVault();
    await vault().change(key, async () => grant);
    const path = await sealedFile(folder);
    const text = await readFile(path, 'utf8');
    for (const word of ['canary', 'login.example', 'mcp.example', 'ada']) expect(text).not.toContain(word);
    expect(await vault().read(key)).toEqual(grant);
    expect(await vault().read({ ...key, principal: 'grace' })).toBeUndefined();
    // The same bytes under another name.
    const grace = { ...key, principal: 'grace' };
    await vault().change(grace, async () => ({ issuer: 'https://other.example' }));
    const other = (await readdir(folder))
      .map(name => join(folder, name))
      .find(each => each.endsWith('.json') && each !== path)!;
    await rename(path, other);
    await expect(vault().read(grace)).rejects.toThrow(/does not open. Remove the file to sign in again/);
  });

  it('vault-folder-V2: a folder or a key that others can read is refused, and so is a damaged file', async () => {
    const { folder, vault } = await folderOfVault();
    await vault().change(key, async () => grant);
    await chmod(join(folder, 'key'), 0o640);
    await expect(vault().read(key)).rejects.toThrow(/key is open to other users of this machine. .* chmod go= /);
    await chmod(join(folder, 'key'), 0o600);
    await chmod(folder, 0o755);
    await expect(vault().read(key)).rejects.toThrow(/is open to other users/);
    await expect(vault().change(key, async () => grant)).rejects.toThrow(/is open to other users/);
    await chmod(folder, 0o700);
    const path = await sealedFile(folder);
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, -20));
    await expect(vault().read(key)).rejects.toThrow(/does not open/);
    await expect(vault().change(key, async () => grant)).rejects.toThrow(/does not open/);
  });

  it.each(['memory', 'folder'])(
    'vault-folder-V3: changes of a vault follow one another, and one that fails changes nothing (%s)',
    async kind => {
      const { vault } = await folderOfVault();
      const shared = memoryVault();
      const one = (): GrantVault => (kind === 'memory' ? shared : vault());
      let running = 0;
      const add = (name: string) =>
        one().change(key, async before => {
          running += 1;
          expect(running).toBe(1);
          await new Promise(resolve => setImmediate(resolve));
          running -= 1;
          return { issuer: `${before?.issuer ?? ''}${name}` };
        });
      await Promise.all(['a', 'b', 'c'].map(add));
      const after = await one().read(key);
      expect([...(after?.issuer ?? '')].sort()).toEqual(['a', 'b', 'c']);
      const failing = one().change(key, async () => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await one().read(key)).toEqual(after);
      expect(await one().change(key, async () => undefined)).toBeUndefined();
      expect(await one().read(key)).toBeUndefined();
    },
  );
});
