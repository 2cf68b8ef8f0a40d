/** A handler's result, which may be a text alone. */
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server';

/** A text as the result of a tool. */
export const toolResult = (given: CallToolResult | string): CallToolResult =>
  typeof given === 'string' ? { content: [{ type: 'text', text: given }] } : given;

/** A text as a prompt of one message, which the person says. */
export const promptResult = (given: GetPromptResult | string): GetPromptResult =>
  typeof given === 'string' ? { messages: [{ role: 'user', content: { type: 'text', text: given } }] } : given;

/** A text as the contents of the resource that was read. */
export const resourceResult = (
  given: ReadResourceResult | string,
  uri: URL,
  mimeType: string | undefined,
): ReadResourceResult =>
  typeof given === 'string'
    ? { contents: [{ uri: uri.href, text: given, ...(mimeType !== undefined && { mimeType }) }] }
    : given;
