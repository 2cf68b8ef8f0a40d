/** The last lines of a server's standard error: kept in case it ends, and never shown as our own. */
import { lastSaid } from './last-said.ts';
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
