/**
 * Several bridges that share one address. An upstream server, its calls and its questions belong to one of them, so each
 * request goes to the bridge that runs the servers of its principal, whichever bridge received it.
 *
 * - pass-on-O1 A request is executed by one bridge. If it is unknown whether it was, it is not sent again, unless its session
 *   recognizes a repeated request.
 * - pass-on-O2 A request is passed on once, so that two bridges never send it back and forth.
 */
import { isMidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { type Clock, steadyNow } from '@midcall/core/time';
import type { Owners } from '@midcall/server/fleet';
import { endUnknown, NoResponse, sendOn } from './send-on.ts';

/** What passing on needs. */
export interface PassOnOptions {
  readonly owners: Pick<Owners, 'ownerOf'>;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

/** Marks requests that were passed on, and the responses of bridges that no longer run the servers. */
const mark = 'midcall-bridge';
/** How many milliseconds a request waits for a bridge that cannot be reached; after that, the bridge is taken to be dead. */
const waitMs = 15_000;
const pauseMs = 250;

/**
 * @param name - names a principal's servers for an entry; the same in every bridge
 * @param body - of the request, as it was read
 * @returns the response of the bridge that runs them; undefined if this one does
 */
export async function passOn(
  name: string,
  request: Request,
  body: unknown,
  { owners, clock, onError }: PassOnOptions,
): Promise<Response | undefined> {
  const until = steadyNow(clock) + waitMs;
  let isTold = false;
  for (;;) {
    const owner = await owners.ownerOf(name).catch((error: unknown) => {
      if (isMidcallError(error, 'store/unavailable') || isMidcallError(error, 'store/corrupt')) onError(error);
      else if (!isMidcallError(error, 'call/closed')) throw error;
      return undefined;
    });
    if (owner === 'here') return undefined;
    if (!owner) return refused(503, 'This bridge cannot serve now. Nothing was done; send the request again.', body);
    if (request.headers.has(mark))
      return refused(503, 'Another bridge runs this server now. Send the request again.', body, { [mark]: 'moved' });
    try {
      const response = await sendOn(request, body, owner, { [mark]: 'passed on' });
      if (response.status !== 503 || response.headers.get(mark) !== 'moved') return response;
      await response.body?.cancel();
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      if (!isTold) onError(error);
      isTold = true;
      if (!error.unread && !mayRepeat(request)) return refused(502, endUnknown, body);
    }
    if (steadyNow(clock) >= until)
      return refused(503, 'The bridge that runs this server cannot be reached. Send the request again later.', body);
    await new Promise<void>(resolve => void clock.after(pauseMs, resolve));
  }
}

/** A session runs a request once, however often it is sent (pass-on-O1). */
const mayRepeat = ({ method, headers }: Request): boolean => method !== 'POST' || headers.has('mcp-session-id');

function refused(status: number, message: string, body: unknown, headers: Record<string, string> = {}): Response {
  const id = own(body, 'id') ?? null;
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: -32000, message } },
    { status, headers: { ...headers, ...(status === 503 && { 'retry-after': '1' }) } },
  );
}
