/** Headers of requests to a server from a file, so that a token is neither in a command line nor in a list of servers. */
import { readFileSync, statSync } from 'node:fs';
import { MidcallError } from '@midcall/core/errors';
import { visible } from '@midcall/core/text';
import { isHeaderName, isHeaderValue } from '../servers/index.ts';

/**
 * Reads a file of lines `Name: value`; empty lines and those that begin with `#` are ignored.
 * @throws MidcallError `cli/usage`, naming the file and the line but no part of a value: if the file cannot be read, if anybody
 *   but its owner can read it, or if a line is not a header
 */
export function readHeadersFile(path: string): Readonly<Record<string, string>> {
  const bad = (text: string, cause?: unknown): MidcallError =>
    new MidcallError('cli/usage', `The headers file ${visible(path, { max: 300 })} ${text}`, { cause });
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw bad(
        `can be read by other users of this machine. Take that back with: chmod go= ${visible(path, { max: 300 })}`,
      );
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof MidcallError) throw cause;
    throw bad('cannot be read. Is it there?', cause);
  }
  const headers: Record<string, string> = {};
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [name = '', ...parts] = line.split(':');
    const value = parts.join(':').trim();
    if (parts.length === 0 || !isHeaderName(name) || !isHeaderValue(value))
      throw bad(`has a line that is not a header (${at + 1}). Each is written as name: value.`);
    headers[name] = value;
  }
  return headers;
}
