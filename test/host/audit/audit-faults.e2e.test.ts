/** The audit record on a disk that is full, in a process without file descriptors, and under kill -9. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type AuditEntry, verifyAudit } from '@midcall/host';
import { afterAll, describe, expect, it } from 'vitest';
import { inSoak, some } from '../../fixtures/soak.ts';

const script = fileURLToPath(new URL('./audit-child.mjs', import.meta.url));
const main = fileURLToPath(new URL('../../../packages/midcall/bin/midcall.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'midcall-audit-'));
const disk = join(folder, 'disk');
/** A disk of 64 KB, where this user may make one. */
const hasDisk = (() => {
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
afterAll(() => {
  if (hasDisk) execFileSync('umount', [disk]);
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
const freshPath = () => join(folder, `${++files}.jsonl`);

/** Starts a writer. @param limits - for `ulimit`, such as `-n 64` */
async function writer(path: string, { limits = '', die = [] as number[] } = {}) {
  const command = `${limits === '' ? '' : `ulimit -S ${limits}; `}exec "$0" "$@"`;
  const args = ['-c', command, process.execPath, script, path, ...die.map(String)];
  const child = spawn('bash', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const heard = lines[Symbol.asyncIterator]();
  const said = async (): Promise<string | undefined> => {
    const { value, done } = await heard.next();
    return done ? undefined : value;
  };
  expect(await said()).toMatch(/^opened [0-9a-f]{64}$/u);
  return {
    pid: child.pid!,
    async tell(command: string): Promise<string | undefined> {
      child.stdin.write(`${command}\n`);
      return said();
    },
    /** Records `times` entries. @returns what became of each */
    async record(times: number): Promise<string[]> {
      const all: string[] = [];
      child.stdin.write(`record ${times}\n`);
      for (let line = await said(); line !== undefined && line !== 'done'; line = await said()) all.push(line);
      return all;
    },
    async end(): Promise<string | null> {
      const exit = once(child, 'exit');
      child.stdin.end();
      return (await exit)[1] as string | null;
    },
  };
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').filter(Boolean);
const gapsOf = (path: string) =>
  linesOf(path)
    .map(line => (JSON.parse(line) as AuditEntry).event)
    .filter(event => event.type === 'gap');
/** Why entries are missing. A gap is shorter than most entries, so there may be several on a disk that is nearly full. */
const whysOf = (path: string): string[] => [...new Set(gapsOf(path).map(({ why }) => why))];
const lostOf = (said: readonly string[]): number => said.filter(line => line.startsWith('lost')).length;

/** Opens a desk with a record. @returns what it says when it does not start */
async function desk(path: string): Promise<'started' | string> {
  const child = spawn(process.execPath, [main, 'desk', '--no-keep', '--audit', path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', chunk => (err += chunk));
  const closed = once(child, 'close');
  const started = once(createInterface({ input: child.stdout }), 'line').then(() => 'started' as const);
  const result = await Promise.race([started, closed.then(() => err)]);
  child.kill('SIGTERM');
  await closed;
  return result;
}

describe('a write that fails', () => {
  it('audit-A3: without a file descriptor the entry is lost, and the next one says how many were and why', async () => {
    const path = freshPath();
    const child = await writer(path, { limits: '-n 64' });
    expect(lostOf(await child.record(3))).toBe(0);
    expect(await child.tell('exhaust')).toBe('EMFILE');
    expect(await child.record(2)).toEqual(['lost EMFILE', 'lost EMFILE']);
    expect(verifyAudit(linesOf(path))).toMatchObject({ ok: true, entries: 3, lost: 0 });
    await child.tell('release');
    expect(lostOf(await child.record(2))).toBe(0);
    expect(verifyAudit(linesOf(path))).toMatchObject({ ok: true, entries: 6, lost: 2, unfinished: false });
    expect(gapsOf(path)).toMatchObject([
      { lost: 2, why: 'It could not be written (EMFILE).', since: expect.stringMatching(/^\d{4}-/u) },
    ]);
    await child.end();
    expect(await desk(path)).toBe('started');
  });

  it('audit-file-L1, audit-A3: a line that is half on the disk when there is no more room is cut off, and the chain goes on', async () => {
    const path = freshPath();
    const child = await writer(path, { limits: '-f 8' });
    const said = await child.record(20);
    expect(lostOf(said)).toBeGreaterThan(0);
    expect(said.at(-1)).toBe('lost EFBIG');
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
    expect(verifyAudit(linesOf(path))).toMatchObject({ ok: true, unfinished: false });
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
    expect(lostOf(await child.record(2))).toBe(0);
    expect(verifyAudit(linesOf(path))).toMatchObject({ ok: true, lost: lostOf(said), unfinished: false });
    expect(whysOf(path)).toEqual(['It could not be written (EFBIG).']);
    await child.end();
    expect(await desk(path)).toBe('started');
  });

  it.runIf(hasDisk)(
    'audit-file-L1, audit-A3: entries are lost while the disk is full, and the next one says so once there is room',
    async () => {
      const path = join(disk, 'audit.jsonl');
      writeFileSync(join(disk, 'ballast'), Buffer.alloc(40_000));
      const child = await writer(path);
      const said = await child.record(80);
      expect(said.at(-1)).toBe('lost ENOSPC');
      expect(verifyAudit(linesOf(path))).toMatchObject({ ok: true, unfinished: false });
      rmSync(join(disk, 'ballast'));
      expect(lostOf(await child.record(3))).toBe(0);
      expect(verifyAudit(linesOf(path))).toMatchObject({ ok: true, lost: lostOf(said) });
      expect(whysOf(path)).toEqual(['It could not be written (ENOSPC).']);
      await child.end();
      expect(await desk(path)).toBe('started');
    },
  );
});

describe('kill -9 in the middle of an entry', () => {
  it('audit-file-L1, audit-A3: whatever part of the entry was written, everything before is there, and a gap says so', async () => {
    const path = freshPath();
    // None of it, its first bytes, its middle, all but the line break, all of it.
    const parts = inSoak([-1, 1, 5, 20, 300, 100, 641, 2, 450, -2], [-1, 1, 300, 641, -2]);
    let gaps = 0;
    const acknowledged: string[] = [];
    for (const [kill, bytes] of parts.entries()) {
      // Where the last process left a gap, the first write of this one says so.
      const child = await writer(path, { die: [4 + (kill % 3), bytes] });
      const said = await child.record(20);
      expect(await child.end()).toBe('SIGKILL');
      acknowledged.push(...said.map(line => line.split(' ')[2]!));
      const hashes = new Set(linesOf(path).flatMap(line => /"hash":"([0-9a-f]{64})"\}$/u.exec(line)?.[1] ?? []));
      expect(acknowledged.filter(hash => !hashes.has(hash))).toEqual([]);
      const verdict = verifyAudit(linesOf(path));
      expect(verdict, `killed with ${bytes} bytes written`).toMatchObject({ ok: true, lost: gaps });
      if (verdict.ok && verdict.unfinished) gaps += 1;
    }
    expect(gaps).toBeGreaterThan(inSoak(4, 1));
    expect(await desk(path)).toBe('started');
    expect(verifyAudit(linesOf(path))).toMatchObject({ ok: true, unfinished: false, lost: gaps });
    expect(whysOf(path)).toEqual(['A process ended while it wrote an entry.']);
  });
});

describe('what is no accident', () => {
  it.each(
    some(
      [
        ['a line in the middle that is cut short', (lines: string[]) => lines.with(1, lines[1]!.slice(0, -30))],
        ['a change in the last line', (lines: string[]) => lines.with(-1, lines.at(-1)!.replace('change', 'Change'))],
        ['a line taken out', (lines: string[]) => lines.toSpliced(1, 1)],
        [
          'a gap that was written in',
          (lines: string[]) => lines.with(1, JSON.stringify({ n: 2, event: { type: 'gap' } })),
        ],
      ],
      2,
    ),
  )('%s keeps the desk from starting, and nothing in the file is touched', async (_, tamper) => {
    const path = freshPath();
    const child = await writer(path);
    await child.record(4);
    await child.end();
    writeFileSync(path, `${tamper(linesOf(path)).join('\n')}\n`);
    const before = readFileSync(path, 'utf8');
    expect(await desk(path)).toMatch(/does not verify at line \d/u);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('a rest after the last line that no entry begins with keeps the desk from starting', async () => {
    const path = freshPath();
    const child = await writer(path);
    await child.record(2);
    await child.end();
    appendFileSync(path, '{"n":7,"at":"20');
    const { size } = statSync(path);
    expect(await desk(path)).toMatch(/does not verify at line 3/u);
    expect(statSync(path).size).toBe(size);
  });
});
