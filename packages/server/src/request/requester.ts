/** Who makes a request: the person, and the client it came through. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { isPrincipal, type Principal } from '../base/index.ts';
import type { PrincipalOf } from './config.ts';
import { detachedOf } from './detached.ts';

interface PrincipalOptions {
  readonly principal: PrincipalOf | undefined;
  readonly warnOnce: (about: string, message: string) => void;
}

let ownId: string | undefined;
/** Generated on first use: a worker may not generate random values while it is loaded. */
const processId = (): string => {
  ownId ??= randomUUID();
  return ownId;
};
let osUser: Principal | undefined;
const probed = new WeakSet<PrincipalOf>();

const HTTP = 'http';
const httpClient = `[${JSON.stringify(HTTP)},`;

/** True if a request came over HTTP, or the call whose task it continues did: then its sender may be on another machine. */
export function isOverHttp(ctx: ServerContext): boolean {
  const task = detachedOf(ctx);
  return task ? task.clientId.startsWith(httpClient) : ctx.http !== undefined;
}

/**
 * The author's principal over HTTP; the operating system's user on stdio, where the client runs as that user.
 * @throws MidcallError `server/setup` if the author's function fails, or returns no principal
 */
export async function principalOf(ctx: ServerContext, options: PrincipalOptions): Promise<Principal | undefined> {
  if (!ctx.http) return processUser();
  const { principal: configured } = options;
  if (!configured) return undefined;
  const principal: unknown = await identified(configured, ctx);
  if (principal === undefined || principal === null) return undefined;
  if (!isPrincipal(principal)) throw new MidcallError('server/setup', notPrincipal);
  if (!probed.has(configured)) {
    probed.add(configured);
    if (same(principal, await ofNobody(configured, ctx))) options.warnOnce('principal', everybodyIsOne);
  }
  return principal;
}

/** What the author's function says, without the words of an error of it: they may contain a token. */
async function identified(configured: PrincipalOf, ctx: ServerContext): Promise<unknown> {
  try {
    return await configured(ctx);
  } catch (error) {
    if (error instanceof ProtocolError || isMidcallError(error)) throw error;
    throw new MidcallError(
      'server/setup',
      'The server could not tell who sent this, so it was refused. If it goes on, tell whoever operates the server.',
      { cause: error },
    );
  }
}

/** The user this process runs as. */
export function processUser(): Principal {
  osUser ??= { issuer: 'os', subject: whoRuns() };
  return osUser;
}

/**
 * The client a state is bound to. Over HTTP the OAuth client and the 2025-11-25 session; on stdio this process, or only the key
 * if one is configured, which means that other processes may continue with the state.
 */
export function clientOf(ctx: ServerContext, keyIsEphemeral: boolean): string {
  if (ctx.http) return JSON.stringify([HTTP, ctx.http.authInfo?.clientId ?? null, ctx.sessionId ?? null]);
  return keyIsEphemeral ? `stdio:${processId()}` : 'stdio';
}

function whoRuns(): string {
  try {
    const { uid, username } = userInfo();
    return `${uid}:${username}`;
  } catch {
    // A container may run under a user id without a name.
    return `${process.getuid?.() ?? ''}:`;
  }
}

/** Asks for the principal of a request that carries nothing to identify anybody by. */
async function ofNobody(configured: PrincipalOf, ctx: ServerContext): Promise<Principal | undefined> {
  const { id, method, signal } = ctx.mcpReq;
  const http = { req: new Request('http://localhost/') };
  const nobody = { mcpReq: { id, method, signal, requestState: () => undefined }, http };
  try {
    return await configured(nobody as unknown as ServerContext);
  } catch {
    return undefined;
  }
}

const same = (a: Principal, b: Principal | undefined): boolean => a.issuer === b?.issuer && a.subject === b.subject;

const notPrincipal =
  'The option principal of midcall() must return { issuer, subject }, two texts that are not empty, or undefined for a sender ' +
  'whom nobody knows. It returned something else, so the request was refused: all such senders would be one person.';

const everybodyIsOne =
  'midcall: the principal option names the same person for a request that carries no token, so over HTTP everybody is that ' +
  'person, and one may answer for another. Take it from what was verified: ctx.http.authInfo.';
