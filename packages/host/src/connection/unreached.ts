/**
 * Why a server could not be started or reached, in words a person can act on. The SDK's error says how its own attempt ended;
 * its causes contain what the system or the server said.
 */
import { isMidcallError } from '@midcall/core/errors';
import { endedWhenProbed, invalidResultIssue, issueText, notOfferedRevision } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import type { AttachEvent } from '../attach/index.ts';
import { redirectTarget, refusalIn } from '../sdk-seam/index.ts';
import { originOf, type ServerEntry, type ServerTarget } from '../servers/index.ts';
import { StderrTail } from './stderr-tail.ts';

interface Cause {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly status?: unknown;
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** The reason if nothing more is known than that a program has ended. */
const endedEarly = 'it ended before it answered.';

/** An error and its causes, outermost first. */
function chain(error: unknown): readonly Cause[] {
  const all: Cause[] = [];
  for (let next = error; typeof next === 'object' && next !== null && all.length < 8; next = (next as Cause).cause)
    all.push(next as Cause);
  return all;
}

const ofNetwork: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this address. Is the server running?',
  ECONNRESET: 'the connection was cut before an answer came.',
  ENOTFOUND: 'no computer with this name was found.',
  EAI_AGAIN: 'the name could not be looked up. Is there a network?',
  EHOSTUNREACH: 'this computer cannot be reached.',
  ENETUNREACH: 'this computer cannot be reached.',
  ETIMEDOUT: 'no answer came in time.',
  UND_ERR_CONNECT_TIMEOUT: 'no answer came in time.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https. Try http.',
};

function ofProgram({ command, cwd }: ServerTarget & { readonly kind: 'command' }, code: unknown): string | undefined {
  const name = visible(command, { max: 200 });
  const folder = cwd === undefined ? '' : `, or no folder ${visible(cwd, { max: 300 })}`;
  if (code === 'ENOENT') return `there is no program '${name}' on this machine${folder}.`;
  return code === 'EACCES' ? `'${name}' may not be run. Is it a program?` : undefined;
}

/** What an HTTP status means for somebody who named the address. */
function ofStatus(status: number): string | undefined {
  if (status === 401 || status === 403)
    return `it requires a token that it accepts (HTTP ${status}). Send one in a header.`;
  if (status === 404 || status === 405)
    return `there is no MCP endpoint at this address (HTTP ${status}). It often ends in /mcp.`;
  if (status === 429) return 'it takes no more requests for now (HTTP 429). Try again later.';
  if (status >= 500) return `it failed to answer (HTTP ${status}). Its log may say why.`;
  return undefined;
}

/** HTTP's reason: a status, or an answer that is no message of the protocol. */
function ofAnswer(cause: Cause): string | undefined {
  const { code, status, message, name } = cause;
  // The transport reads nothing but messages, so any other answer fails a schema.
  if (code === 'CLIENT_HTTP_UNEXPECTED_CONTENT' || name === 'ZodError' || name === 'SyntaxError')
    return 'what answers at this address is not an MCP server.';
  const elsewhere = redirectTarget(String(message));
  if (elsewhere !== undefined)
    return `it redirects to ${visible(elsewhere, { max: 300 })}. If you trust that address, use it instead.`;
  if (typeof status !== 'number') return undefined;
  const refusal = refusalIn(cause);
  if (!refusal) return ofStatus(status);
  return `${ofStatus(status) ?? `it refused the request (HTTP ${status}).`} It says “${visible(refusal.message, { max: 300 })}”.`;
}

/** True if the server did answer, with a failure of its own: some of 2025-11-25 do so at a request that they do not know. */
export const failedToAnswer = (error: unknown): boolean =>
  chain(error).some(({ status }) => typeof status === 'number' && status >= 500);

/** The system's or HTTP's reason for a failed attempt, worded to follow a colon; undefined if unknown. */
export function systemReason(error: unknown, target: ServerTarget): string | undefined {
  for (const cause of chain(error)) {
    const wording =
      target.kind === 'command'
        ? String(cause.syscall).startsWith('spawn') && ofProgram(target, cause.code)
        : (ofNetwork[String(cause.code)] ?? ofAnswer(cause));
    if (wording) return wording;
  }
  return undefined;
}

/**
 * One or two sentences without a capital, to follow a colon.
 * @param error - what the attempt ended with; untrusted as far as it quotes the server
 */
export function unreached(error: unknown, target: ServerTarget): string {
  const own = chain(error).find(each => isMidcallError(each));
  if (own) return String(own.message);
  const reason = systemReason(error, target);
  if (reason !== undefined) return reason;
  const causes = chain(error);
  const code = causes[0]?.code;
  const ended = code === 'CONNECTION_CLOSED' || endedWhenProbed(String(causes[0]?.message));
  if (target.kind === 'command' && ended) return endedEarly;
  if (code === 'REQUEST_TIMEOUT') return 'it did not answer in time.';
  const issue = code === 'INVALID_RESULT' ? invalidResultIssue(String(causes[0]?.message)) : undefined;
  if (issue) return `its answer is not what the protocol requires: ${issueText(issue)}.`;
  const notOffered = notOfferedRevision(String(causes[0]?.message));
  if (notOffered !== undefined) return `it answers, but does not offer revision ${notOffered}.`;
  const message = causes.findLast(each => typeof each.message === 'string')?.message ?? error;
  return visible(String(message), { max: 500 });
}

/**
 * Says why one server ended, or could not be started, by the last of what it said: the end of its standard error, a message that
 * was too large to read, or what is not a message at all.
 */
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

  /** Appends the last words of the server to a sentence. A message that was too large is the reason by itself. */
  appendTo(what: string): string {
    return this.#tooLarge ?? `${what}${this.#stderr.said}`;
  }

  /** Adds the last words to the event of a call that ended with its server. */
  addTo(event: AttachEvent): AttachEvent {
    if (event.type !== 'call-ended' || event.outcome.how !== 'server-gone') return event;
    const { outcome } = event;
    return { ...event, outcome: { ...outcome, message: this.appendTo(outcome.message) } };
  }

  /** @param cause - why it could not be started or reached */
  whyNot(cause: unknown): string {
    const { id, target } = this.#entry;
    const what = `The server '${id}' could not be ${target.kind === 'url' ? 'reached' : 'started'}`;
    const why = `${this.appendTo(unreached(cause, target))}${this.#strayed}`;
    return `${what} (${originOf(target)}): ${why}${why === endedEarly ? ' Run the command by itself to see why.' : ''}`;
  }

  /** What to tell the person about a server that has not answered since it was started. @param ms - how long that is */
  silentFor(ms: number): string {
    const { id, target } = this.#entry;
    const seconds = Math.round(ms / 1_000);
    return this.appendTo(
      `The server '${id}' (${originOf(target)}) has not answered for ${seconds} seconds.${this.#strayed}`,
    );
  }

  /** A sentence to follow another; empty if its standard output consists of messages. */
  get #strayed(): string {
    if (this.#stray === undefined) return '';
    return ` Its standard output is not MCP: '${this.#stray}'. Does this command serve MCP over standard input and output?`;
  }
}
