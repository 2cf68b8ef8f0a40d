/** The tools of a server for the AI SDK, where no call has to survive a restart. */
import type { AgentTool } from '@midcall/host';
// #region tools
import { jsonSchema, tool } from 'ai';

const aiTool = ({ description, inputSchema, call }: AgentTool) =>
  tool({
    description,
    inputSchema: jsonSchema(inputSchema),
    execute: async (args, { toolCallId, abortSignal }) =>
      (await call(args as Record<string, unknown>, { id: toolCallId, signal: abortSignal })).text,
  });

export const aiTools = (tools: readonly AgentTool[]) =>
  Object.fromEntries(tools.map(each => [each.name, aiTool(each)]));
// #endregion
