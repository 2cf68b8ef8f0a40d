/** The last lines of a server's standard error: kept in case it ends, and never shown as our own. */
import { visible } from '@midcall/core/text';
import { widestLine } from './read-lines.ts';

const mostLines = 200;

/** The end of what a server wrote to standard error. */
export class StderrTail {
  readonly #lines: string[] = [];

  /** Keeps a line. @returns as much of it as is kept */
  add(line: string): string {
    const clipped = line.slice(0, widestLine);
    this.#lines.push(clipped);
    if (this.#lines.length > mostLines) this.#lines.shift();
    return clipped;
  }

  /** Oldest first; untrusted. */
  get lines(): readonly string[] {
    return [...this.#lines];
  }

  /** Its last words as a sentence to follow another, safe to show; empty if it wrote nothing. */
  get said(): string {
    const last = lastSaid(this.#lines);
    return last === undefined ? '' : ` It last said: ${last}`;
  }
}

/** Says nothing by itself: blank, a pointer below a source line, a closing bracket, or a runtime's own last words. */
const empty = /^\s*$|^\s*[~^]+\s*$|^[}\])]+[,;]?$|^Node\.js v\d|^\(Use `node --|^note: run with `RUST_BACKTRACE/;
const frame = /^\s+at /;
/** Stack frames and properties of an error are indented. */
const setIn = /^\s/;
const header = /^(?:Uncaught |Caused by: |Exception in )?[\w$.]*(?:Error|Exception|Warning)\b/;
const npm = /^npm (?:error|ERR!)/;
const npmCode = /^npm (?:error|ERR!) (?:code|errno|syscall|path) /;

/**
 * Finds the line that says why a server ended. A runtime that dies puts the reason above its stack, the source line that it points
 * at, other members of the error, and a footer; the last line is just Node's version.
 * @param lines - what a server wrote to its standard error, oldest first; untrusted
 * @returns the line that says why it ended, safe to show, at most 300 characters; undefined if it wrote nothing
 */
export function lastSaid(lines: readonly string[]): string | undefined {
  const isReason = (line: string) => !empty.test(line) && !frame.test(line);
  let at = lines.findLastIndex(line => isReason(line) && !setIn.test(line));
  if (at === -1) at = lines.findLastIndex(isReason);
  if (at === -1) return undefined;
  if (frame.test(lines[at + 1] ?? '')) at = headerAbove(lines, at);
  else if (npm.test(lines[at]!)) at = reasonOfNpm(lines, at);
  const reason = uncoloured(lines[at]!).trim().replace(/ \{$/, '');
  return visible(`${reason}${placeOfSyntax(lines, at)}`, { max: 300 });
}

/** Node writes where a file does not parse above the line that does not: its stack has only Node's own files. */
function placeOfSyntax(lines: readonly string[], at: number): string {
  if (!/^SyntaxError\b/.test(lines[at]!)) return '';
  const place = lines
    .slice(Math.max(0, at - 4), at)
    .findLast(line => /^(?:file:\/\/|\/|[A-Za-z]:\\).*:\d+$/.test(line));
  return place === undefined ? '' : ` (${place})`;
}

const uncoloured = (line: string): string => line.replace(/\u001B\[[\d;:]*m/g, '');

/** A message of several lines begins with the kind of error; its first line is the one that counts. */
function headerAbove(lines: readonly string[], end: number): number {
  for (let at = end; at >= 0 && !empty.test(lines[at]!) && !frame.test(lines[at]!); at -= 1) {
    if (header.test(lines[at]!)) return at;
  }
  return end;
}

/** npm says why first, and ends with advice and the address of its log. */
function reasonOfNpm(lines: readonly string[], end: number): number {
  let first = end;
  while (first > 0 && npm.test(lines[first - 1]!)) first -= 1;
  while (first < end && npmCode.test(lines[first]!)) first += 1;
  return first;
}
