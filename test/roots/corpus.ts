/**
 * The attack corpus: names that try to leave a root, and the tree they are tried on. Every case is run on every operation
 * that takes a path.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Tree {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
}

/** What must come of a case: refused in one of these ways, or (`inside`) whatever happens, happens inside. */
export type Expected = 'outside' | 'invalid' | 'absent' | 'inside';

export interface Case {
  readonly name: string;
  readonly path: (tree: Tree) => string;
  readonly expected: Expected;
  /** True where the name ends in a link or another thing that lies inside itself, so that removing or moving it is fine. */
  readonly leafInside?: boolean;
}

export const secret = 'SECRET-OF-OUTSIDE-0123456789';

let kept: { readonly fifo: string; readonly device: string | undefined } | undefined;

/** FIFOs and devices are made once and linked into each tree. */
function specials(base: string): { readonly fifo: string; readonly device: string | undefined } {
  if (kept && fs.existsSync(kept.fifo)) return kept;
  const fifo = join(base, 'fifo');
  execFileSync('mkfifo', [fifo]);
  let device: string | undefined = join(base, 'device');
  try {
    execFileSync('mknod', [device, 'c', '1', '5'], { stdio: 'ignore' });
  } catch {
    device = undefined;
  }
  kept = { fifo, device };
  return kept;
}

/** A new directory for trees. */
export function ground(): Tree {
  const top = fs.existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const base = fs.realpathSync(fs.mkdtempSync(join(top, 'midcall-corpus-')));
  return { base, root: join(base, 'root'), outside: join(base, 'outside') };
}

/** Builds the tree anew. */
export function plant({ base, root, outside }: Tree): void {
  const { fifo, device } = specials(base);
  for (const path of [root, outside, `${root}-evil`]) {
    fs.rmSync(path, { recursive: true, force: true });
    fs.mkdirSync(path);
  }
  fs.mkdirSync(join(outside, 'dir'));
  for (const path of ['secret.txt', 'dir/secret.txt']) fs.writeFileSync(join(outside, path), secret);
  fs.writeFileSync(join(`${root}-evil`, 'secret.txt'), secret);
  fs.linkSync(fifo, join(outside, 'fifo'));
  fs.mkdirSync(join(root, 'sub/deeper'), { recursive: true });
  fs.writeFileSync(join(root, 'a.txt'), 'alpha');
  fs.writeFileSync(join(root, 'sub/b.txt'), 'beta');
  fs.writeFileSync(join(root, 'caf\u00e9.txt'), 'composed');
  fs.linkSync(fifo, join(root, 'fifo'));
  if (device) fs.linkSync(device, join(root, 'device'));
  const links: Record<string, string> = {
    'file-out': join(outside, 'secret.txt'),
    'file-out-relative': '../outside/secret.txt',
    'file-out-roundabout': `sub/../../outside/./secret.txt`,
    'dir-out': outside,
    'dir-out-relative': '../outside',
    'dir-out-slash': `${outside}/`,
    up: '..',
    'up-two': 'sub/../..',
    slash: '/',
    sibling: `${root}-evil`,
    'chain-1': 'chain-2',
    'chain-2': 'sub/chain-3',
    'sub/chain-3': '../../outside',
    'file-chain-1': 'file-chain-2',
    'file-chain-2': '../outside/secret.txt',
    'loop-1': 'loop-2',
    'loop-2': 'loop-1',
    self: 'self',
    'self-below': 'self-below/x',
    'dangling-in': 'not-there',
    'dangling-out': join(outside, 'not-there'),
    'dangling-out-deep': join(outside, 'not/there/either'),
    'proc-root': '/proc/self/root',
    'proc-cwd': '/proc/self/cwd',
    'proc-fd': '/proc/self/fd',
    'proc-stdin': '/proc/self/fd/0',
    'proc-environ': '/proc/self/environ',
    'proc-mem': '/proc/self/mem',
    'dev-null': '/dev/null',
    'dev-zero': '/dev/zero',
    'dev-tty': '/dev/tty',
    'dev-random': '/dev/random',
    'fifo-out': join(outside, 'fifo'),
    'sub/up-out': '../../outside',
    'sub/deeper/up-out': '../../../outside/dir',
    'back-in': '../root/a.txt',
    'in-file': 'sub/b.txt',
    'in-dir': 'sub',
    'to-root': '.',
    'to-fifo': 'fifo',
  };
  for (const [path, target] of Object.entries(links)) fs.symlinkSync(target, join(root, path));
}

