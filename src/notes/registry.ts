/** What every group of tools is registered with. */
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Midcall } from '../server/index.ts';

/** The library, the server of this connection, and the clock. */
export interface Registry {
  readonly mid: Midcall;
  readonly server: McpServer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How a path may be given. */
export const pathArgument = z.string().min(1).max(4096);

/** How a title may be given. */
export const titleArgument = z.string().min(1).max(500);
