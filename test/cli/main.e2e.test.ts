/** What every command of `midcall` has: the version, and why a server that died at its start died. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

function midcall(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise(resolve =>
    execFile(process.execPath, [join(root, 'dist/cli/main.js'), ...words], { cwd: root }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    ),
  );
}

it.each(['--version', '-V'])('midcall %s prints the version of the package', async flag => {
  expect(await midcall(flag)).toEqual({ code: 0, out: `${version}\n`, err: '' });
});

it.each([['call', 'any'], ['lint'], ['design', 'any']])(
  'midcall %s says why a server died, not which Node it ran on',
  async (...words) => {
    const server = join(realpathSync(mkdtempSync(join(tmpdir(), 'dies-'))), 'server.mjs');
    writeFileSync(
      server,
      "throw new Error('TOKEN is not set\\nSee the manual.', { cause: new TypeError('inner') });\n",
    );
    const { code, err } = await midcall(...words, '--', process.execPath, server);
    expect(err).toMatch(/It last said: Error: TOKEN is not set\n/);
    expect(code).toBe(3);
  },
);
