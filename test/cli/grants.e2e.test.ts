/** `midcall grants`, and what is kept there holding in `midcall call`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const script = fileURLToPath(new URL('../fixtures/silent-server.mjs', import.meta.url));

it('midcall grants lists, finds and revokes grants, and calls pass by them until then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-grants-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    XDG_CONFIG_HOME: folder,
    XDG_RUNTIME_DIR: folder,
    XDG_STATE_HOME: folder,
  };
  const run = (...words: readonly string[]) =>
    new Promise<{ readonly code: number | null; readonly out: string }>(resolve => {
      const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'ignore'], env });
      let out = '';
      child.stdout.on('data', chunk => (out += chunk));
      child.on('close', code => resolve({ code, out }));
    });
  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const removed = file('removed', '');
  writeFileSync(removed, '');
  const rules = file('own-rules.json', [{ server: '*', tools: ['remove'], effect: 'ask' }]);
  const call = (answers: unknown, name = 'a') =>
    run(
      'call',
      'remove',
      `name=${name}`,
      '--rules',
      rules,
      '--answers',
      file('answers.json', answers),
      '--',
      process.execPath,
      script,
      removed,
    );
  expect((await run('grants')).out).toBe('No grants: you are asked about every call that your rules ask about.\n');
  const grant = { scope: 'fields', fields: ['name'], end: 'hour' };
  expect((await call([{ action: 'accept', content: { grant } }])).out).toBe('removed a\n');
  expect((await call([])).out).toBe('removed a\n');
  expect((await call([{ action: 'decline' }], 'b')).out).toMatch(/^Not done\./);
  expect((await run('grants')).out).toMatch(
    /^1 {2}silent-server: remove, where equal \{"name":"a"\}, until \d{4}-\d\d-\d\d \d\d:\d\d UTC\n$/,
  );
  expect((await run('grants', '--search', 'REMOVE')).out).toMatch(/^1 {2}silent-server/);
  expect((await run('grants', '--search', 'other')).out).toBe('None.\n');
  expect((await run('grants', '--revoke', '2')).code).toBe(2);
  expect((await run('grants', '--revoke', '1')).out).toMatch(/^Revoked: silent-server: remove, /);
  expect((await call([{ action: 'decline' }])).out).toMatch(/^Not done\./);
  expect(readFileSync(removed, 'utf8')).toBe('a\na\n');
});
