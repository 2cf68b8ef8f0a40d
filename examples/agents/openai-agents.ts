/** An agent of the OpenAI Agents SDK whose tools may ask the person, and which may be restarted while they think. */
import type { AgentTool } from '@midcall/host';
// #region tools
import { Agent, type Model, RunState, run, tool } from '@openai/agents-core';

const openAiTools = (tools: readonly AgentTool[]) =>
  tools.map(each =>
    tool({
      name: each.name,
      description: each.description,
      parameters: each.inputSchema as never, // any JSON Schema; the type spells one out
      strict: false,
      needsApproval: true, // so that the run's state is saved before the call is made
      execute: async (args, _, details) =>
        (await each.call(args, { id: details!.toolCall!.callId, signal: details?.signal })).text,
    }),
  );

// #endregion

import type { ConversationFile } from './conversation-file.ts';

// #region loop
export async function runOpenAiAgent(model: Model, tools: readonly AgentTool[], ask: string, file: ConversationFile) {
  const agent = new Agent({ name: 'booker', model, tools: openAiTools(tools) });
  const kept = await file.read();
  let input = kept === undefined ? ask : await RunState.fromString(agent, kept);
  for (;;) {
    const result = await run(agent, input);
    if (result.interruptions.length === 0) return result.finalOutput ?? '';
    for (const waiting of result.interruptions) result.state.approve(waiting);
    await file.write(result.state.toString());
    input = result.state;
  }
}
// #endregion
