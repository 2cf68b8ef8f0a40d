/** A handler's result, which may be a plain string. */
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server';

/** A string as the result of a tool. */
export const toolResult = (result: CallToolResult | string): CallToolResult =>
  typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : result;

/** A string as a prompt of one user message. */
export const promptResult = (result: GetPromptResult | string): GetPromptResult =>
  typeof result === 'string' ? { messages: [{ role: 'user', content: { type: 'text', text: result } }] } : result;

/** A string as the contents of the resource that was read. */
export const resourceResult = (
  result: ReadResourceResult | string,
  uri: URL,
  mimeType: string | undefined,
): ReadResourceResult =>
  typeof result === 'string'
    ? { contents: [{ uri: uri.href, text: result, ...(mimeType !== undefined && { mimeType }) }] }
    : result;
