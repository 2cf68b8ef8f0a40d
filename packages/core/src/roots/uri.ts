/**
 * Root URI <-> path, for POSIX and Windows alike and independent of the machine it runs on. Pure text: where a name leads is
 * checked when it is opened.
 *
 * Strict on purpose: a URI that two programs could interpret differently (an encoded separator, `..`, a query, a lone `%`, a
 * host on POSIX, a drive without its slash) is refused with the reason, never guessed at.
 */
import { MidcallError } from '../errors/index.ts';
import { isRecord, own } from '../json/index.ts';

/** Whose rules apply. */
export type PathStyle = 'posix' | 'win32';

const longest = 65_536;
const hereStyle: PathStyle = globalThis.process?.platform === 'win32' ? 'win32' : 'posix';

function refuse(text: string, why: string): MidcallError {
  const safe = text.slice(0, 200).replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '?');
  return new MidcallError('roots/invalid', `'${safe}' is not a usable root URI: ${why}.`);
}

/**
 * The absolute path a `file:` URI stands for.
 *
 * @param uri - `file:///path`, `file:/path` or `file://localhost/path`; on Windows also `file://host/share`
 * @param style - whose rules apply; those of this machine if absent
 * @returns an absolute, normal path without a trailing separator; the drive letter in upper case
 * @throws MidcallError roots/invalid, with the reason
 * @example
 * ```ts
 * toPath('file:///home/ada/My%20notes'); // '/home/ada/My notes'
 * ```
 */
