/** Every operation of `Files`, on both guarantees, under the three kinds of name. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundary, type Files, toUri } from '@midcall/server/roots';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guarantees } from './guarantees.ts';

const text = (path: string): string => readFileSync(path, 'utf8');

describe.each(guarantees)('%s files', guarantee => {
  let base: string;
  let root: string;
  let files: Files;

  beforeEach(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-files-')));
    root = join(base, 'root');
    mkdirSync(join(root, 'sub'), { recursive: true });
    writeFileSync(join(root, 'a.txt'), 'alpha');
    writeFileSync(join(root, 'sub', 'b.txt'), 'beta');
    mkdirSync(join(base, 'outside'));
    writeFileSync(join(base, 'outside', 'secret.txt'), 'secret');
    files = await boundary({ ceiling: [root], guarantee }).files();
  });
  afterEach(async () => {
    await files.close();
    rmSync(base, { recursive: true, force: true });
  });

  it('files say which roots and which guarantee hold', () => {
    expect(files.roots).toEqual([{ path: root }]);
    expect(files.guarantee).toBe(guarantee);
  });

  it.each([
    ['relative', () => 'sub/b.txt'],
    ['relative with a dot', () => './sub/../sub/b.txt'],
    ['absolute', () => join(root, 'sub/b.txt')],
    ['a file: URI', () => toUri(join(root, 'sub/b.txt'))],
  ])('files take a %s name for the same file', async (_, name) => {
    expect(await files.readText(name())).toBe('beta');
    expect(await files.absolute(name())).toBe(join(root, 'sub/b.txt'));
    await files.write(name(), 'new');
    expect(text(join(root, 'sub/b.txt'))).toBe('new');
  });

  it('files are read whole, in ranges and as a stream', async () => {
    expect(Buffer.from(await files.read('a.txt')).toString()).toBe('alpha');
    expect(Buffer.from(await files.read('a.txt', { position: 1, length: 2 })).toString()).toBe('lp');
    expect(Buffer.from(await files.read('a.txt', { position: 3 })).toString()).toBe('ha');
    expect((await files.read('a.txt', { position: 9 })).length).toBe(0);
    writeFileSync(join(root, 'large'), Buffer.alloc(300_000, 7));
    expect((await files.read('large')).length).toBe(300_000);
    let seen = 0;
    for await (const chunk of await files.stream('large')) seen += (chunk as Buffer).length;
    expect(seen).toBe(300_000);
    await expect(files.read('a.txt', { position: -1 })).rejects.toMatchObject({ code: 'roots/invalid' });
  });

  it('a write is one step, keeps the mode, leaves nothing behind, and makes missing folders', async () => {
    chmodSync(join(root, 'a.txt'), 0o640);
    await files.write('a.txt', 'changed');
    expect(text(join(root, 'a.txt'))).toBe('changed');
    expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o640);
    await files.write('x/y/z.txt', new Uint8Array([65, 66]));
    expect(text(join(root, 'x/y/z.txt'))).toBe('AB');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'sub', 'x']);
    await expect(files.write('sub', 'no')).rejects.toMatchObject({ code: 'roots/invalid' });
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'sub', 'x']);
  });

  it('files are appended to, created once and copied once', async () => {
    await files.append('a.txt', '+');
    await files.append('new.txt', '1');
    await files.append('new.txt', '2');
    expect([text(join(root, 'a.txt')), text(join(root, 'new.txt'))]).toEqual(['alpha+', '12']);
    await files.create('made/once.txt', 'x');
    await expect(files.create('made/once.txt', 'y')).rejects.toMatchObject({ code: 'roots/exists' });
    await files.copy('a.txt', 'copies/a.txt');
    expect(text(join(root, 'copies/a.txt'))).toBe('alpha+');
    await expect(files.copy('a.txt', 'new.txt')).rejects.toMatchObject({ code: 'roots/exists' });
  });

  it('files are listed, walked and statted', async () => {
    symlinkSync('sub', join(root, 'link'));
    expect((await files.list('.')).map(({ name, kind }) => `${name}:${kind}`).sort()).toEqual([
      'a.txt:file',
      'link:link',
      'sub:directory',
    ]);
    const walked: string[] = [];
    for await (const entry of files.walk('.')) walked.push(entry.path);
    expect(walked.sort()).toEqual([join(root, 'a.txt'), join(root, 'link'), join(root, 'sub/b.txt')]);
    const skipped: string[] = [];
    for await (const entry of files.walk('.', { skip: entry => entry.name === 'sub' })) skipped.push(entry.name);
    expect(skipped.sort()).toEqual(['a.txt', 'link']);
    expect(await files.stat('link')).toMatchObject({ kind: 'directory' });
    expect(await files.stat('a.txt')).toMatchObject({ kind: 'file', size: 5 });
    expect([await files.exists('a.txt'), await files.exists('nope'), await files.exists('nope/deeper')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('a rename never replaces, directories included', async () => {
    await files.rename('a.txt', 'moved/a2.txt');
    expect(text(join(root, 'moved/a2.txt'))).toBe('alpha');
    expect(await files.exists('a.txt')).toBe(false);
    await expect(files.rename('moved/a2.txt', 'sub/b.txt')).rejects.toMatchObject({ code: 'roots/exists' });
    expect(text(join(root, 'sub/b.txt'))).toBe('beta');
    await files.rename('sub', 'sub2');
    expect(text(join(root, 'sub2/b.txt'))).toBe('beta');
    await files.mkdir('empty');
    await expect(files.rename('sub2', 'empty')).rejects.toMatchObject({ code: 'roots/exists' });
    await expect(files.rename('sub2', 'sub2/in')).rejects.toMatchObject({ code: 'roots/invalid' });
    await expect(files.rename('nope', 'x')).rejects.toMatchObject({ code: 'roots/not-found' });
  });

  it('files, links, empty directories and trees are removed', async () => {
    symlinkSync(join(base, 'outside'), join(root, 'sub', 'out'));
    await expect(files.remove('sub')).rejects.toMatchObject({ code: 'roots/invalid' });
    await files.removeTree('sub');
    await files.remove('a.txt');
    await expect(files.remove('a.txt')).rejects.toMatchObject({ code: 'roots/not-found' });
    expect(readdirSync(root)).toEqual([]);
    expect(readdirSync(join(base, 'outside'))).toEqual(['secret.txt']);
    await expect(files.removeTree('.')).rejects.toMatchObject({ code: 'roots/invalid' });
  });

  it('a link that stays inside is followed, for reading and writing, and never replaced by a file', async () => {
    symlinkSync('sub/b.txt', join(root, 'in'));
    expect(await files.readText('in')).toBe('beta');
    await files.write('in', 'through');
    expect(text(join(root, 'sub/b.txt'))).toBe('through');
    await files.append('in', '!');
    expect(text(join(root, 'sub/b.txt'))).toBe('through!');
    await files.remove('in');
    expect(text(join(root, 'sub/b.txt'))).toBe('through!');
  });

  it('a handle stays with one file', async () => {
    const handle = await files.open('a.txt', 'r+');
    await handle.write('A');
    expect(Buffer.from(await handle.read()).toString()).toBe('Alpha');
    expect(await handle.stat()).toMatchObject({ size: 5 });
    await handle.close();
    await expect(handle.read()).rejects.toMatchObject({ code: 'roots/invalid' });
    await using log = await files.open('log', 'a');
    await log.write('1');
    await log.write('2', { position: 0 });
    expect(text(join(root, 'log'))).toBe('12');
  });

  it('files refuse everything after close', async () => {
    await files.close();
    await expect(files.read('a.txt')).rejects.toMatchObject({ code: 'roots/revoked' });
  });
});
