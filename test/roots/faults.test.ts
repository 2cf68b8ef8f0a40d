/** Operations that the system breaks off halfway: nothing is lost or half-written, and the refusal names the right path. */
import { execFileSync } from 'node:child_process';
import {
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundary, type Files } from '@midcall/server/roots';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { direct, pooled, type System } from '../../packages/server/src/roots/system.ts';
import { guarantees } from './guarantees.ts';

const text = (path: string): string => readFileSync(path, 'utf8');

describe.each(guarantees)('%s files', guarantee => {
  let root: string;
  let files: Files;

  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-faults-')));
    mkdirSync(join(root, 'sub'));
    writeFileSync(join(root, 'a.txt'), 'alpha');
    writeFileSync(join(root, 'sub', 'b.txt'), 'beta');
    files = await boundary({ ceiling: [root], guarantee }).files();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await files.close();
    rmSync(root, { recursive: true, force: true });
  });

  const fault = (code: string) => Object.assign(new Error('broken'), { code });
  /** Lets a call of the system fail, where it is given what `where` says. */
  function fails(call: keyof System, code: string, where: (...args: never[]) => boolean = () => true): void {
    for (const system of [direct, pooled]) {
      const real = system[call] as unknown as (...args: unknown[]) => unknown;
      const broken = (...args: unknown[]): unknown => {
        if (!where(...(args as never[]))) return real(...args);
        if (system === direct) throw fault(code);
        return Promise.reject(fault(code));
      };
      vi.spyOn(system, call).mockImplementation(broken as never);
    }
  }
  const named = (end: string) => (at: string | Buffer) => at.toString().endsWith(end);
  const names = () => readdirSync(root).sort();

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
    'a file is renamed where the file system has no hard links (%s)',
    async code => {
      fails('link', code);
      await files.rename('a.txt', 'c.txt');
      expect(names()).toEqual(['c.txt', 'sub']);
      expect(text(join(root, 'c.txt'))).toBe('alpha');
    },
  );

  it('a name that somebody takes before it is claimed is theirs', async () => {
    fails('link', 'EPERM');
    fails('open', 'EEXIST', (_, flags: number) => (flags & constants.O_EXCL) !== 0);
    await expect(files.rename('a.txt', 'c.txt')).rejects.toMatchObject({
      code: 'roots/exists',
      message: "'c.txt' already exists.",
    });
    expect(names()).toEqual(['a.txt', 'sub']);
  });

  it('a claimed name is given back where the file cannot be renamed', async () => {
    fails('link', 'EPERM');
    fails('rename', 'EACCES');
    await expect(files.rename('a.txt', 'c.txt')).rejects.toMatchObject({
      message: "'a.txt' may not be used by this process (permission denied).",
    });
    expect(names()).toEqual(['a.txt', 'sub']);
    expect(text(join(root, 'a.txt'))).toBe('alpha');
  });

  it('a file that cannot be linked under its new name stays as it was', async () => {
    fails('link', 'EXDEV');
    await expect(files.rename('a.txt', 'c.txt')).rejects.toMatchObject({
      message: "'c.txt' lies on another file system; copy it, then remove the original.",
    });
    expect(names()).toEqual(['a.txt', 'sub']);
  });

  it('a file whose old name cannot go does not keep its new one, unless somebody else has removed the old', async () => {
    fails('unlink', 'EACCES', named('/a.txt'));
    await expect(files.rename('a.txt', 'c.txt')).rejects.toMatchObject({
      message: "'a.txt' may not be used by this process (permission denied).",
    });
    expect(names()).toEqual(['a.txt', 'sub']);
    vi.restoreAllMocks();
    fails('unlink', 'ENOENT', named('/a.txt'));
    await files.rename('a.txt', 'c.txt');
    expect(text(join(root, 'c.txt'))).toBe('alpha');
  });

  it('a directory that cannot be renamed leaves nothing under the new name', async () => {
    fails('rename', 'EACCES');
    await expect(files.rename('sub', 'c')).rejects.toMatchObject({
      code: 'roots/io',
      message: "'sub' may not be used by this process (permission denied).",
    });
    expect(names()).toEqual(['a.txt', 'sub']);
  });

  it.each(['ENOTEMPTY', 'EEXIST'])('a directory never replaces one that came to be used meanwhile (%s)', async code => {
    fails('rename', code);
    await expect(files.rename('sub', 'c')).rejects.toMatchObject({
      code: 'roots/exists',
      message: "'c' already exists. Choose another name, or remove it first.",
    });
    // It is somebody else's now.
    expect(names()).toEqual(['a.txt', 'c', 'sub']);
  });

  it('a directory is not moved where the new one cannot be made', async () => {
    fails('mkdir', 'EROFS');
    await expect(files.rename('sub', 'c')).rejects.toMatchObject({ message: "'c' is on a read-only file system." });
    await expect(files.mkdir('x/y')).rejects.toMatchObject({ message: "'x/y' is on a read-only file system." });
    expect(names()).toEqual(['a.txt', 'sub']);
  });

  it('a write that does not fit, or cannot take its place, leaves the old contents and nothing beside them', async () => {
    fails('write', 'ENOSPC');
    const full = (name: string) => ({ message: `'${name}' does not fit: the disk is full.` });
    await expect(files.write('a.txt', 'new')).rejects.toMatchObject(full('a.txt'));
    await expect(files.create('c.txt', 'new')).rejects.toMatchObject(full('c.txt'));
    vi.restoreAllMocks();
    fails('rename', 'EBUSY');
    await expect(files.write('a.txt', 'new')).rejects.toMatchObject({ message: "'a.txt' is in use." });
    expect(names()).toEqual(['a.txt', 'sub']);
    expect(text(join(root, 'a.txt'))).toBe('alpha');
  });

  it('what cannot be removed is named, and what is gone already is as good as removed', async () => {
    fails('unlink', 'EPERM');
    await expect(files.remove('a.txt')).rejects.toMatchObject({
      message: "'a.txt' may not be changed by this process (not permitted).",
    });
    await expect(files.removeTree('sub')).rejects.toMatchObject({
      message: "'sub' may not be changed by this process (not permitted).",
    });
    expect(text(join(root, 'sub/b.txt'))).toBe('beta');
    vi.restoreAllMocks();
    mkdirSync(join(root, 'bare'));
    await files.remove('bare');
    fails('unlink', 'ENOENT');
    await expect(files.removeTree('sub')).rejects.toMatchObject({ code: 'roots/invalid' });
  });

  it('what is moved in pieces comes to be whole', async () => {
    for (const system of [direct, pooled]) {
      const { read, write } = system;
      vi.spyOn(system, 'read').mockImplementation((fd, into, offset, length, position) =>
        read(fd, into, offset, Math.min(3, length), position),
      );
      vi.spyOn(system, 'write').mockImplementation((fd, from, offset, length, position) =>
        write(fd, from, offset, Math.min(3, length), position),
      );
    }
    await files.write('a.txt', 'in pieces of three');
    await files.append('a.txt', ', all of it');
    expect(text(join(root, 'a.txt'))).toBe('in pieces of three, all of it');
    expect(Buffer.from(await files.read('a.txt')).toString()).toBe('in pieces of three, all of it');
    expect(Buffer.from(await files.read('a.txt', { position: 3, length: 6 })).toString()).toBe('pieces');
    await using handle = await files.open('a.txt', 'r+');
    await handle.write('PIECES', { position: 3 });
    expect(await files.readText('a.txt')).toBe('in PIECES of three, all of it');
  });

  it('what is no file is not read, written or copied, and is told as what it is', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const attempts: ((name: string) => Promise<unknown>)[] = [
      name => files.read(name),
      name => files.readText(name),
      name => files.open(name),
      name => files.write(name, 'x'),
      name => files.append(name, 'x'),
      name => files.copy(name, 'copy'),
    ];
    for (const [name, message] of [
      ['sub', "'sub' is a directory."],
      ['pipe', "'pipe' is not a regular file."],
    ] as const)
      for (const attempt of attempts)
        await expect(attempt(name)).rejects.toMatchObject({ code: 'roots/invalid', message });
    await expect(files.remove('.')).rejects.toMatchObject({
      message: "'.' is an allowed folder itself; name something in it.",
    });
    await expect(files.rename('sub', 'sub/in')).rejects.toMatchObject({
      message: "'sub/in' lies inside the directory that is to be moved.",
    });
    await files.rename('sub', 'subway');
    expect(await files.stat('pipe')).toMatchObject({ kind: 'other' });
  });

  it.each([{ position: -1 }, { position: 0.5 }, { length: -1 }, { length: Number.NaN }])(
    'the range %j is refused',
    async range => {
      const which = 'position' in range ? 'position' : 'length';
      const message = `'a.txt' cannot be read: ${which} must be a whole number of bytes, 0 or more.`;
      await expect(files.read('a.txt', range)).rejects.toMatchObject({ code: 'roots/invalid', message });
    },
  );

  it('a file that somebody makes before it is appended to is appended to, and one that comes and goes is given up', async () => {
    let taken = 1;
    const excludes = (_: string, flags: number) => (flags & constants.O_EXCL) !== 0 && taken-- > 0;
    fails('open', 'EEXIST', excludes);
    await files.append('log.txt', 'one');
    expect(text(join(root, 'log.txt'))).toBe('one');
    taken = Number.POSITIVE_INFINITY;
    await expect(files.append('other.txt', 'one')).rejects.toMatchObject({ message: "'other.txt' already exists." });
    expect(await files.exists('other.txt')).toBe(false);
    vi.restoreAllMocks();
    fails('open', 'EACCES', excludes);
    await expect(files.append('other.txt', 'one')).rejects.toMatchObject({ code: 'roots/io' });
  });

  it('a walk goes to the bottom, and leaves out what goes away or leads out under way', async () => {
    mkdirSync(join(root, 'sub/deep/er'), { recursive: true });
    writeFileSync(join(root, 'sub/deep/er/c.txt'), 'gamma');
    const walked = async (meanwhile = (): void => {}) => {
      const seen: string[] = [];
      for await (const entry of files.walk('.')) {
        if (seen.length === 0) meanwhile();
        seen.push(entry.path.slice(root.length + 1));
      }
      return seen.sort();
    };
    expect(await walked()).toEqual(['a.txt', 'sub/b.txt', 'sub/deep/er/c.txt']);
    let read = 0;
    fails('entries', 'EIO', () => read++ > 0);
    await expect(walked()).rejects.toMatchObject({ code: 'roots/io', message: "'.' failed (EIO)." });
    vi.restoreAllMocks();
    const sub = join(root, 'sub');
    const put = (make: () => void) => () => {
      rmSync(sub, { recursive: true });
      make();
    };
    expect(await walked(put(() => writeFileSync(sub, 'a file now')))).toEqual(['a.txt']);
    rmSync(sub);
    mkdirSync(sub);
    expect(await walked(put(() => symlinkSync(tmpdir(), sub)))).toEqual(['a.txt']);
    rmSync(sub);
    mkdirSync(sub);
    expect(await walked(put(() => {}))).toEqual(['a.txt']);
  });

  it('a file keeps its owner and group where it is replaced', async () => {
    const given: unknown[] = [];
    for (const system of [direct, pooled]) {
      const { fstat } = system;
      let calls = 0;
      vi.spyOn(system, 'fstat').mockImplementation(fd => {
        calls += 1;
        const other = (stat: Stats): Stats => Object.assign(stat, { uid: stat.uid + calls });
        const stat = fstat(fd);
        return stat instanceof Promise ? stat.then(other) : other(stat);
      });
      vi.spyOn(system, 'fchown').mockImplementation((_, ...owner) => void given.push(owner));
    }
    await files.write('a.txt', 'new');
    expect(given).toHaveLength(1);
    expect(text(join(root, 'a.txt'))).toBe('new');
  });
});

it.each(['dev', 'ino'] as const)('checked files are not read where what was opened is another (%s)', async part => {
  onTestFinished(() => void vi.restoreAllMocks());
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-faults-')));
  writeFileSync(join(root, 'a.txt'), 'alpha');
  const files = await boundary({ ceiling: [root], guarantee: 'checked' }).files();
  const { fstat } = pooled;
  vi.spyOn(pooled, 'fstat').mockImplementation(async fd => {
    const stat = await fstat(fd);
    return Object.assign(stat, { [part]: stat[part] + 1 });
  });
  await expect(files.read('a.txt')).rejects.toMatchObject({ code: 'roots/outside' });
  vi.restoreAllMocks();
  expect(await files.readText('a.txt')).toBe('alpha');
  await files.close();
  await expect(files.read('a.txt')).rejects.toMatchObject({
    message: 'These files were closed with the call they belong to. Ask for the files again.',
  });
  rmSync(root, { recursive: true });
});
