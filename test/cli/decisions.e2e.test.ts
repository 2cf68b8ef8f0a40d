/** `midcall decisions`, and what is kept there holding in `midcall call` and `midcall desk`. */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandTarget, decisionsFile, Policy } from '@midcall/host';
import { expect, it } from 'vitest';
import { originOf } from '../../packages/host/src/servers/server-entry.ts';
import { askingServer } from '../host/person.ts';

const midcall = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));

function run(
  words: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, [midcall, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', chunk => (out += chunk));
    child.stderr.on('data', chunk => (err += chunk));
    child.on('close', code => resolve({ code, out, err }));
  });
}

const file = (): string => join(mkdtempSync(join(tmpdir(), 'midcall-decisions-')), 'decisions.json');

it('midcall decisions lists what is kept and takes one back, and what is left holds in a call', async () => {
  const path = file();
  const policy = new Policy();
  const origin = originOf(commandTarget(['node', askingServer]));
  const common = { server: 'asking', effect: 'refuse', scope: 'always', origin } as const;
  await decisionsFile(path).keep(policy.add({ ...common, subject: 'form' }));
  await decisionsFile(path).keep(policy.add({ ...common, server: '*', origin: undefined as never, subject: 'url' }));

  const call = ['call', 'form', '--era', '2025', '--decisions', path, '--', 'node', askingServer];
  const refused = await run(call);
  expect(refused).toMatchObject({ code: 0, out: '{"action":"cancel"}\n' });
  expect(refused.err).toContain('You refuse forms from this server. (midcall decisions)');
  expect(refused.err).not.toContain('A server asks');

  const listed = await run(['decisions', '--decisions', path]);
  expect(listed.out).toMatch(
    /^1 {2}refuse forms: asking \(since .*\)\n2 {2}refuse pages to open: every server \(since .*\)\n$/,
  );
  expect((await run(['decisions', '--decisions', path, '--revoke', '1'])).out).toContain(
    'Revoked: refuse forms: asking',
  );
  expect((await run(call)).err).toContain('A server asks');
  expect(await run(['decisions', '--decisions', path, '--revoke', '2'])).toMatchObject({ code: 2 });
  expect(await run(['decisions', '--decisions', path, '--revoke', '1'])).toMatchObject({ code: 0 });
  expect((await run(['decisions', '--decisions', path])).out).toBe(
    'No decisions are stored: you are asked everything.\n',
  );
});

it('decisions-K3: two processes that keep decisions at the same time lose none', async () => {
  const path = file();
  const host = new URL('../../packages/host/bundle/public.js', import.meta.url).href;
  const keep = (name: string): Promise<number | null> => {
    const script = `import { Policy, decisionsFile } from ${JSON.stringify(host)};
const kept = decisionsFile(${JSON.stringify(path)});
for (let at = 0; at < 25; at += 1)
  await kept.keep(new Policy().add({ server: '${name}', origin: '${name}' + at, subject: 'form', effect: 'refuse', scope: 'always' }));`;
    return new Promise(resolve => {
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }).on('close', resolve);
    });
  };
  expect(await Promise.all([keep('one'), keep('other')])).toEqual([0, 0]);
  expect(await decisionsFile(path).read()).toHaveLength(50);
});

it.each([
  ['decisions'],
  ['call', 'form', '--', 'node', askingServer],
  ['desk', '--no-keep', '--', 'node', askingServer],
])('no command starts anything with a file of decisions that cannot be understood: %s', async (command, ...rest) => {
  const path = file();
  writeFileSync(path, '{"decisions":[{"effect":"allow"}]}');
  const ran = await run([command, '--decisions', path, ...rest]);
  expect(ran).toMatchObject({ code: 2, out: '' });
  expect(ran.err).toContain(`${path} does not hold a list of decisions. Move it away to start over.`);
});
