/**
 * Why a server could not be started or reached, in words a person can act on. The SDK's error says how its own attempt ended;
 * its causes contain what the system or the server said. Pure.
 */
import { isMidcallError } from '@midcall/core/errors';
import { endedWhenProbed, notOfferedRevision } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import type { ServerTarget } from './server-entry.ts';

interface Cause {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly message?: unknown;
  readonly status?: unknown;
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** The reason if nothing more is known than that a program has ended. */
export const endedEarly = 'it ended before it answered.';

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
  if (status === 404) return 'there is no MCP endpoint at this address (HTTP 404). It often ends in /mcp.';
  return undefined;
}

/** The system's or HTTP's reason for a failed attempt, worded to follow a colon; undefined if unknown. */
export function systemReason(error: unknown, target: ServerTarget): string | undefined {
  for (const { code, syscall, status } of chain(error)) {
    const wording =
      target.kind === 'command'
        ? String(syscall).startsWith('spawn') && ofProgram(target, code)
        : (ofNetwork[String(code)] ?? (typeof status === 'number' && ofStatus(status)));
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
  if (causes.some(each => each.code === 'CLIENT_HTTP_UNEXPECTED_CONTENT'))
    return 'what answers at this address is not an MCP server.';
  const notOffered = notOfferedRevision(String(causes[0]?.message));
  if (notOffered !== undefined) return `it answers, but does not offer revision ${notOffered}.`;
  const message = causes.findLast(each => typeof each.message === 'string')?.message ?? error;
  return visible(String(message), { max: 500 });
}
