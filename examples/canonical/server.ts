/** The pattern every destructive tool can start from: ask where the client can, say what to do where it cannot. */

import { type MidcallOptions, midcall } from '@midcall/server';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { itemsIn } from './items.ts';

const question = 'Delete all items? This cannot be undone.';
const destructive = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };
const harmless = { readOnlyHint: true, openWorldHint: false };
const outcome = z.object({ outcome: z.string(), deleted: z.number().optional() });

export function canonicalServer(directory: string, options: MidcallOptions = {}) {
  const mid = midcall(options);
  const items = itemsIn(directory);
  return {
    factory() {
      const server = new McpServer({ name: 'example-canonical', title: 'Items', version: '1.0.0' });

      // #region delete-all
      mid.tool(
        server,
        'delete_all',
        {
          title: 'Delete all items',
          description: 'Delete all items after confirmation',
          inputSchema: z.strictObject({
            confirm: z.boolean().optional().describe("The user's answer, where this client cannot ask them"),
          }),
          outputSchema: outcome,
          annotations: destructive,
        },
        async ({ confirm }, call) => {
          if (call.can.form) {
            const answer = await call.elicit({
              message: question,
              form: {
                type: 'object',
                properties: { confirm: { type: 'boolean', title: 'Confirm deletion' } },
                required: ['confirm'],
              },
            });
            if (answer.action !== 'accept' || !answer.content.confirm) return cancelled();
          } else {
            if (confirm === undefined) {
              const ask = `Please ask the user: '${question}' Then call this tool again with their answer.`;
              return reply(`Confirmation required. ${ask}`, { outcome: 'confirmation-required' });
            }
            if (!confirm) return cancelled();
          }
          const deleted = await call.step('delete', () => items.clear(), { effect: true });
          return reply('Deleted.', { outcome: 'deleted', deleted });
        },
      );
      // #endregion

      // #region brief
      mid.tool(
        server,
        'delete_all_brief',
        {
          title: 'Delete all items, briefly',
          description: 'Delete all items after confirmation; the same in the fewest lines',
          outputSchema: outcome,
          annotations: destructive,
        },
        async (_args, call) => {
          const answer = await call.elicit({ message: question, form: Boolean });
          if (answer.action === 'accept' && answer.content) {
            const deleted = await call.step('delete', () => items.clear(), { effect: true });
            return reply('Deleted.', { outcome: 'deleted', deleted });
          }
          if (answer.action !== 'cancel' || answer.reason !== 'unavailable') return cancelled();
          const text = 'Confirmation required. Ask the user to confirm deletion, then retry.';
          return reply(text, { outcome: 'confirmation-required' });
        },
      );
      // #endregion

      // #region shorthands
      mid.tool(
        server,
        'shorthands',
        {
          title: 'Shorthands',
          description: 'Asks one question of each kind that can be written in a word, and gives back the answers',
          outputSchema: z.object({ outcome: z.string(), answers: z.record(z.string(), z.unknown()).optional() }),
          annotations: harmless,
        },
        async (_args, call) => {
          if (!call.can.form) return reply('This client shows no forms.', { outcome: 'unavailable' });
          const asked = {
            color: await call.elicit({ message: 'Pick a color', form: ['red', 'green', 'blue'] }),
            email: await call.elicit({ message: 'Enter email', form: String }),
            sure: await call.elicit({ message: 'Confirm?', form: Boolean }),
            contact: await call.elicit({ message: 'Contact details', form: { name: String, email: String } }),
          };
          const answers = Object.fromEntries(
            Object.entries(asked).flatMap(([name, answer]) =>
              answer.action === 'accept' ? [[name, answer.content]] : [],
            ),
          );
          return reply(JSON.stringify(answers), { outcome: 'asked', answers });
        },
      );
      // #endregion

      mid.tool(
        server,
        'list_items',
        {
          title: 'List items',
          description: 'Lists the items there are',
          outputSchema: z.object({ items: z.array(z.string()) }),
          annotations: harmless,
        },
        async () => {
          const all = await items.list();
          return reply(all.join('\n') || 'There are no items.', { items: all });
        },
      );
      return server;
    },
  };
}

const cancelled = () => reply('Cancelled.', { outcome: 'cancelled' });

function reply(text: string, data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: data };
}
