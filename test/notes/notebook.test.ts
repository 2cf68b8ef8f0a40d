import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { boundary } from '@midcall/server/roots';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Notebook, notebook } from '../../packages/midcall/src/notes/notebook.ts';
import { copySamples } from '../../packages/midcall/src/notes/samples.ts';

let top: string;
let root: string;
let notes: Notebook;
let time: number;

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-notebook-')));
  root = await copySamples(top);
  time = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  notes = await open(root);
});
afterEach(() => rm(top, { recursive: true, force: true }));

async function open(...ceiling: string[]): Promise<Notebook> {
  return notebook(await boundary({ ceiling }).files(), { now: () => time++ });
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function tree(directory = root): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing was thrown',
    error => error.code,
  );

describe('listing and finding', () => {
  it('every note is listed, newest first, without hidden, archived and other files', async () => {
    await put('.git/readme.md', '# no');
    await put('.hidden.md', '# no');
    await put('archive/old.md', '# no');
    await put('photo.jpg', 'no');
    const { notes: listed, unreadable } = await notes.list();
    expect(listed).toHaveLength(13);
    expect(unreadable).toBe(0);
    expect(listed.map(note => note.date)).toEqual(
      listed
        .map(note => note.date)
        .toSorted()
        .reverse(),
    );
    expect(listed.find(note => note.title === 'Lentil soup')).toMatchObject({
      folder: 'home/recipes',
      path: 'home/recipes/lentil soup.md',
    });
    expect(listed.find(note => note.path === 'inbox.md')!.folder).toBe('notes');
  });

  it('one folder is listed, the archive when it is named, and hidden and missing ones are refused', async () => {
    await put('archive/old.md', '# Old');
    expect((await notes.list('work')).notes.every(note => note.path.startsWith('work/'))).toBe(true);
    expect((await notes.list('archive')).notes.map(note => note.title)).toEqual(['Old']);
    expect((await notes.list(pathToFileURL(join(root, 'home/recipes')).href)).notes).toHaveLength(2);
    expect(await code(notes.list('.trash'))).toBe('roots/invalid');
    expect(await code(notes.list('nowhere'))).toBe('roots/not-found');
    expect(await code(notes.list('..'))).toBe('roots/outside');
  });

  it('a note is found by its whole title, in another case only where none fits exactly', async () => {
    expect(await notes.find('TPS report')).toHaveLength(3);
    expect(await notes.find('tps REPORT')).toHaveLength(3);
    expect(await notes.find('TPS')).toHaveLength(0);
    await put('other.md', '# tps report');
    expect(await notes.find('TPS report')).toHaveLength(3);
    expect((await notes.find('tps report')).map(note => note.path)).toEqual(['other.md']);
    expect((await notes.find('TPS report', 'work/2024')).map(note => note.date)).toEqual(['2024-06-12']);
    expect((await notes.find('TPS report', 'work/2024/tps-report.md')).map(note => note.date)).toEqual(['2024-06-12']);
  });

  it('titles and texts are searched', async () => {
    const [first] = await notes.search('lentil soup');
    expect(first!.title).toBe('Lentil soup');
    expect((await notes.search('phacelia')).map(note => note.title)).toEqual(['Garden beds']);
    expect(await notes.search('phacelia lentils')).toEqual([]);
  });

  it('ids read the note they name, also with several roots', async () => {
    const other = await copySamples(top);
    for (const several of [notes, await open(root, other)]) {
      const { notes: listed } = await several.list();
      expect(new Set(listed.map(note => note.id)).size).toBe(listed.length);
      for (const note of listed) expect((await several.read({ id: note.id })).note.path).toBe(note.path);
    }
    expect(await code(notes.read({ id: 'note-nope' }))).toBe('roots/not-found');
  });
});

describe('reading and writing', () => {
  it('a path may be relative to the root, absolute, or a file: URI', async () => {
    const absolute = join(root, 'home/boiler service.md');
    for (const path of [
      'home/boiler service.md',
      './home/../home/boiler service.md',
      absolute,
      pathToFileURL(absolute).href,
    ]) {
      expect((await notes.read({ path })).note.title).toBe('Boiler service');
    }
  });

  it('a write creates folders, and replaces a note as a whole', async () => {
    expect(await notes.write('new/deep/note.md', '# New')).toMatchObject({ created: true, note: { title: 'New' } });
    expect(await notes.write('new/deep/note.md', '# Newer')).toMatchObject({
      created: false,
      note: { title: 'Newer' },
    });
    expect(await readFile(join(root, 'new/deep/note.md'), 'utf8')).toBe('# Newer');
  });

  it('notebook-B1: nothing is touched but Markdown files outside hidden folders', async () => {
    await put('.git/config.md', 'x');
    await put('data.json', 'x');
    const before = await tree(top);
    for (const path of ['.git/config.md', '.trash/x.md', 'a/.b/c.md', 'data.json', 'noext', '.md']) {
      expect(await code(notes.read({ path }))).toBe('roots/invalid');
      expect(await code(notes.write(path, 'x'))).toBe('roots/invalid');
    }
    expect(await tree(top)).toEqual(before);
  });

  it('000-05: whatever lies outside is refused as outside, never as missing, and nothing is written there', async () => {
    await mkdir(join(top, 'notes-2'), { recursive: true });
    await writeFile(join(top, 'secret.md'), '# secret');
    await writeFile(join(dirname(root), 'beside.md'), '# beside');
    await symlink(join(top, 'secret.md'), join(root, 'link.md'));
    await symlink(top, join(root, 'way'));
    const before = await tree(top);
    for (const path of [
      '../beside.md',
      'home/../../beside.md',
      join(top, 'secret.md'),
      `${root}-2/x.md`,
      'link.md',
      'way/secret.md',
      'way/new.md',
      pathToFileURL(join(top, 'secret.md')).href,
      '/etc/hostname.md',
    ]) {
      expect([path, await code(notes.read({ path }))]).toEqual([path, 'roots/outside']);
      expect([path, await code(notes.write(path, 'x'))]).toEqual([path, 'roots/outside']);
    }
    const encoded = `file://${root}/%2e%2e/beside.md`;
    expect(await code(notes.read({ path: encoded }))).toBe('roots/invalid');
    expect(await code(notes.write(encoded, 'x'))).toBe('roots/invalid');
    expect(await tree(top)).toEqual(before);
  });

  it('a note that is too long is not read', async () => {
    await put('long.md', 'x'.repeat(1024 * 1024 + 1));
    await expect(notes.read({ path: 'long.md' })).rejects.toThrow('too long');
  });
});

