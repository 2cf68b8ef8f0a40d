/** An agent of the Claude Agent SDK whose tools may ask the person, and which may be restarted while they think. */

// #region run
import { isDeepStrictEqual } from 'node:util';
import { type Options, query } from '@anthropic-ai/claude-agent-sdk';
import type { AgentTool } from '@midcall/host';
import { Server } from '@modelcontextprotocol/server';
import type { ConversationFile } from './conversation-file.ts';

interface Kept {
  session?: string;
  readonly calls: { readonly id: string; readonly name: string; readonly args: unknown }[];
}
const again = 'The program was restarted. Make the interrupted tool call again, with the same arguments: it goes on.';

export async function runClaudeAgent(tools: readonly AgentTool[], ask: string, file: ConversationFile, given: Options) {
  const kept: Kept = JSON.parse((await file.read()) ?? 'null') ?? { calls: [] };
  const left = [...kept.calls]; // by an earlier process
  let saved: Promise<void> = Promise.resolve();

  const server = new Server({ name: 'tables', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema as never,
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args, _meta } }, { mcpReq }) => {
    const index = left.findIndex(each => each.name === name && isDeepStrictEqual(each.args, args));
    const call = left.splice(index, index < 0 ? 0 : 1)[0] ?? {
      id: String(_meta?.['claudecode/toolUseId']),
      name,
      args,
    };
    if (index < 0) kept.calls.push(call);
    saved = saved.then(() => file.write(JSON.stringify(kept)));
    await saved; // before the call is made, so that it can be taken up under its id
    const reply = await tools.find(each => each.name === name)?.call(args, { id: call.id, signal: mcpReq.signal });
    return { content: [{ type: 'text', text: reply?.text ?? 'No such tool.' }], isError: reply?.isError ?? true };
  });

  const options: Options = {
    ...given,
    ...(kept.session && { resume: kept.session }),
    mcpServers: { tables: { type: 'sdk', name: 'tables', instance: server as never } }, // its type is that of MCP SDK v1
    allowedTools: tools.map(({ name }) => `mcp__tables__${name}`), // this decides nothing: the server asks the person
  };
  for await (const message of query({ prompt: left.length > 0 ? again : ask, options })) {
    kept.session = message.session_id;
    if (message.type !== 'result') continue;
    await file.write(JSON.stringify({ session: kept.session, calls: [] }));
    return message.subtype === 'success' ? message.result : message.subtype;
  }
  throw new Error('The agent ended without a result.');
}
// #endregion
