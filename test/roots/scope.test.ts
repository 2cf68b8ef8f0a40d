/** The whole table: what the client says × what the operator gave × the mode (rows 000-01, 000-06, 001-05; roots-01, roots-34). */
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BoundaryMode, boundary, type Root, toUri } from '@midcall/server/roots';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guarantees } from './guarantees.ts';

let base: string;
const at = (path: string): string => join(base, path);
const root = (path: string, name?: string): Root => ({ uri: toUri(at(path)), ...(name === undefined ? {} : { name }) });

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'midcall-scope-')));
  for (const path of ['work/one/deep', 'work/two', 'other', 'apart']) fs.mkdirSync(at(path), { recursive: true });
  fs.writeFileSync(at('work/file'), '');
  fs.symlinkSync('work', at('link'));
  fs.symlinkSync('../other', at('work/out'));
});
afterEach(() => fs.rmSync(base, { recursive: true, force: true }));

type Client = () => readonly Root[] | undefined;
/** What each mode leaves, as paths below the base; a pattern where nothing is left and the refusal says why. */
type Left = readonly string[] | RegExp;
type Row = [says: string, client: Client, ceiling: readonly string[], left: Record<BoundaryMode, Left>];

const noDirectory = /given no directory.*start the server with a directory/;
const table: Row[] = [
  // No capability.
  [
    'no roots capability, operator directories',
    () => undefined,
    ['work', 'other'],
    { narrow: ['work', 'other'], replace: ['work', 'other'], ignore: ['work', 'other'] },
  ],
  [
    'no roots capability, no operator directory',
    () => undefined,
    [],
    {
      narrow: /offers no roots.*start the server with a directory.*add a folder/,
      replace: /offers no roots/,
      ignore: noDirectory,
    },
  ],
  // An empty list.
  [
    'an empty list, operator directories',
    () => [],
    ['work'],
    { narrow: /allows no folder.*add a folder/, replace: /allows no folder/, ignore: ['work'] },
  ],
  [
    'an empty list, no operator directory',
    () => [],
    [],
    { narrow: /allows no folder/, replace: /allows no folder/, ignore: noDirectory },
  ],
  // A list.
  [
    'one root, no operator directory',
    () => [root('work')],
    [],
    { narrow: ['work'], replace: ['work'], ignore: noDirectory },
  ],
  [
    'two roots, no operator directory',
    () => [root('work'), root('other')],
    [],
    { narrow: ['work', 'other'], replace: ['work', 'other'], ignore: noDirectory },
  ],
  ['the same root', () => [root('work')], ['work'], { narrow: ['work'], replace: ['work'], ignore: ['work'] }],
  [
    'a root inside the directory',
    () => [root('work/one')],
    ['work'],
    { narrow: ['work/one'], replace: ['work/one'], ignore: ['work'] },
  ],
  [
    'a directory inside the root',
    () => [root('work')],
    ['work/one'],
    { narrow: ['work/one'], replace: ['work'], ignore: ['work/one'] },
  ],
  [
    'a root apart',
    () => [root('apart')],
    ['work'],
    { narrow: /lies outside what the operator allows/, replace: ['apart'], ignore: ['work'] },
  ],
  [
    'one of two roots inside',
    () => [root('apart'), root('work/two')],
    ['work'],
    { narrow: ['work/two'], replace: ['apart', 'work/two'], ignore: ['work'] },
  ],
  [
    'a root over two directories',
    () => [root('.')],
    ['work/one', 'other'],
    { narrow: ['work/one', 'other'], replace: ['.'], ignore: ['work/one', 'other'] },
  ],
  [
    'nested roots',
    () => [root('work'), root('work/one')],
    [],
    { narrow: ['work', 'work/one'], replace: ['work', 'work/one'], ignore: noDirectory },
  ],
  [
    'nested roots inside the directory',
    () => [root('work/one'), root('work/one/deep')],
    ['work'],
    { narrow: ['work/one', 'work/one/deep'], replace: ['work/one', 'work/one/deep'], ignore: ['work'] },
  ],
  [
    'overlapping: nested roots around the directory',
    () => [root('work'), root('work/one/deep')],
    ['work/one'],
    { narrow: ['work/one', 'work/one/deep'], replace: ['work', 'work/one/deep'], ignore: ['work/one'] },
  ],
  [
    'nested directories',
    () => [root('work/one')],
    ['work', 'work/one/deep'],
    { narrow: ['work/one', 'work/one/deep'], replace: ['work/one'], ignore: ['work', 'work/one/deep'] },
  ],
  [
    'the same root twice, also with a slash',
    () => [root('work'), { uri: `${root('work').uri}/` }],
    [],
    { narrow: ['work'], replace: ['work'], ignore: noDirectory },
  ],
  [
    'a root and a link to it',
    () => [root('work'), root('link')],
    [],
    { narrow: ['work'], replace: ['work'], ignore: noDirectory },
  ],
  [
    'a link into the directory',
    () => [root('link/one')],
    ['work'],
    { narrow: ['work/one'], replace: ['work/one'], ignore: ['work'] },
  ],
  [
    'a link that leaves the directory',
    () => [root('work/out')],
    ['work'],
    { narrow: /lies outside what the operator allows/, replace: ['other'], ignore: ['work'] },
  ],
  [
    'a sibling with the same prefix',
    () => [root('work')],
    ['work/one', 'other'],
    { narrow: ['work/one'], replace: ['work'], ignore: ['work/one', 'other'] },
  ],
  // Roots that cannot be used.
  [
    'a root that is gone',
    () => [root('gone')],
    [],
    { narrow: /does not exist/, replace: /does not exist/, ignore: noDirectory },
  ],
  [
    'a root that is gone, inside the directory',
    () => [root('work/gone')],
    ['work'],
    { narrow: /does not exist/, replace: /does not exist/, ignore: ['work'] },
  ],
  [
    'a root that is gone, outside the directory',
    () => [root('gone')],
    ['work'],
    { narrow: /lies outside what the operator allows/, replace: /does not exist/, ignore: ['work'] },
  ],
  [
    'one root gone, one there',
    () => [root('gone'), root('work')],
    [],
    { narrow: ['work'], replace: ['work'], ignore: noDirectory },
  ],
  [
    'a root that is a file',
    () => [root('work/file')],
    [],
    { narrow: /not a directory/, replace: /not a directory/, ignore: noDirectory },
  ],
  [
    'a root that is a file, inside the directory',
    () => [root('work/file')],
    ['work'],
    { narrow: /not a directory/, replace: /not a directory/, ignore: ['work'] },
  ],
  [
    'a root that is no file: URI',
    () => [{ uri: 'https://example.com/work' }],
    [],
    { narrow: /does not start with file:/, replace: /does not start with file:/, ignore: noDirectory },
  ],
  [
    'a root that is no file: URI, operator directories',
    () => [{ uri: 'vscode-vfs://x/y' }],
    ['work'],
    { narrow: /does not start with file:/, replace: /does not start with file:/, ignore: ['work'] },
  ],
  [
    'a root with dots',
    () => [{ uri: `${root('work').uri}/../other` }],
    ['work'],
    { narrow: /goes up/, replace: /goes up/, ignore: ['work'] },
  ],
  [
    'a root that is a bare path',
    () => [{ uri: at('work') }],
    [],
    { narrow: /does not start with file:/, replace: /does not start with file:/, ignore: noDirectory },
  ],
];
const rows = table.flatMap(([says, client, ceiling, left]) =>
  (['narrow', 'replace', 'ignore'] as const).map(mode => [mode, says, client, ceiling, left[mode]] as const),
);

