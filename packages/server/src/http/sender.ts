/** Who sent a request, as the author's own functions say. What they say is checked: a slip there would let everybody in. */
import { kindOf } from '@midcall/core/options';
import type { AuthInfo } from '@modelcontextprotocol/server';

/**
 * @param said - the result of `authenticate`, or what a framework in front of the endpoint passed on
 * @returns the sender; the response that refuses it; undefined if anybody may call
 * @throws TypeError for anything else, so that the request is not served
 */
export function readSender(said: unknown): AuthInfo | Response | undefined {
  if (said === undefined || said === null) return undefined;
  if (said instanceof Response) return said;
  // A Response of another copy of the class, such as that of the package undici.
  if (isResponse(said)) return new Response(said.body, { status: said.status, headers: [...said.headers] });
  if (isToken(said)) return said;
  throw new TypeError(
    'authenticate must return the verified token as an object with the texts token and clientId, the Response that refuses ' +
      `the request, or undefined if anybody may call. It returned ${kindOf(said)}. The request was not served.`,
  );
}

/**
 * @param owner - the option of that name
 * @throws TypeError if it names nobody: all such senders would share their sessions
 */
export function ownerBy(owner: (auth: AuthInfo) => string, auth: AuthInfo): string {
  const named: unknown = owner(auth);
  if (typeof named === 'string' && named !== '') return named;
  throw new TypeError(
    `owner must return the owner of a session as a text that is not empty. It returned ${kindOf(named)}. The request was ` +
      'not served.',
  );
}

const isResponse = (said: unknown): said is Response => {
  const { status, headers } = (said ?? {}) as { readonly status?: unknown; readonly headers?: Partial<Headers> | null };
  return typeof status === 'number' && typeof headers?.get === 'function';
};

const isToken = (said: unknown): said is AuthInfo => {
  const { token, clientId } = (said ?? {}) as { readonly token?: unknown; readonly clientId?: unknown };
  return typeof token === 'string' && typeof clientId === 'string' && clientId !== '';
};
