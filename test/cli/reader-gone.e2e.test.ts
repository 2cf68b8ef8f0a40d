/** Every command with nobody left to read what it writes. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { subcommands } from '../../packages/midcall/src/cli/subcommands.ts';
import { few } from '../fixtures/soak.ts';

const midcall = fileURLToPath(new URL('../../packages/midcall/bin/midcall.js', import.meta.url));
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'h', version: '1' } },
};

/** Runs a command whose standard output is closed at once; its standard input stays open where it serves. */
function runUnread(words: readonly string[], input?: object): Promise<{ code: number | null; err: string }> {
  const home = mkdtempSync(join(tmpdir(), 'unread-'));
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
  const child = spawn(process.execPath, [midcall, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.destroy();
  if (input) child.stdin.write(`${JSON.stringify(input)}\n`);
  else child.stdin.end();
  let err = '';
  child.stderr.on('data', chunk => {
    err += chunk;
  });
  return new Promise(resolve => {
    child.on('exit', () => child.stdin.destroy());
    child.on('close', code => resolve({ code, err }));
  });
}

const folder = (): string => mkdtempSync(join(tmpdir(), 'unread-notes-'));

describe('a command whose reader is gone', () => {
  it.each(few(['', ...subcommands.map(({ name }) => `${name} `)], '', 'call '))(
    'midcall %s--help ends, and says nothing',
    async name => {
      expect(await runUnread([...name.split(' ').filter(Boolean), '--help'])).toEqual({ code: 0, err: '' });
    },
  );

  it.each([
    ['design', () => ['design', 'notes_delete', '--', process.execPath, midcall, 'notes', folder()]],
    ['decisions', () => ['decisions']],
    ['lint', () => ['lint', '--', process.execPath, midcall, 'notes', folder()]],
    ['call', () => ['call', 'notes_search', 'query=x', '--', process.execPath, midcall, 'notes', folder()]],
    ['demo', () => ['demo']],
  ])('midcall %s does what it is to do, and says nothing of its reader', async (_, words) => {
    const { code, err } = await runUnread(words());
    expect(err).not.toMatch(/EPIPE|Unhandled/);
    expect(code).toBe(0);
  });

  it.each([
    ['notes', () => ['notes', folder()]],
    ['doctor', () => ['doctor']],
    ['bridge', () => ['bridge', '--', process.execPath, midcall, 'notes', folder()]],
    ['desk', () => ['desk', '--port', '0']],
  ])('midcall %s, which would serve on for nobody, ends by itself', async (_, words) => {
    const { code, err } = await runUnread(words(), initialize);
    expect(err).not.toMatch(/EPIPE|Unhandled/);
    expect(code).toBe(0);
  });
});

/** A module that makes a stream of the process fail with an error that a terminal or a disk would give it. */
const failing = (code: string, stream = 'stdout'): string =>
  `data:text/javascript,setImmediate(() => process.${stream}.emit('error', Object.assign(new Error('${code}'), { code: '${code}' })))`;

function runFailing(preload: string): Promise<{ code: number | null; err: string }> {
  const home = mkdtempSync(join(tmpdir(), 'failing-'));
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
  const child = spawn(process.execPath, ['--import', preload, midcall, 'desk', '--port', '0', '--no-keep'], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let err = '';
  child.stderr.on('data', chunk => {
    err += chunk;
  });
  return new Promise(resolve => child.on('close', code => resolve({ code, err })));
}

describe('a command whose output cannot be written', () => {
  it('a command ends by itself if its terminal is gone', async () => {
    expect(await runFailing(failing('EIO'))).toEqual({ code: 0, err: '' });
  });

  it('a command ends with a line that says so if its disk is full', async () => {
    expect(await runFailing(failing('ENOSPC'))).toEqual({
      code: 70,
      err: 'midcall: standard output cannot be written (ENOSPC).\n',
    });
  });
});
