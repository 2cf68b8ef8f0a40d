/** The README's server: one tool that asks which note is meant. */
// #region tool

import { midcall, whyNot } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const mid = midcall(); // once per process

export function notesServer(notes: Notes) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });

  mid.tool(
    server,
    'notes_delete',
    { inputSchema: z.object({ title: z.string() }), annotations: { destructiveHint: true } },
    async ({ title }, call) => {
      const matches = await call.step('find', () => notes.find(title));
      if (matches.length === 0) return text(`No note called '${title}'.`);

      const answer = await call.elicit({
        message: `Delete '${title}'? Pick the note that goes.`,
        form: {
          type: 'object',
          properties: {
            note: {
              type: 'string',
              title: 'Note',
              oneOf: matches.map(each => ({ const: each.id, title: each.label })),
            },
          },
          required: ['note'],
        },
      });
      if (answer.action !== 'accept') return text(`Nothing was deleted: ${whyNot(answer)}`);

      const id = answer.content.note;
      await call.step('delete', () => notes.delete(id));
      return text(`Deleted ${id}.`);
    },
  );
  return server;
}
// #endregion

export interface Notes {
  find(title: string): { id: string; label: string }[];
  delete(id: string): void;
}

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
