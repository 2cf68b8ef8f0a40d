/** The code of docs/roots.md and docs/sampling.md in a handler: a file read inside the boundary, and a model asked about it. */

import { type MidcallOptions, midcall, textOf } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { searchNotes } from './sampling-tool.ts';

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

export function librarian(directory: string, find: (words: string) => Promise<string[]>, options: MidcallOptions = {}) {
  // #region options
  const mid = midcall({
    roots: { ceiling: [directory], askWhereDeprecated: true }, // ask 2026-07-28 clients, too
    sampling: { askWhereDeprecated: true },
    ...options,
  });
  // #endregion
  const search = searchNotes({ find });

  return () => {
    const server = new McpServer({ name: 'librarian', version: '1.0.0' });
    const inputSchema = z.object({ path: z.string() });

    // #region files
    mid.tool(server, 'note_read', { inputSchema, annotations: { readOnlyHint: true } }, async ({ path }, call) => {
      const files = await call.files();
      return text(await files.readText(path));
    });
    // #endregion

    mid.tool(
      server,
      'note_summarize',
      { inputSchema, annotations: { readOnlyHint: true } },
      // #region sample
      async ({ path }, call) => {
        const note = await (await call.files()).readText(path);
        const messages = [{ role: 'user', content: { type: 'text', text: `Summarize:\n\n${note}` } }] as const;
        return text(textOf(await call.sample({ messages, maxTokens: 300 })));
      },
      // #endregion
    );

    mid.tool(
      server,
      'notes_ask',
      { inputSchema: z.object({ question: z.string() }), annotations: { readOnlyHint: true } },
      // #region with-tools
      async ({ question }, call) => {
        const messages = [{ role: 'user', content: { type: 'text', text: question } }] as const;
        const { result } = await call.sampleWithTools({ messages, maxTokens: 500, tools: [search], maxIterations: 5 });
        return text(textOf(result));
      },
      // #endregion
    );
    return server;
  };
}
