/** An agent of Mastra whose tools may ask the person, and which may be restarted while they think. */

// #region run
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import type { AgentTool } from '@midcall/host';
import type { LanguageModel } from 'ai';

const mastraTool = ({ name, description, inputSchema, call }: AgentTool) =>
  createTool({
    id: name,
    description,
    inputSchema,
    execute: async (args, { agent, abortSignal }) =>
      (await call(args, { id: agent!.toolCallId, signal: abortSignal })).text,
  });

export async function runMastra(model: LanguageModel, tools: readonly AgentTool[], ask: string, url: string) {
  const named = Object.fromEntries(tools.map(each => [each.name, mastraTool(each)]));
  const agent = new Agent({ id: 'booker', name: 'booker', instructions: 'Book a table.', model, tools: named });
  new Mastra({ agents: { booker: agent }, storage: new LibSQLStore({ id: 'runs', url }), logger: false });
  const [left] = (await agent.listSuspendedRuns()).runs; // by an earlier process
  let waiting = left && { runId: left.runId, toolCallId: left.toolCalls[0]?.toolCallId };
  for (;;) {
    const result = waiting
      ? await agent.approveToolCallGenerate(waiting)
      : await agent.generate(ask, { requireToolApproval: true }); // so that the run is saved before the call is made
    if (result.finishReason !== 'suspended') return result.text;
    waiting = { runId: result.runId!, toolCallId: result.suspendPayload.toolCallId };
  }
}
// #endregion
