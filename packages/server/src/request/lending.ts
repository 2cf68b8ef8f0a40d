/**
 * Tracks the servers that factories make for requests, and which of them may run the calls of others: a task continues without
 * its request, at a server that was made for another one. A factory that reads its request may use what it finds in its
 * handlers, so the server it makes is for that caller only.
 *
 * - lending-1 A server runs calls of others only if nothing of the request it was made for has been read, or is read later.
 */
import { MidcallError } from '@midcall/core/errors';
import type {
  McpRequestContext,
  McpServer,
  McpServerFactory,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';

interface Making {
  readonly factory: McpServerFactory;
  isMade: boolean;
  /** True if the factory read who makes the request, or what it says. */
  hasRead: boolean;
  /** True once it may have run a call of somebody else. */
  isLent: boolean;
}

const makings = new WeakMap<McpServer | Server, Making>();
/** Factories whose handlers have been seen to read later. */
const lateReaders = new WeakSet<McpServerFactory>();
let underWay = 0;

/** Makes a server for a request, and watches what its factory reads of the request. */
export async function makeServer(factory: McpServerFactory, context: McpRequestContext): Promise<McpServer | Server> {
  const making: Making = { factory, isMade: false, hasRead: false, isLent: false };
  underWay += 1;
  try {
    const server = await factory(watched(context, making));
    making.isMade = true;
    // A factory may return the same server again: what it read for one request stays in it.
    making.hasRead ||= makings.get(server)?.hasRead === true;
    making.isLent ||= makings.get(server)?.isLent === true;
    makings.set(server, making);
    return server;
  } finally {
    underWay -= 1;
  }
}

/** True for a server whose factory may have read its request. */
export function isPersonal(server: McpServer, ctx: ServerContext): boolean {
  const making = makings.get(server);
  // Reads by other code that makes servers are not seen; without HTTP there is only one caller.
  return making ? reads(making) : ctx.http !== undefined;
}

/** True for a server that may run the calls of others, as far as is known; one that is still being made may not. */
export function isLendable(server: McpServer): boolean {
  const making = makings.get(server);
  return making ? !reads(making) : underWay === 0;
}

/** Notes that a server runs calls of others from now on. */
export function lend(server: McpServer): void {
  const making = makings.get(server);
  if (making) making.isLent = true;
}

const reads = ({ factory, hasRead }: Making): boolean => hasRead || lateReaders.has(factory);

function watched(context: McpRequestContext, making: Making): McpRequestContext {
  const read = <T>(value: T): T => {
    // If no caller is known, none can be mistaken for another.
    if (value === undefined) return value;
    making.hasRead = true;
    if (making.isMade) lateReaders.add(making.factory);
    if (!making.isLent) return value;
    throw new MidcallError(
      'server/setup',
      'A handler read the request that its server was made for, while calls of others go on there as tasks. Read what ' +
        'handlers need in the factory itself, before it returns, or use call.principal.',
    );
  };
  return {
    era: context.era,
    get authInfo() {
      return read(context.authInfo)!;
    },
    get requestInfo() {
      return read(context.requestInfo)!;
    },
  };
}
