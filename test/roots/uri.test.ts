/** Root URI <-> path as text, for POSIX and Windows on any machine. */

import { type PathStyle, toPath, toUri } from '@midcall/server/roots';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const accepted: readonly [style: PathStyle, uri: string, path: string][] = [
  ['posix', 'file:///home/alice/notes', '/home/alice/notes'],
  ['posix', 'file:///home/alice/notes/', '/home/alice/notes'],
  ['posix', 'file:///', '/'],
  ['posix', 'file:/home/alice', '/home/alice'],
  ['posix', 'FILE:///home', '/home'],
  ['posix', 'file://localhost/home', '/home'],
  ['posix', 'file://LOCALHOST/home', '/home'],
  ['posix', 'file:///a//b', '/a/b'],
  ['posix', 'file:///a/./b', '/a/b'],
  ['posix', 'file:///a/%2e/b', '/a/b'],
  ['posix', 'file:///my%20notes', '/my notes'],
  ['posix', 'file:///my notes', '/my notes'],
  ['posix', 'file:///caf%C3%A9', '/café'],
  ['posix', 'file:///café', '/café'],
  ['posix', 'file:///a%23b%3Fc%25d', '/a#b?c%d'],
  ['posix', 'file:///a%5Cb', '/a\\b'],
  ['posix', 'file:///...', '/...'],
  ['posix', 'file:///..a', '/..a'],
  ['posix', 'file:///%252e%252e/a', '/%2e%2e/a'],
  ['posix', 'file:///c:/x', '/c:/x'],
  ['win32', 'file:///C:/Users/alice', 'C:\\Users\\alice'],
  ['win32', 'file:///c%3A/Users', 'C:\\Users'],
  ['win32', 'file:///c%3a/Users/', 'C:\\Users'],
  ['win32', 'file:///c:/', 'C:\\'],
  ['win32', 'file:///C:', 'C:\\'],
  ['win32', 'file:///C:\\Users\\alice', 'C:\\Users\\alice'],
  ['win32', 'file:/C:/Users', 'C:\\Users'],
  ['win32', 'file://localhost/C:/Users', 'C:\\Users'],
  ['win32', 'file://server/share/folder', '\\\\server\\share\\folder'],
  ['win32', 'file://server/share', '\\\\server\\share\\'],
  ['win32', 'file:////server/share/folder', '\\\\server\\share\\folder'],
  ['win32', 'file:///C:/PROGRA~1/x', 'C:\\PROGRA~1\\x'],
  ['win32', 'file:///C:/my%20notes', 'C:\\my notes'],
];

const refused: readonly [style: PathStyle, uri: string, why: RegExp, name?: string][] = [
  ['posix', 'https://example.com/', /does not start with file:/],
  ['posix', '/home/alice', /does not start with file:/],
  ['posix', 'file:home', /not absolute/],
  ['posix', 'file:', /not absolute/],
  ['posix', 'file://', /no path/],
  ['posix', 'file://localhost', /no path/],
  ['posix', 'file://server/home', /host name/],
  ['posix', 'file://home/', /host name/],
  ['posix', 'file://~/notes', /host name/],
  ['posix', 'file:////server/share', /two slashes/],
  ['posix', 'file:///a/../b', /goes up/],
  ['posix', 'file:///a/%2e%2e/b', /goes up/],
  ['posix', 'file:///a/%2E./b', /goes up/],
  ['posix', 'file:///..', /goes up/],
  ['posix', 'file:///a%2Fb', /encoded separator/],
  ['posix', 'file:///a%2fb', /encoded separator/],
  ['posix', 'file:///a%00b', /NUL/],
  ['posix', 'file:///a\u0000b', /control/],
  ['posix', 'file:///a\nb', /control/],
  ['posix', 'file:///a%', /does not begin an escape/],
  ['posix', 'file:///a%2', /does not begin an escape/],
  ['posix', 'file:///a%zz', /does not begin an escape/],
  ['posix', 'file:///%ff', /UTF-8/],
  ['posix', 'file:///%c0%ae%c0%ae/x', /UTF-8/],
  ['posix', 'file:///a?b', /query/],
  ['posix', 'file:///a#b', /query/],
  ['posix', 'file:///a\\..\\b', /backslash/],
  ['posix', 'file:///\ud800', /Unicode/],
  ['posix', `file:///${'a'.repeat(70_000)}`, /too long/, 'an address of 70,000 letters'],
  ['win32', 'file:///Users/alice', /no drive/],
  ['win32', 'file:///', /no drive/],
  ['win32', 'file://C:/Users', /drive is where a host name belongs/],
  ['win32', 'file://c%3A/Users', /drive is where a host name belongs/],
  ['win32', 'file:///C|/Users', /not allow/],
  ['win32', 'file:///C:Users', /':'/],
  ['win32', 'file:///C:/a%5C..%5Cb', /encoded separator/],
  ['win32', 'file:///C:/a\\..\\b', /goes up/],
  ['win32', 'file:///C:/a.txt:stream', /':'/],
  ['win32', 'file:///C:/D:/x', /':'/],
  ['win32', 'file:///C:/a./b', /dot or a space/],
  ['win32', 'file:///C:/a%20/b', /dot or a space/],
  ['win32', 'file:///C:/NUL', /device/],
  ['win32', 'file:///C:/con.txt', /device/],
  ['win32', 'file:///C:/nul%20%20.txt', /device/],
  ['win32', 'file:///C:/COM1', /device/],
  ['win32', 'file:///C:/a*b', /not allow/],
  ['win32', 'file://server', /no path/],
  ['win32', 'file://server/', /without a share/],
  ['win32', 'file://./pipe/x', /host name/],
  ['win32', 'file://%3F/C:/x', /host name|':'/],
  ['win32', 'file:////%3F/C:/x', /character|host/],
  ['win32', 'file:////./C:/x', /host|':'/],
];