/** What must never change. */
export function pictureOfOutside({ root, outside }: Tree): string {
  const seen: string[] = [];
  for (const top of [outside, `${root}-evil`]) {
    for (const entry of fs.readdirSync(top, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      seen.push(entry.isFile() ? `${path}=${fs.readFileSync(path, 'utf8')}` : path);
    }
  }
  return seen.sort().join('\n');
}

const fixed = (expected: Expected, paths: readonly string[], kind: string): Case[] =>
  paths.map(path => ({
    name: `${kind}: ${JSON.stringify(path.length > 60 ? `${path.slice(0, 40)}… (${path.length})` : path)}`,
    path: () => path,
    expected,
  }));

const placed = (expected: Expected, kind: string, paths: Record<string, (tree: Tree) => string>): Case[] =>
  Object.entries(paths).map(([name, path]) => ({ name: `${kind}: ${name}`, path, expected }));

const through = [
  'dir-out',
  'dir-out-relative',
  'dir-out-slash',
  'up/outside',
  'up-two/outside',
  'chain-1',
  'sub/up-out',
  'in-dir/up-out',
  'to-root/dir-out',
];
const leaving = [
  'file-out',
  'file-out-relative',
  'file-out-roundabout',
  'dir-out',
  'up',
  'up-two',
  'slash',
  'sibling',
  'chain-1',
  'file-chain-1',
  'loop-1',
  'self',
  'self-below',
  'dangling-in',
  'dangling-out',
  'dangling-out-deep',
  'proc-root',
  'proc-cwd',
  'proc-fd',
  'proc-stdin',
  'proc-environ',
  'proc-mem',
  'dev-null',
  'dev-zero',
  'dev-tty',
  'dev-random',
  'fifo-out',
  'sub/deeper/up-out',
];

export const cases: readonly Case[] = [
  ...fixed(
    'outside',
    [
      '..',
      '../',
      '../..',
      '../../../../../../../../etc/passwd',
      '../outside',
      '../outside/secret.txt',
      './../outside/secret.txt',
      'sub/../../outside/secret.txt',
      'sub/../../outside',
      'sub/./../.././outside/secret.txt',
      'sub//..//..//outside/secret.txt',
      'a/b/c/../../../../outside/secret.txt',
      '.././outside/secret.txt',
      '../root-evil/secret.txt',
      '../root/../outside/secret.txt',
      'nowhere/../../outside/new.txt',
      '../new.txt',
      '../root-evil',
      'file-out/../../outside/secret.txt',
      '..//outside/secret.txt',
    ],
    'dots',
  ),
  ...placed('outside', 'absolute', {
    outside: ({ outside }) => outside,
    'a file outside': ({ outside }) => join(outside, 'secret.txt'),
    'a new file outside': ({ outside }) => join(outside, 'new.txt'),
    'the parent of the root': ({ base }) => base,
    'the sibling with the same prefix': ({ root }) => `${root}-evil/secret.txt`,
    'the sibling itself': ({ root }) => `${root}-evil`,
    'dots from the root': ({ root }) => `${root}/../outside/secret.txt`,
    'dots and slashes from the root': ({ root }) => `${root}//..//outside//secret.txt`,
    'two slashes first': ({ outside }) => `/${outside}/secret.txt`,
    '/': () => '/',
    '/etc/passwd': () => '/etc/passwd',
    '/proc/self/environ': () => '/proc/self/environ',
    '/proc/self/mem': () => '/proc/self/mem',
    '/proc/self/root and the file': ({ outside }) => `/proc/self/root${outside}/secret.txt`,
    '/proc/self/root and the root itself': ({ root }) => `/proc/self/root${root}/a.txt`,
    '/proc/self/cwd': () => '/proc/self/cwd',
    '/proc/self/fd/0': () => '/proc/self/fd/0',
    '/proc/thread-self/root': () => '/proc/thread-self/root',
    '/dev/null': () => '/dev/null',
    '/dev/zero': () => '/dev/zero',
    '/dev/stdin': () => '/dev/stdin',
    '/dev/fd/0': () => '/dev/fd/0',
    'upper case of the root': ({ root }) => root.toUpperCase(),
  }),
  ...placed('outside', 'URI', {
    outside: ({ outside }) => `file://${outside}/secret.txt`,
    'with localhost': ({ outside }) => `file://localhost${outside}/secret.txt`,
    'with one slash': ({ outside }) => `file:${outside}/secret.txt`,
    'upper case scheme': ({ outside }) => `FILE://${outside}/secret.txt`,
    'every letter encoded': ({ outside }) =>
      `file://${[...outside].map(each => (each === '/' ? each : `%${each.charCodeAt(0).toString(16)}`)).join('')}/secret.txt`,
    'the sibling': ({ root }) => `file://${root}-evil/secret.txt`,
    'the whole disk': () => 'file:///',
    etc: () => 'file:///etc/passwd',
    'a drive': () => 'file:///c%3A/Windows/win.ini',
    'a plain drive': () => 'file:///C:/Windows/win.ini',
  }),
  ...placed('invalid', 'URI', {
    dots: ({ root }) => `file://${root}/../outside/secret.txt`,
    'encoded dots': ({ root }) => `file://${root}/%2e%2e/outside/secret.txt`,
    'half encoded dots': ({ root }) => `file://${root}/.%2E/outside/secret.txt`,
    'encoded separators': ({ root }) => `file://${root}%2F..%2Foutside%2Fsecret.txt`,
    'encoded separator after dots': ({ root }) => `file://${root}/..%2foutside/secret.txt`,
    'overlong dots': ({ root }) => `file://${root}/%c0%ae%c0%ae/outside/secret.txt`,
    'overlong separator': ({ root }) => `file://${root}/..%c0%afoutside/secret.txt`,
    NUL: ({ root }) => `file://${root}/a.txt%00.png`,
    'a host': ({ outside }) => `file://host${outside}/secret.txt`,
    'a host that looks like dots': ({ outside }) => `file://..${outside}/secret.txt`,
    'user and host': ({ outside }) => `file://me@host${outside}/secret.txt`,
    'four slashes': ({ outside }) => `file:///${outside}/secret.txt`,
    backslashes: ({ root }) => `file://${root}\\..\\outside\\secret.txt`,
    'a query': ({ root }) => `file://${root}/a.txt?x`,
    'a fragment': ({ root }) => `file://${root}/a.txt#x`,
    'a lone percent': ({ root }) => `file://${root}/a%.txt`,
    'a bad escape': ({ root }) => `file://${root}/a%zz.txt`,
    'not UTF-8': ({ root }) => `file://${root}/%ff.txt`,
    'no path': () => 'file://',
    relative: () => 'file:a.txt',
    'relative dots': () => 'file:../outside/secret.txt',
    'a raw newline': ({ root }) => `file://${root}/a\n.txt`,
    http: () => 'http://localhost/etc/passwd',
    smb: () => 'smb://host/share/x',
    data: () => 'data://text',
  }),
  ...fixed(
    'invalid',
    [
      '',
      '\u0000',
      'a.txt\u0000',
      'a.txt\u0000.png',
      'sub\u0000/b.txt',
      '../outside/secret.txt\u0000',
      '\ud800',
      'a\udfff.txt',
      'C:\\Windows',
      'C:/Windows',
      'c:\\..\\..\\x',
      'z:/x',
      'x'.repeat(300),
      `sub/${'y'.repeat(256)}`,
      `${'z/'.repeat(2500)}z`,
      'w'.repeat(40_000),
      '\u00e9'.repeat(200),
    ],
    'unusable',
  ),
  ...fixed(
    'inside',
    [
      '%2e%2e/outside/secret.txt',
      '..%2foutside%2fsecret.txt',
      '%2e%2e%2foutside',
      '..\\outside\\secret.txt',
      'sub\\..\\..\\outside',
      '....//outside/secret.txt',
      '.../outside/secret.txt',
      '..;/outside/secret.txt',
      '..\u200b/outside',
      '\uff0e\uff0e/outside/secret.txt',
      '\u2024\u2024/outside',
      '..\u2215outside',
      '..\uff0foutside',
      '~',
      '~/secret.txt',
      '~root/x',
      '$HOME/x',
      '`id`',
      '$(id)',
      '; rm -rf x',
      '-rf',
      '--',
      '*',
      '?',
      'a.txt.',
      'a.txt ',
      ' a.txt',
      'a.txt...',
      'sub /b.txt',
      'sub./b.txt',
      'a.txt::$DATA',
      'a.txt:stream',
      'C:secret.txt',
      'C:',
      '\\\\server\\share\\x',
      '\\\\?\\C:\\x',
      '\\\\.\\PhysicalDrive0',
      'CON',
      'NUL',
      'aux.txt',
      'PROGRA~1',
      'SECRET~1.TXT',
      'line\nbreak',
      'tab\tname',
      'bell\u0007',
      'rtl\u202etxt.exe',
      'A.TXT',
      'SUB/b.txt',
      'cafe\u0301.txt',
      'caf\u00e9.txt',
      'CAF\u00c9.txt',
      'a.txt/',
      'sub/',
      './a.txt',
      '.',
      './',
      'sub/..',
      'sub/.',
      'sub/../a.txt',
      'a.txt/..',
      'nowhere/../a.txt',
      'fifo',
      'device',
      'to-fifo',
      'sub/../fifo',
      'in-file',
      'in-dir',
      'in-dir/b.txt',
      'in-dir/new.txt',
      'to-root/a.txt',
      'to-root/to-root/sub/b.txt',
      'back-in',
      'file:',
      'a.txt/x',
      'a.txt/../a.txt',
      'fifo/x',
      'made/by/us/new.txt',
      `${'d/'.repeat(60)}new.txt`,
      '__proto__',
      'constructor',
      'constructor/prototype',
      'toString',
    ].filter(path => path !== 'file:'),
    'literal',
  ),
  ...placed('inside', 'absolute inside', {
    'a file': ({ root }) => join(root, 'a.txt'),
    'a file with dots': ({ root }) => `${root}/sub/../a.txt`,
    'back in through the parent': ({ root }) => `${root}/../root/a.txt`,
    'the root': ({ root }) => root,
    'the root with a slash': ({ root }) => `${root}/`,
    'two slashes': ({ root }) => `/${root}//a.txt`,
    'a URI': ({ root }) => `file://${root}/a.txt`,
    'a URI with encoding': ({ root }) => `file://${root}/%61%2Etxt`,
    'a doubly encoded URI': ({ root }) => `file://${root}/%252e%252e/outside/secret.txt`,
    'a URI with encoded backslashes': ({ root }) => `file://${root}/..%5C..%5Coutside`,
  }),
  ...fixed(
    'outside',
    through.flatMap(link => [`${link}/secret.txt`, `${link}/new.txt`, `${link}/dir`, `${link}/not/there/new.txt`]),
    'through a link',
  ),
  ...fixed(
    'outside',
    [
      'slash/etc/passwd',
      'proc-root/etc/passwd',
      'proc-cwd/package.json',
      'proc-fd/0',
      'proc-fd/1',
      'sibling/secret.txt',
      'loop-1/x',
      'self/x',
      'dangling-in/x',
      'dangling-out/x',
      'file-out/x',
      `dir-out/${'x'.repeat(300)}`,
      `dangling-out/${'x'.repeat(300)}`,
    ],
    'through a link',
  ),
  ...fixed('outside', leaving, 'a link').map(each => ({ ...each, leafInside: true })),
];
