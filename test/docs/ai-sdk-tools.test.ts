/** Runs what docs/agents.md shows of tools that the AI SDK executes itself. */
import type { AgentTool } from '@midcall/host';
import { expect, it } from 'vitest';
import { aiTools } from '../../examples/agents/ai-sdk-tools.ts';

it('docs/agents.md: a tool of the AI SDK makes the call under the id and the signal that it gets, and returns the text', async () => {
  const calls: unknown[] = [];
  const book = {
    name: 'table_book',
    description: 'Books a table.',
    inputSchema: { type: 'object' },
    async call(args: unknown, { id, signal }: { id: string; signal: AbortSignal }) {
      calls.push([args, id, signal.aborted]);
      return { text: 'Booked.', isError: false };
    },
  } as unknown as AgentTool;
  const { table_book } = aiTools([book]);
  const options = { toolCallId: 'call_1', messages: [], abortSignal: AbortSignal.abort() };
  expect(await table_book!.execute!({ guests: 2 } as never, options)).toBe('Booked.');
  expect(calls).toEqual([[{ guests: 2 }, 'call_1', true]]);
});
