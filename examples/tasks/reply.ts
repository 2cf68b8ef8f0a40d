/** A result as text for the model and as data. */
import type { CallToolResult } from '@modelcontextprotocol/server';

export function reply(data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(data, null, 2) }], structuredContent: data };
}
