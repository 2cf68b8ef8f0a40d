import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it('keys-K3: processes that start together end with one key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-keys-'));
  try {
    const file = join(folder, 'key');
    const script = `const { keyRing } = await import(process.argv[1]);
      console.log(keyRing({ file: process.argv[2], create: true }).keys[0].id);`;
    const module = new URL('../../../packages/server/dist/state/keys.js', import.meta.url).href;
    const runs = Array.from({ length: 12 }, () =>
      run(process.execPath, ['--input-type=module', '-e', script, module, file]),
    );
    const ids = (await Promise.all(runs)).map(each => each.stdout.trim());
    expect(ids[0]).toMatch(/^[\w-]{8}$/);
    expect(new Set(ids).size).toBe(1);
    expect(readdirSync(folder)).toEqual(['key']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