const unusablePaths: readonly [style: PathStyle, path: string, why: RegExp][] = [
  ['posix', 'a/b', /not absolute/],
  ['posix', '', /not absolute/],
  ['posix', '/a\u0000', /NUL/],
  ['posix', '/\udc00', /Unicode/],
  ['win32', 'a\\b', /not absolute/],
  ['win32', '\\a', /not absolute/],
  ['win32', 'C:a', /not absolute/],
  ['win32', 'C:\\a\\aux', /device/],
  ['win32', 'C:\\a:b', /':'/],
  ['win32', '\\\\.\\C:\\x', /device/],
  ['win32', '\\\\?\\Volume{1}\\x', /device/],
];

const posixName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .filter(name => !/[/\u0000]|\p{Surrogate}/u.test(name) && name !== '.' && name !== '..');
const windowsName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .filter(name => !/[\\/:<>"|?*\u0000-\u001f]|[. ]$|\p{Surrogate}/u.test(name))
  .filter(name => !/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i.test(name));
/** Control characters travel percent-encoded. */
const posixPath = fc.array(posixName, { maxLength: 8 }).map(names => `/${names.join('/')}`);
const drivePath = fc
  .tuple(fc.constantFrom(...'ABCXYZ'), fc.array(windowsName, { maxLength: 8 }))
  .map(([drive, names]) => `${drive}:\\${names.join('\\')}`);
const sharePath = fc
  .tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/), fc.array(windowsName, { minLength: 2, maxLength: 8 }))
  .filter(([host]) => host !== 'localhost')
  .map(([host, names]) => `\\\\${host}\\${names.join('\\')}`);

describe('toPath', () => {
  it.each(accepted)('toPath reads on %s: %s', (style, uri, path) => {
    expect(toPath(uri, style)).toBe(path);
  });

  it.each(refused.map(([style, uri, why, name]) => [style, name ?? JSON.stringify(uri), uri, why] as const))(
    'toPath on %s refuses %s',
    (style, _, uri, why) => {
      expect(() => toPath(uri, style)).toThrow(
        expect.objectContaining({ code: 'roots/invalid', message: expect.stringMatching(why) }),
      );
    },
  );

  it('toPath refuses what is not a string', () => {
    expect(() => toPath(7 as unknown as string)).toThrow(expect.objectContaining({ code: 'roots/invalid' }));
  });

  it('toPath gives an absolute path without dots or throws our error, whatever comes in', () => {
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.string().map(text => `file:///${text}`),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom<PathStyle>('posix', 'win32'), (uri, style) => {
        let path: string;
        try {
          path = toPath(uri, style);
        } catch (error) {
          expect(error).toMatchObject({ code: 'roots/invalid' });
          return;
        }
        expect(path).toMatch(style === 'posix' ? /^\// : /^([A-Z]:\\|\\\\[^\\]+\\[^\\]+)/);
        expect(path.split(/[\\/]/)).not.toContain('..');
        expect(path).not.toContain('\u0000');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('toUri', () => {
  it.each(unusablePaths)('toUri on %s refuses %j', (style, path, why) => {
    expect(() => toUri(path, style)).toThrow(
      expect.objectContaining({ code: 'roots/invalid', message: expect.stringMatching(why) }),
    );
  });

  it('toUri writes what others read: no raw space, percent, hash or question mark', () => {
    expect(toUri('/a b/c%d/e#f?g', 'posix')).toBe('file:///a%20b/c%25d/e%23f%3Fg');
    expect(toUri('/a/../b', 'posix')).toBe('file:///b');
    expect(toUri('c:\\Users\\a b', 'win32')).toBe('file:///C:/Users/a%20b');
    expect(toUri('\\\\?\\C:\\x', 'win32')).toBe('file:///C:/x');
    expect(toUri('\\\\?\\UNC\\server\\share\\x', 'win32')).toBe('file://server/share/x');
  });

  it.each([
    ['posix', posixPath],
    ['win32', drivePath],
    ['win32', sharePath],
  ] as const)('toUri writes a path that comes back as the same (%s)', (style, paths) => {
    fc.assert(
      fc.property(paths, path => {
        expect(toPath(toUri(path, style), style)).toBe(path);
      }),
      { numRuns: 1000 },
    );
  });

  it('every percent-encoding of one path is read as that path', () => {
    const encodeSome = (path: string, picks: readonly boolean[]): string =>
      [...Buffer.from(path)]
        .map((byte, index) => {
          const plain = /[a-z0-9/._~-]/i.test(String.fromCharCode(byte));
          const hex = byte.toString(16).padStart(2, '0');
          return byte === 47 || (plain && !picks[index % picks.length])
            ? String.fromCharCode(byte)
            : `%${picks[(index + 1) % picks.length] ? hex : hex.toUpperCase()}`;
        })
        .join('');
    fc.assert(
      fc.property(posixPath, fc.array(fc.boolean(), { minLength: 2 }), (path, picks) => {
        expect(toPath(`file://${encodeSome(path, picks)}`, 'posix')).toBe(path);
      }),
      { numRuns: 1000 },
    );
  });
});
