/** Who a call belongs to, and which client it came through. */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Principal } from './call.ts';

/** Finds the person behind a request; over HTTP from a verified token, never from what the client says of itself. */
export type PrincipalOf = (ctx: ServerContext) => Principal | undefined | Promise<Principal | undefined>;

const processId = randomUUID();
let osUser: Principal | undefined;

const overHttp = (ctx: ServerContext): boolean => ctx.http !== undefined;

/** The author's principal over HTTP; the operating system's user on stdio, where the client runs as that user. */
export async function principalOf(ctx: ServerContext, given: PrincipalOf | undefined): Promise<Principal | undefined> {
  if (given) return given(ctx);
  if (overHttp(ctx)) return undefined;
  osUser ??= { issuer: 'os', subject: `${userInfo().uid}:${userInfo().username}` };
  return osUser;
}

/**
 * The client a state is bound to: the OAuth client over HTTP, this process on stdio. A configured key says that other
 * processes may go on with the state, so then stdio binds to the key alone.
 */
export function clientOf(ctx: ServerContext, keyIsEphemeral: boolean): string {
  if (overHttp(ctx)) return `http:${ctx.http?.authInfo?.clientId ?? 'anonymous'}`;
  return keyIsEphemeral ? `stdio:${processId}` : 'stdio';
}
