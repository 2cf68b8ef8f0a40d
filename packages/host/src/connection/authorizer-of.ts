/** Whether a host signs in to a server at all. */
import { systemClock } from '@midcall/core/time';
import { Authorizer, type AuthorizerOptions } from '../authorization/index.ts';
import type { ServerTarget } from '../servers/index.ts';
import type { ConnectionOptions } from './connection-options.ts';

/** @returns undefined for a command, if nothing may be stored, and if the person gave a token of their own */
export function authorizerOf(
  target: ServerTarget,
  { authorization, client, principal = 'local', fetch = globalThis.fetch, clock = systemClock }: ConnectionOptions,
  ask: AuthorizerOptions['ask'],
): Authorizer | undefined {
  if (!authorization || target.kind !== 'url' || hasOwnToken(target)) return undefined;
  return new Authorizer({
    serverUrl: new URL(target.url),
    auth: target.auth ?? {},
    vault: authorization.vault,
    principal,
    name: client.title ?? client.name,
    fetch,
    clock,
    ask,
  });
}

const hasOwnToken = ({ headers = {}, headersFile }: ServerTarget & { readonly kind: 'url' }): boolean =>
  headersFile !== undefined || Object.keys(headers).some(name => name.toLowerCase() === 'authorization');
