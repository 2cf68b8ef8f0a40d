/** Folders this process may not enter, made real by a process without privileges. Needs `npm run build`. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUri } from '@midcall/server/roots';
import { expect, it } from 'vitest';
import { unprivilegedNode } from '../fixtures/unprivileged-node.ts';

const built = new URL('../../packages/server/bundle/roots/public.js', import.meta.url).href;

it.skipIf(process.platform === 'win32')(
  'a root that may not be entered is left out, which is said, and is refused as a directory',
  () => {
    const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'midcall-unreadable-')));
    fs.chmodSync(base, 0o755);
    const [open, shut] = [join(base, 'open'), join(base, 'shut')];
    fs.mkdirSync(open, { mode: 0o755 });
    fs.mkdirSync(shut, { mode: 0o700 });
    fs.mkdirSync(join(open, 'closed'), { mode: 0o700 });
    fs.writeFileSync(join(open, 'private'), 'x', { mode: 0o600 });
    fs.symlinkSync(join(shut, 'x'), join(open, 'into-shut'));
    for (const path of [shut, join(open, 'closed'), join(open, 'private')]) fs.chmodSync(path, 0);
    const script = `
    import { boundary } from ${JSON.stringify(built)};
    const said = promise => promise.then(value => value, error => error.code + ': ' + error.message);
    const [open, shut] = ${JSON.stringify([open, shut].map(path => ({ uri: toUri(path) })))};
    const files = await boundary().files([open, shut]);
    const start = async () => boundary({ ceiling: [${JSON.stringify(shut)}] });
    console.log(JSON.stringify({
      roots: files.roots, leftOut: files.leftOut, alone: await said(boundary().files([shut])), start: await said(start()),
      file: await said(files.read('private')), list: await said(files.list('closed')), link: await said(files.read('into-shut')),
      write: await said(files.write('closed/new', 'x')),
    }));`;
    const [command, ...before] = unprivilegedNode();
    const { stdout, stderr } = spawnSync(command, [...before, '--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const told = JSON.parse(stdout) as Record<string, string>;
    expect(told).toMatchObject({
      roots: [{ path: open }],
      leftOut: [{ uri: toUri(shut), reason: expect.stringMatching(/cannot be/) }],
      alone: expect.stringMatching(/^roots\/none: .*cannot be/),
      start: expect.stringMatching(/^roots\/invalid: .*cannot be/),
      file: expect.stringMatching(/^roots\/io: .*permission denied/),
      list: expect.stringMatching(/^roots\/io: .*permission denied/),
      write: expect.stringMatching(/^roots\/io: .*permission denied/),
      link: expect.stringMatching(/^roots\/outside: /),
    });
    for (const path of [shut, join(open, 'closed')]) fs.chmodSync(path, 0o700);
    fs.rmSync(base, { recursive: true });
  },
);
