/**
 * What a server said before it ended: the end of its standard error, a message that was too large to read, or what is not a
 * message at all.
 */
import { visible } from '@midcall/core/text';
import type { AttachEvent } from '../attach/index.ts';
import { originOf, type ServerEntry } from '../servers/index.ts';
import { StderrTail } from './stderr-tail.ts';
import { endedEarly, unreached } from './unreached.ts';

/** Says why one server ended, or could not be started. */
export class LastWords {
  readonly #entry: ServerEntry;
  #stderr = new StderrTail();
  /** Set if a message was larger than the limit; nothing after it can be read. */
  #tooLarge: string | undefined;
  /** The last line of its standard output that is not a message. */
  #stray: string | undefined;

  constructor(entry: ServerEntry) {
    this.#entry = entry;
  }

  /** The last lines of standard error, oldest first; untrusted. */
  get lines(): readonly string[] {
    return this.#stderr.lines;
  }

  /** Why nothing more can be read; undefined if it can. */
  get tooLarge(): string | undefined {
    return this.#tooLarge;
  }

  /** Forgets an earlier start. */
  begin(): void {
    this.#stderr = new StderrTail();
    this.#tooLarge = undefined;
    this.#stray = undefined;
  }

  /** @param line - of its standard output, where only messages belong */
  strayed(line: string): void {
    this.#stray = visible(line.trim(), { max: 200 });
  }

  /** @returns the line as stored */
  heard(line: string): string {
    return this.#stderr.add(line);
  }

  /** @param mostBytes - the limit for one message, in bytes */
  tooMuch(mostBytes: number): void {
    this.#tooLarge = `The server sent a message of more than ${mostBytes.toLocaleString('en')} bytes, the most that is read, so the connection was closed.`;
  }

  /** @param what - a sentence, which the last words of the server follow */
  after(what: string): string {
    return this.#tooLarge ?? `${what}${this.#stderr.said}`;
  }

  /** A call that ended with its server repeats the server's last words. */
  worded(event: AttachEvent): AttachEvent {
    if (event.type !== 'call-ended' || event.outcome.how !== 'server-gone') return event;
    const { outcome } = event;
    return { ...event, outcome: { ...outcome, message: this.after(outcome.message) } };
  }

  /** @param cause - why it could not be started or reached */
  whyNot(cause: unknown): string {
    const { id, target } = this.#entry;
    const what = `The server '${id}' could not be ${target.kind === 'url' ? 'reached' : 'started'}`;
    const why = `${this.after(unreached(cause, target))}${this.#strayed}`;
    return `${what} (${originOf(target)}): ${why}${why === endedEarly ? ' Run the command by itself to see why.' : ''}`;
  }

  /** What to tell the person about a server that has not answered since it was started. @param ms - how long that is */
  silentFor(ms: number): string {
    const { id, target } = this.#entry;
    const seconds = Math.round(ms / 1_000);
    return this.after(
      `The server '${id}' (${originOf(target)}) has not answered for ${seconds} seconds.${this.#strayed}`,
    );
  }

  /** A sentence to follow another; empty if its standard output consists of messages. */
  get #strayed(): string {
    if (this.#stray === undefined) return '';
    return ` Its standard output is not MCP: '${this.#stray}'. Does this command serve MCP over standard input and output?`;
  }
}