describe('the trash', () => {
  it('the trash takes a note and gives it back, with nothing left over', async () => {
    const before = await tree();
    const [note] = await notes.find('Boiler service');
    const moved = await notes.trash(note!);
    expect(moved).toEqual({ outcome: 'moved', to: '.trash/2026-01-02T03-04-05.678Z/home/boiler service.md' });
    expect(await notes.find('Boiler service')).toEqual([]);
    const [deleted, ...rest] = await notes.deleted();
    expect(rest).toEqual([]);
    expect(deleted).toMatchObject({ title: 'Boiler service', folder: 'home', from: 'home/boiler service.md' });
    expect(deleted!.deletedAt).toBe('2026-01-02T03:04:05.678Z');
    expect(await notes.restore(deleted!)).toEqual({ outcome: 'moved', to: 'home/boiler service.md' });
    expect(await tree()).toEqual(before);
    expect(await readdir(join(root, '.trash'))).toEqual([]);
  });

  it('the trash keeps every deletion of the same path, and filters by title and path', async () => {
    for (const text of ['# One', '# Two']) {
      await put('same.md', text);
      await notes.trash((await notes.find(text.slice(2)))[0]!);
    }
    expect((await notes.deleted({ path: 'same.md' })).map(note => note.title)).toEqual(['Two', 'One']);
    expect((await notes.deleted({ title: 'One' })).map(note => note.from)).toEqual(['same.md']);
    expect(new Set((await notes.deleted()).map(note => note.id)).size).toBe(2);
  });

  it('notebook-B2: a note that is gone or another one by now is left alone', async () => {
    const [gone, changed] = [(await notes.find('Focaccia'))[0]!, (await notes.find('Inbox'))[0]!];
    await rm(join(root, gone.path));
    await put(changed.path, '# Outbox');
    const before = await tree();
    for (const move of [notes.trash, notes.archive]) {
      expect(await move(gone)).toEqual({ outcome: 'gone' });
      expect(await move(changed)).toEqual({ outcome: 'changed', title: 'Outbox' });
    }
    expect(await tree()).toEqual(before);
  });

  it('notebook-B3: the trash restores over nothing', async () => {
    const [note] = await notes.find('Inbox');
    await notes.trash(note!);
    await put('inbox.md', '# New inbox');
    const [deleted] = await notes.deleted();
    expect(await notes.restore(deleted!)).toEqual({ outcome: 'occupied', by: 'inbox.md' });
    expect(await readFile(join(root, 'inbox.md'), 'utf8')).toBe('# New inbox');
    expect(await notes.deleted()).toHaveLength(1);
  });

  it('the trash says gone when somebody else has restored it first', async () => {
    await notes.trash((await notes.find('Inbox'))[0]!);
    const [deleted] = await notes.deleted();
    await notes.restore(deleted!);
    expect(await notes.restore(deleted!)).toEqual({ outcome: 'gone' });
  });

  it('the trash ignores files that no deletion put there', async () => {
    await put('.trash/stray.md', '# Stray');
    await put('.trash/2026-99-99T00-00-00.000Z/x.md', '# Stray');
    expect(await notes.deleted()).toEqual([]);
  });
});

describe('the archive', () => {
  it('the archive keeps the path below it, and numbers a name that is taken', async () => {
    const paths: unknown[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await put('work/plan.md', '# Plan');
      paths.push(await notes.archive((await notes.find('Plan'))[0]!));
    }
    expect(paths).toEqual(
      ['archive/work/plan.md', 'archive/work/plan 2.md', 'archive/work/plan 3.md'].map(to => ({
        outcome: 'moved',
        to,
      })),
    );
    expect(await notes.find('Plan')).toEqual([]);
    expect((await notes.read({ path: 'archive/work/plan 3.md' })).text).toBe('# Plan');
  });
});