describe.each(guarantees)('the %s boundary', guarantee => {
  it.each(rows)('the boundary holds under %s: %s', async (mode, _, client, ceiling, left) => {
    const drawn = boundary({ mode, guarantee, ceiling: ceiling.map(at) });
    if (left instanceof RegExp) {
      await expect(drawn.files(client())).rejects.toMatchObject({
        code: 'roots/none',
        message: expect.stringMatching(left),
      });
      return;
    }
    await using files = await drawn.files(client());
    expect(files.roots.map(each => each.path)).toEqual(left.map(at));
  });

  it('a boundary keeps the name of a root, and says which were left out and why', async () => {
    await using files = await boundary({ guarantee }).files([root('work', 'My work'), root('gone', 'x')]);
    expect(files.roots).toEqual([{ path: at('work'), name: 'My work' }]);
    expect(files.leftOut).toEqual([{ uri: root('gone').uri, reason: 'it does not exist or cannot be opened' }]);
  });

  it('a boundary knows a root by every path it was granted under', async () => {
    fs.writeFileSync(at('work/one/x'), 'x');
    await using files = await boundary({ guarantee, ceiling: [at('link')] }).files([root('work/one')]);
    expect(await files.readText(at('work/one/x'))).toBe('x');
    expect(await files.readText(at('link/one/x'))).toBe('x');
    await using others = await boundary({ guarantee }).files([root('link')]);
    expect(await others.readText(at('link/one/x'))).toBe('x');
    expect(await others.absolute(at('link/one/x'))).toBe(at('work/one/x'));
  });

  it('a boundary takes a relative name at the first root where it exists, and a new one at the first root', async () => {
    fs.writeFileSync(at('other/only-there'), 'other');
    await using files = await boundary({ guarantee }).files([root('apart'), root('other')]);
    expect(await files.readText('only-there')).toBe('other');
    await files.append('only-there', '!');
    await files.write('new-one', 'new');
    expect(fs.readFileSync(at('other/only-there'), 'utf8')).toBe('other!');
    expect(fs.readFileSync(at('apart/new-one'), 'utf8')).toBe('new');
    await files.remove('only-there');
    expect(fs.existsSync(at('other/only-there'))).toBe(false);
    await files.rename('new-one', at('other/new-one'));
    expect(await files.absolute('new-one')).toBe(at('other/new-one'));
  });

  it('a boundary follows a link from one root into another', async () => {
    fs.writeFileSync(at('other/target'), 'target');
    await using files = await boundary({ guarantee }).files([root('work'), root('other')]);
    expect(await files.readText('out/target')).toBe('target');
    await files.write('out/target', 'written');
    expect(fs.readFileSync(at('other/target'), 'utf8')).toBe('written');
  });

  it('a boundary refuses in the same words what exists outside and what does not', async () => {
    fs.writeFileSync(at('other/there'), 'x');
    await using files = await boundary({ guarantee, ceiling: [at('work')] }).files();
    const words = async (path: string): Promise<string> => {
      const said = await Promise.all(
        [
          files.read(path),
          files.stat(path),
          files.exists(path),
          files.list(path),
          files.write(path, 'x'),
          files.mkdir(path),
          files.remove(path),
        ].map(each =>
          each.then(
            () => 'fine',
            (error: Error & { code: string }) => `${error.code} ${error.message.replaceAll(path, 'PATH')}`,
          ),
        ),
      );
      return said.join('\n');
    };
    for (const [there, gone] of [
      [at('other/there'), at('other/gone')],
      ['../other/there', '../other/gone'],
      ['out/there', 'out/gone'],
      ['out/there', 'out/gone/deeper'],
      [`out/there`, `out/${'x'.repeat(300)}`],
      [toUri(at('other/there')), toUri(at('other/gone'))],
    ] as const) {
      const long = (text: string): string => text.replaceAll(/'[^']*x{100,}[^']*'/g, "'PATH'");
      expect(long(await words(gone))).toBe(await words(there));
    }
    const leaf = async (target: string): Promise<string> => {
      fs.rmSync(at('work/leaf'), { force: true });
      fs.symlinkSync(target, at('work/leaf'));
      return await files.readText('leaf').catch((error: Error) => error.message);
    };
    expect(await leaf(at('other/gone'))).toBe(await leaf(at('other/there')));
    fs.rmSync(at('work/leaf'));
  });

  it('a refusal names the path, the boundary and how to grant more', async () => {
    const outside = at('apart/x');
    const said = async (options: Parameters<typeof boundary>[0], client?: readonly Root[]): Promise<string> => {
      await using files = await boundary({ guarantee, ...options }).files(client);
      return await files.read(outside).then(String, (error: Error) => error.message);
    };
    expect(await said({ ceiling: [at('work')] })).toBe(
      `'${outside}' does not lead to anything inside the allowed folders ('${at('work')}'). To allow more, start the server with that directory as well.`,
    );
    expect(await said({}, [root('work')])).toMatch(/add its folder to the roots of your client\.$/);
    expect(await said({ ceiling: [at('work')] }, [root('work')])).toMatch(
      /roots of your client; the operator must have started the server with it, too\.$/,
    );
  });

  it('a refusal escapes what a path could do to a terminal', async () => {
    await using files = await boundary({ guarantee, ceiling: [at('work')] }).files();
    const message = await files.read('../\u001b[31m\u202ex').catch((error: Error) => error.message);
    expect(message).toContain('\\u001b[31m\\u202ex');
  });

  it('a boundary leaves out an operator directory that goes, or leads elsewhere, and takes it back', async () => {
    fs.mkdirSync(at('shelf'));
    const drawn = boundary({ guarantee, ceiling: [at('shelf')] });
    fs.renameSync(at('shelf'), at('shelf-2'));
    await expect(drawn.files()).rejects.toMatchObject({
      code: 'roots/none',
      message: expect.stringMatching(/no longer there/),
    });
    fs.symlinkSync('other', at('shelf'));
    await expect(drawn.files()).rejects.toMatchObject({
      code: 'roots/none',
      message: expect.stringMatching(/no longer leads/),
    });
    fs.unlinkSync(at('shelf'));
    fs.mkdirSync(at('shelf'));
    await using files = await drawn.files();
    await files.write('x', 'x');
    fs.rmSync(at('shelf'), { recursive: true });
    await expect(files.exists('x')).rejects.toMatchObject({ code: 'roots/revoked' });
    await expect(files.write('y', 'y')).rejects.toMatchObject({ code: 'roots/revoked' });
  });

  it('a boundary cannot start with a directory that is missing or is a file, or with a mode that is none', () => {
    expect(() => boundary({ guarantee, ceiling: [at('gone')] })).toThrow(
      expect.objectContaining({ code: 'roots/invalid' }),
    );
    expect(() => boundary({ guarantee, ceiling: [at('work/file')] })).toThrow(
      expect.objectContaining({ code: 'roots/invalid' }),
    );
    expect(() => boundary({ mode: 'wide' as BoundaryMode })).toThrow("mode must be 'narrow', 'replace' or 'ignore'");
  });
});

describe('the guarantee', () => {
  it.runIf(process.platform === 'linux')('the guarantee is held on Linux, and said', async () => {
    expect(boundary().guarantee).toBe('held');
    expect(boundary({ requireStrong: true }).guarantee).toBe('held');
    await using files = await boundary({ ceiling: [at('work')] }).files();
    expect(files.guarantee).toBe('held');
  });

  it('a boundary refuses to start where only checking is possible and more is required', () => {
    expect(() => boundary({ guarantee: 'checked', requireStrong: true })).toThrow(
      expect.objectContaining({ code: 'roots/weak' }),
    );
    expect(boundary({ guarantee: 'checked' }).guarantee).toBe('checked');
  });
});
