/**
 * Servers as factories make them for requests, and which of them may run the calls of others: a task goes on without its
 * request, at a server that was made for another one. A factory that looks at its request may put what it finds there into its
 * handlers, so what it makes is for that caller only.
 *
 * - lending-1 A server runs calls of others only where nothing was read of the request that it was made for, nor is from then on.
 */
import { MidcallError } from '@midcall/core/errors';
import type {
  McpRequestContext,
  McpServer,
  McpServerFactory,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { KeptWith } from '../kept-with.ts';

interface Making {
  readonly factory: McpServerFactory;
  isMade: boolean;
  /** True if the factory read who makes the request, or what it says. */
  hasRead: boolean;
  /** True once it may have run a call of somebody else. */
  isLent: boolean;
}

const makings = new KeptWith<McpServer | Server, Making>();
/** Factories whose handlers have been seen to read later. */
const lateReaders = new WeakSet<McpServerFactory>();
let underWay = 0;

/** Makes a server for a request, and watches what its factory reads of that. */
export async function makeServer(factory: McpServerFactory, context: McpRequestContext): Promise<McpServer | Server> {
  const making: Making = { factory, isMade: false, hasRead: false, isLent: false };
  underWay += 1;
  try {
    const server = await factory(watched(context, making));
    making.isMade = true;
    // A factory may give the same server again: what it read for one request stays in it.
    making.hasRead ||= makings.get(server)?.hasRead === true;
    making.isLent ||= makings.get(server)?.isLent === true;
    makings.set(server, making);
    return server;
  } finally {
    underWay -= 1;
  }
}

/** True for a server that may have been made from what its request says. */
export function isPersonal(server: McpServer, ctx: ServerContext): boolean {
  const making = makings.get(server);
  // Whoever makes it elsewhere is not seen to read; where there is no HTTP there is one caller.
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
    // Where nobody is known, there is nobody to be mistaken for.
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