export function toPath(uri: string, style: PathStyle = hereStyle): string {
  if (typeof uri !== 'string') throw refuse(String(uri), 'it is not a string');
  if (uri.length > longest) throw refuse(uri, 'it is too long');
  if (!/^file:/i.test(uri)) throw refuse(uri, 'it does not start with file:');
  if (/[\u0000-\u001f\u007f]/.test(uri)) throw refuse(uri, 'it has a control character in it');
  if (/\p{Surrogate}/u.test(uri)) throw refuse(uri, 'it is not valid Unicode');
  if (/[?#]/.test(uri)) throw refuse(uri, "it has a query or a fragment; write '?' as %3F and '#' as %23");
  let rest = uri.slice('file:'.length);
  if (rest.includes('\\')) {
    if (style === 'posix') throw refuse(uri, 'it has a backslash in it; write it as %5C');
    rest = rest.replaceAll('\\', '/');
  }
  if (!rest.startsWith('/')) throw refuse(uri, 'its path is not absolute');
  const slashes = /^\/\/([^/]*)(.*)$/s.exec(rest);
  const host = slashes ? slashes[1]! : '';
  const path = slashes ? slashes[2]! : rest;
  if (path === '') throw refuse(uri, 'it has no path');
  const segments = path.split('/').map(segment => decode(uri, segment, style));
  return style === 'win32' ? windowsPath(uri, host, segments) : posixPath(uri, host, segments);
}

function decode(uri: string, segment: string, style: PathStyle): string {
  if (!segment.includes('%')) return checked(uri, segment, style);
  if (/%(?![0-9a-f]{2})/i.test(segment))
    throw refuse(uri, "it has a '%' that does not begin an escape; write it as %25");
  if (/%2f/i.test(segment) || (style === 'win32' && /%5c/i.test(segment)))
    throw refuse(uri, 'it has an encoded separator in it');
  if (/%00/.test(segment)) throw refuse(uri, 'it has a NUL in it');
  try {
    return checked(uri, decodeURIComponent(segment), style);
  } catch (error) {
    if (error instanceof URIError) throw refuse(uri, 'its escapes are not UTF-8');
    throw error;
  }
}

function checked(uri: string, segment: string, style: PathStyle): string {
  if (segment === '..') throw refuse(uri, "it goes up with '..'");
  if (style === 'win32') {
    const why = windowsSegment(segment);
    if (why) throw refuse(uri, why);
  }
  return segment;
}

/** Why Windows would not take a name literally, or undefined. A drive passes; the caller checks its position. */
function windowsSegment(segment: string): string | undefined {
  if (segment === '' || segment === '.' || /^[a-z]:$/i.test(segment)) return undefined;
  if (/[:]/.test(segment)) return "it has a ':' inside a name (an alternate stream, or a drive without its slash)";
  if (/[<>"|?*\u0000-\u001f]/.test(segment)) return 'it has a character that Windows does not allow in names';
  if (/[. ]$/.test(segment)) return 'it has a name that ends in a dot or a space, which Windows drops';
  // Windows drops the spaces before the extension, too.
  if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i.test(segment))
    return 'it names a Windows device';
  return undefined;
}

function posixPath(uri: string, host: string, segments: readonly string[]): string {
  if (host !== '' && host.toLowerCase() !== 'localhost') {
    throw refuse(uri, `'${host.slice(0, 60)}' is where a host name belongs; a local path has three slashes, file:///`);
  }
  if (segments.length > 2 && segments[0] === '' && segments[1] === '')
    throw refuse(uri, 'its path starts with two slashes');
  return `/${segments.filter(segment => segment !== '' && segment !== '.').join('/')}`;
}

function windowsPath(uri: string, host: string, segments: readonly string[]): string {
  const local = host === '' || host.toLowerCase() === 'localhost';
  const leading = segments[0] === '' ? segments.slice(1) : segments;
  if (local && leading[0] === '' && leading.length > 1 && leading[1] !== '') {
    return share(uri, leading[1]!, leading.slice(2));
  }
  if (!local) {
    if (/^[a-z](:|\||%3a)/i.test(host)) throw refuse(uri, 'the drive is where a host name belongs; write file:///C:/');
    return share(uri, host, leading);
  }
  const names = leading.filter(segment => segment !== '' && segment !== '.');
  const drive = names[0];
  if (drive === undefined || !/^[a-z]:$/i.test(drive)) throw refuse(uri, 'it has no drive, as in file:///C:/folder');
  if (names.slice(1).some(name => name.includes(':'))) throw refuse(uri, "it has a ':' inside its path");
  return `${drive.toUpperCase()}\\${names.slice(1).join('\\')}`;
}

function share(uri: string, host: string, segments: readonly string[]): string {
  if (!/^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i.test(host)) throw refuse(uri, 'its host name is not usable');
  const names = segments.filter(segment => segment !== '' && segment !== '.');
  if (names.length === 0) throw refuse(uri, 'it names a host without a share');
  if (names.some(name => name.includes(':'))) throw refuse(uri, "it has a ':' inside its path");
  return `\\\\${host}\\${names.join('\\')}${names.length === 1 ? '\\' : ''}`;
}

/**
 * The `file:` URI of an absolute path, percent-encoded; {@link toPath} gives the same path back.
 *
 * @param path - absolute; `..` is resolved as text
 * @param style - whose rules apply; those of this machine if absent
 * @throws MidcallError roots/invalid for a relative or drive-relative path, a device path, a NUL or broken Unicode
 * @example
 * ```ts
 * toUri('/home/ada/My notes'); // 'file:///home/ada/My%20notes'
 * ```
 */
export function toUri(path: string, style: PathStyle = hereStyle): string {
  if (typeof path !== 'string' || path.length > longest)
    throw refuse(String(path), 'the path is not a string, or is too long');
  if (path.includes('\u0000')) throw refuse(path, 'the path has a NUL in it');
  if (/\p{Surrogate}/u.test(path)) throw refuse(path, 'the path is not valid Unicode');
  if (style === 'posix') {
    if (!path.startsWith('/')) throw refuse(path, 'the path is not absolute');
    return `file:///${encode(resolved(path.split('/')))}`;
  }
  const withoutPrefix = path.replace(/^\\\\\?\\UNC\\/i, '\\\\').replace(/^\\\\\?\\(?=[a-z]:\\)/i, '');
  if (/^[\\/]{2}[.?]/.test(withoutPrefix)) throw refuse(path, 'it is a device path');
  const normal = windowsNormal(withoutPrefix);
  const drive = /^([a-z]:)\\(.*)$/is.exec(normal);
  const [head, tail] = drive
    ? [`file:///${drive[1]!.toUpperCase()}/`, drive[2]!]
    : [/^\\\\([^\\]+)\\/.exec(normal)?.[1], normal.replace(/^\\\\[^\\]+\\/, '')];
  if (head === undefined) throw refuse(path, 'the path is not absolute, or has no drive');
  const names = tail.split('\\');
  const why = names.map(name => (name.includes(':') ? "the path has a ':' in it" : windowsSegment(name))).find(Boolean);
  if (why) throw refuse(path, why);
  const uri = `${drive ? head : `file://${head}/`}${encode(names)}`;
  toPath(uri, 'win32');
  return uri;
}

/** Path segments without empty ones and dots, as text; `..` at the top stays there. */
function resolved(segments: readonly string[]): string[] {
  const names: string[] = [];
  for (const segment of segments) {
    if (segment === '..') names.pop();
    else if (segment !== '' && segment !== '.') names.push(segment);
  }
  return names;
}

/** A drive or a share with one kind of separator and no dots; anything else as it is, to be refused. */
function windowsNormal(path: string): string {
  const [, drive, below] = /^([a-z]:)[\\/](.*)$/is.exec(path) ?? [];
  if (drive !== undefined) return `${drive}\\${resolved(below!.split(/[\\/]/)).join('\\')}`;
  const [, host, share, rest] = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)(?:[\\/](.*))?$/s.exec(path) ?? [];
  return host === undefined ? path : `\\\\${[host, share!, ...resolved((rest ?? '').split(/[\\/]/))].join('\\')}`;
}

function encode(segments: readonly string[]): string {
  const joined = segments.map(segment => encodeURIComponent(segment)).join('/');
  const readable = joined.replace(/%(3A|40|2B|24|26|2C|3B|3D)/g, sequence => decodeURIComponent(sequence));
  return readable.length > 1 && readable.endsWith('/') ? readable.slice(0, -1) : readable;
}

/** A root as in the protocol (schema.json, `Root`). */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

/** What of a client's list of roots can be read, and why the rest cannot. */
export interface ListedRoots {
  readonly roots: readonly Root[];
  /** One sentence for each entry that is no root. */
  readonly leftOut: readonly string[];
}

/** The most entries that are named one by one. */
const mostNamed = 10;

/**
 * Reads a client's list of roots, entry by entry: what is no root does not affect the others, and a name that is no text counts as
 * none. Where a URI leads is not judged here.
 * @param answer - the result of `roots/list` (schema.json, `ListRootsResult`), as it arrived
 * @returns undefined if it has no list
 */
export function readRootsList(answer: unknown): ListedRoots | undefined {
  const listed = own(answer, 'roots');
  if (!Array.isArray(listed)) return undefined;
  const leftOut: string[] = [];
  const roots = listed.flatMap((root, at): Root[] => {
    const [uri, name] = isRecord(root) ? [root['uri'], root['name']] : [];
    if (typeof uri === 'string') return [typeof name === 'string' ? { uri, name } : { uri }];
    if (leftOut.length < mostNamed) leftOut.push(`Entry ${at + 1} of the client's roots has no URI, and is left out.`);
    return [];
  });
  return { roots, leftOut };
}
