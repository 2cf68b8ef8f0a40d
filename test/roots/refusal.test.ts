/** What a refusal says; see packages/server/src/roots/refusal.ts and name.ts. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { boundary, liveRoots, toUri } from '@midcall/server/roots';
import { describe, expect, it } from 'vitest';
import { nothing } from '../../packages/server/src/roots/boundary.ts';
import { sizeFault } from '../../packages/server/src/roots/contents.ts';
import { listedRoots } from '../../packages/server/src/roots/live-roots.ts';
import { placesOf } from '../../packages/server/src/roots/name.ts';
import { quotePath } from '../../packages/server/src/roots/quote-path.ts';
import { exists, fromSystem, outside, vanished } from '../../packages/server/src/roots/refusal.ts';
import { isAbsent, saysNothing } from '../../packages/server/src/roots/system.ts';

const bounds = (...paths: string[]) => ({ roots: paths.map(path => ({ path })), grant: 'Ask for more.' });
const fault = (code: string) => Object.assign(new Error('/secret/place'), { code });

describe('a fault of the system', () => {
  it.each([
    ['EEXIST', 'roots/exists', "'a' already exists."],
    ['ENOTEMPTY', 'roots/invalid', "'a' is not empty; remove the tree, or what is in it first."],
    ['ENOTDIR', 'roots/invalid', "'a' is not a directory, or runs through a file."],
    ['EISDIR', 'roots/invalid', "'a' is a directory."],
    ['ENAMETOOLONG', 'roots/invalid', "'a' is too long for the file system."],
    ['EINVAL', 'roots/invalid', "'a' cannot be used that way."],
    ['ENOENT', 'roots/not-found', "'a' is not there."],
    ['EACCES', 'roots/io', "'a' may not be used by this process (permission denied)."],
    ['EPERM', 'roots/io', "'a' may not be changed by this process (not permitted)."],
    ['EROFS', 'roots/io', "'a' is on a read-only file system."],
    ['ENOSPC', 'roots/io', "'a' does not fit: the disk is full."],
    ['EDQUOT', 'roots/io', "'a' does not fit: the quota is used up."],
    ['EBUSY', 'roots/io', "'a' is in use."],
    ['EXDEV', 'roots/io', "'a' lies on another file system; copy it, then remove the original."],
    ['EMFILE', 'roots/io', "'a' cannot be opened: this process has too many files open."],
    ['ENFILE', 'roots/io', "'a' cannot be opened: the system has too many files open."],
    ['EODD', 'roots/io', "'a' failed (EODD)."],
  ])('%s is told as %s, in words of ours', (code, ownCode, message) => {
    expect(fromSystem('a', fault(code))).toMatchObject({ code: ownCode, message });
  });

  it('a fault without a code is told as unknown, and one of ours as it is', () => {
    expect(fromSystem('a', new Error('/secret/place'))).toMatchObject({
      code: 'roots/io',
      message: "'a' failed (unknown error).",
    });
    const own = new MidcallError('roots/none', 'None.');
    expect(fromSystem('a', own)).toBe(own);
  });
});

describe('a path in a message', () => {
  it('a path in a message is quoted, with what a terminal would act on escaped', () => {
    expect(quotePath('a/ü b')).toBe("'a/ü b'");
    expect(quotePath('\u001b[2J\u0007\u202ex\ufeff')).toBe("'\\u001b[2J\\u0007\\u202ex\\ufeff'");
  });

  it('a path in a message is whole up to 240 characters, and beyond that its middle is left out', () => {
    const path = `${'a'.repeat(160)}${'b'.repeat(20)}${'c'.repeat(60)}`;
    expect(quotePath(path)).toBe(`'${path}'`);
    expect(quotePath(`${'a'.repeat(160)}bb${'b'.repeat(19)}${'c'.repeat(60)}`)).toBe(
      `'${'a'.repeat(160)}…${'c'.repeat(60)}'`,
    );
  });

  it('a path in a message stands beside the allowed folders, of which five are named', () => {
    expect(outside('x', bounds('/a', '/b', '/c', '/d', '/e'))).toMatchObject({
      code: 'roots/outside',
      message: "'x' does not lead to anything inside the allowed folders ('/a', '/b', '/c', '/d', '/e'). Ask for more.",
    });
    expect(outside('x', bounds('/a', '/b', '/c', '/d', '/e', '/f', '/g')).message).toContain("'/e' and 2 more)");
  });

  it('a path in a message comes with what to do where it is taken or gone', () => {
    expect(exists('x')).toMatchObject({
      code: 'roots/exists',
      message: "'x' already exists. Choose another name, or remove it first.",
    });
    expect(vanished('/a')).toMatchObject({
      code: 'roots/revoked',
      message: "The folder '/a' is no longer where it was. Put it back, or grant another.",
    });
  });
});

describe('a name', () => {
  const roots = [
    { path: '/work', aliases: ['/w'] },
    { path: '/work/deep', aliases: [] },
  ];
  const linux = { os: 'linux', separator: '/' } as const;
  const windows = { os: 'win32', separator: '\\' } as const;
  const place = (name: string) =>
    placesOf(name, roots, linux, bounds('/work')).map(({ root, rel }) => [root.path, rel]);
  const refusal = (name: unknown, platform: typeof linux | typeof windows = linux) => {
    try {
      placesOf(name as string, roots, platform, bounds('/work'));
    } catch (error) {
      return error;
    }
    throw new Error('was taken');
  };

  it.each([
    [undefined, "'undefined' is not a path."],
    ['', "'' is empty; write '.' for the folder itself."],
    ['a\u0000b', "'a\\u0000b' has a NUL in it."],
    ['a\ud800', "'a\ud800' is not valid Unicode."],
    ['https://example.com/a', "'https://example.com/a' is not a path or a file: URI."],
    ['C:\\a', "'C:\\a' is a Windows path, and this server does not run on Windows."],
    ['c:/a', "'c:/a' is a Windows path, and this server does not run on Windows."],
  ])('the name %j is refused with the reason', (name, message) => {
    expect(refusal(name)).toMatchObject({ code: 'roots/invalid', message });
  });

  it('a name of more than 4,000 bytes is refused, and one of as many is taken', () => {
    expect(place('a'.repeat(4_000))).toHaveLength(2);
    expect(place('ü'.repeat(2_000))).toHaveLength(2);
    for (const name of ['a'.repeat(4_001), 'ü'.repeat(2_001), 'a'.repeat(16_001)])
      expect(refusal(name)).toMatchObject({ message: expect.stringMatching(/ is too long for the file system\.$/) });
  });

  it('a name that is relative means a place in each root, and never one above it', () => {
    for (const name of ['a/b', './a/b', 'a//b/', 'a/./b', 'x/../a/b'])
      expect(place(name)).toEqual([
        ['/work', 'a/b'],
        ['/work/deep', 'a/b'],
      ]);
    expect(place('.')).toEqual([
      ['/work', ''],
      ['/work/deep', ''],
    ]);
    expect(place('..a')[0]).toEqual(['/work', '..a']);
    for (const name of ['..', '../a', 'a/../../b']) expect(refusal(name)).toMatchObject({ code: 'roots/outside' });
  });

  it('a name that is absolute means a place in the deepest root, by any of its paths', () => {
    expect(place('/work/deep/a')).toEqual([['/work/deep', 'a']]);
    expect(place('/work/deeper')).toEqual([['/work', 'deeper']]);
    expect(place('/w/a/')).toEqual([['/work', 'a']]);
    expect(place('//work/a')).toEqual([['/work', 'a']]);
    expect(place('/work')).toEqual([['/work', '']]);
    expect(place('file:///work/a%20b')).toEqual([['/work', 'a b']]);
    expect(place('FILE:///work/a')).toEqual([['/work', 'a']]);
    for (const name of ['/', '/worker', '/work/../etc']) expect(refusal(name)).toMatchObject({ code: 'roots/outside' });
    expect(refusal('file://elsewhere/a')).toMatchObject({
      code: 'roots/invalid',
      message: expect.stringMatching(/^'file:\/\/elsewhere\/a' cannot be used: /),
    });
  });

  it.each([
    'c:a',
    '\\\\?\\C:\\a',
    '\\\\.\\pipe',
    'a:stream',
    'NUL',
    'a\\con.txt',
    'com1',
    'lpt¹',
    'CONIN$',
    'prn ',
    'nul .txt',
  ])('the name %j is refused on Windows, where it is no file', name => {
    expect(refusal(name, windows)).toMatchObject({
      message: expect.stringMatching(
        / is a device, a stream, or relative to a drive; write a full path or one below the folder\.$/,
      ),
    });
  });

  it('a name on Windows is placed whatever its case, and keeps its own', () => {
    const drives = [{ path: 'C:\\Work', aliases: [] }];
    const on = (name: string) => placesOf(name, drives, windows, bounds('C:\\Work')).map(({ rel }) => rel);
    expect(on('c:\\work\\Sub\\A.txt')).toEqual(['Sub\\A.txt']);
    expect(on('C:/Work/a')).toEqual(['a']);
    expect(on('console\\null')).toEqual(['console\\null']);
  });
});

describe('where no folder can be used', () => {
  const why = (
    ...[dropped, said, mode, hasCeiling]: [
      string[],
      Parameters<typeof nothing>[1],
      Parameters<typeof nothing>[2],
      boolean,
    ]
  ) => nothing({ dropped: dropped.map(uri => ({ uri, reason: 'it is gone' })) } as never, said, mode, hasCeiling);

  it('the refusal says why, and how to grant one', () => {
    expect(why([], undefined, 'narrow', true).message).toBe(
      "None of the server's directories can be used. Put one back, or start the server with a directory that exists.",
    );
    expect(why(['/a', '/b'], [{ uri: 'file:///x' }], 'ignore', true).message).toBe(
      "None of the server's directories can be used ('/a': it is gone; '/b': it is gone). Put one back, or start the server with a directory that exists.",
    );
    expect(why([], undefined, 'ignore', false).message).toBe(
      'This server was given no directory to work in. To allow one, start the server with a directory.',
    );
    expect(why([], undefined, 'narrow', false).message).toBe(
      'There is no folder to work in: the client offers no roots. To allow one, start the server with a directory, or add a folder to the roots of your client.',
    );
    expect(why([], [], 'narrow', false).message).toBe(
      'The client allows no folder: its list of roots is empty. To allow one, add a folder to the roots of your client.',
    );
    const failed = new Error('no answer');
    expect(why([], { failed }, 'replace', true)).toMatchObject({
      code: 'roots/none',
      message: 'The client could not say which folders it allows, so none is. Try again, or restart the client.',
      cause: failed,
    });
    const many = ['/1', '/2', '/3', '/4', '/5', '/6'];
    expect(why(many, [{ uri: 'file:///x' }], 'narrow', false).message).toMatch(
      /^None of the client's roots can be used \('\/1': it is gone; .*'\/5': it is gone\)\. To allow one, add a folder/,
    );
  });

  it('a strong boundary that was asked for is not replaced by a weak one', () => {
    expect(() => boundary({ guarantee: 'checked', requireStrong: true })).toThrow(
      expect.objectContaining({
        code: 'roots/weak',
        message:
          '`requireStrong` needs Linux with /proc mounted: elsewhere another process can swap a directory between the check ' +
          'of a path and its use. Run there, or without `requireStrong`.',
      }),
    );
  });

  it('a list that is none is refused; in any other, an entry that is no root affects no other entry', () => {
    for (const roots of [undefined, {}, ['file:///a'], [{ uri: 1 }], [null]])
      expect(() => listedRoots({ roots })).toThrow(
        expect.objectContaining({
          code: 'roots/invalid',
          message: "The client's list of roots is not a list of { uri, name? }.",
        }),
      );
    const roots = [{ uri: 'a', more: 1 }, { uri: 'b', name: 'B' }, { uri: 'c', name: null }, null, { uri: 7 }];
    const told: string[] = [];
    expect(listedRoots({ roots }, line => told.push(line))).toEqual([
      { uri: 'a' },
      { uri: 'b', name: 'B' },
      { uri: 'c' },
    ]);
    expect(told).toEqual([
      "Entry 4 of the client's roots has no URI, and is left out.",
      "Entry 5 of the client's roots has no URI, and is left out.",
    ]);
  });

  it.each(process.platform === 'linux' ? (['held', 'checked'] as const) : (['checked'] as const))(
    'a directory that is gone, has an odd name or is one too many is left out (%s)',
    async guarantee => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), 'midcall-refusal-')));
      const [one, other] = [join(base, 'one'), join(base, 'other')];
      for (const each of [one, other]) mkdirSync(each);
      const roots = Array.from({ length: 256 }, () => ({ uri: toUri(one) }));
      const files = await boundary({ guarantee }).files([...roots, { uri: toUri(other) }]);
      expect(files.roots).toEqual([{ path: one }]);
      expect(files.leftOut).toEqual([{ uri: toUri(other), reason: 'only the first 256 roots are used' }]);
      await files.close();
      if (guarantee === 'held') {
        mkdirSync(Buffer.concat([Buffer.from(`${base}/`), Buffer.from([0xff, 0x61])]));
        symlinkSync(Buffer.from([0xff, 0x61]), join(base, 'odd'));
        expect(() => boundary({ ceiling: [join(base, 'odd')], guarantee })).toThrow('is not valid UTF-8.');
        await expect(boundary({ guarantee }).files([{ uri: toUri(join(base, 'odd')) }])).rejects.toThrow(
          'its real path is not valid UTF-8',
        );
      }
      const operators = boundary({ ceiling: [other], guarantee });
      rmSync(other, { recursive: true });
      const live = liveRoots({ boundary: operators, list: async () => undefined, announces: true });
      await expect(live.files()).rejects.toMatchObject({
        message: `None of the server's directories can be used ('${other}': it is no longer there). Put one back, or start the server with a directory that exists.`,
      });
      await live.close();
      rmSync(base, { recursive: true });
    },
  );

  it('a fault says nothing of the path where the process has run out, and that a name is absent only where it is', () => {
    const codes = ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOENT', 'ENOTDIR', 'EACCES'];
    expect(codes.filter(code => saysNothing(fault(code)))).toEqual(['EMFILE', 'ENFILE', 'ENOMEM']);
    expect(codes.filter(code => isAbsent(fault(code)))).toEqual(['ENOENT', 'ENOTDIR']);
    for (const other of [undefined, new Error('odd')]) expect(saysNothing(other) || isAbsent(other)).toBe(false);
  });

  it('up to 2 GiB are read at once, less one byte', () => {
    const tooLarge = 'is larger than 2 GiB; read a range of it, or stream it.';
    const least = 2 ** 31;
    expect([sizeFault(least - 1), sizeFault(least)]).toEqual([undefined, tooLarge]);
    expect(sizeFault(least, { position: 1 })).toBeUndefined();
    expect(sizeFault(least, { length: least - 1 })).toBeUndefined();
    expect(sizeFault(least, { length: least })).toBe(tooLarge);
  });
});
