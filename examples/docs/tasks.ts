/** The code of docs/tasks.md: a call that takes longer than a request should. */
// #region store
import { type Midcall, midcall } from '@midcall/server';
import { sqliteStore } from '@midcall/server/stores/sqlite';
// #endregion
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface Warehouse {
  count(shelf: string): Promise<number>;
  correct(shelf: string, pieces: number): Promise<void>;
}

/** @param mid - shared by all servers of the process */
export function stockServer(mid: Midcall, warehouse: Warehouse): McpServer {
  const server = new McpServer({ name: 'stock', version: '1.0.0' });
  // #region tool
  const count = { inputSchema: z.object({ shelf: z.string() }), task: 'always' } as const;
  mid.tool(server, 'count_shelf', count, async ({ shelf }, call) => {
    const pieces = await call.step('count', () => warehouse.count(shelf), { idempotent: true });
    const answer = await call.elicit({
      message: `Shelf ${shelf} holds ${pieces} pieces. Correct the books?`,
      form: Boolean,
      timeoutMs: 3 * 24 * 60 * 60_000,
    });
    if (answer.action !== 'accept' || !answer.content) return said('Nothing was changed.');
    await call.step('correct', () => warehouse.correct(shelf, pieces));
    return said(`The books now say ${pieces}.`);
  });
  // #endregion
  return server;
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

// #region store
/** Tasks that outlive this process: kept in a file, sealed with `MIDCALL_KEY`. */
export const lasting = async (path: string): Promise<Midcall> => midcall({ store: await sqliteStore(path) });
// #endregion
