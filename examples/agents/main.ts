/** Runs one of the agents with a scripted model: `npm run --silent example -- agents <framework> --data DIR`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { needed } from '@midcall/core/errors';
import type { Era, Question, Reply } from '@midcall/host';
import { Inbox } from '@midcall/host';
import { conversationFile } from './conversation-file.ts';
import { closeHost, openHost } from './host.ts';

const ask = 'A table for four tonight, please.';

export async function runAgent(framework: string | undefined, folder: string, era: 'auto' | Era): Promise<void> {
  const agent = framework === undefined ? undefined : agents[framework];
  if (!agent) throw new Error(`The framework must be one of ${Object.keys(agents).join(', ')}.`);
  await mkdir(folder, { recursive: true });
  const host = await openHost(folder, era);
  try {
    process.stdout.write(`${await agent(host, folder)}\n`);
  } finally {
    await closeHost(host);
  }
}

type Host = Awaited<ReturnType<typeof openHost>>;

const agents: Readonly<Record<string, (host: Host, folder: string) => Promise<string>>> = {
  async 'ai-sdk'({ tools, inbox, terminal }, folder) {
    const [{ runAiSdk }, { scriptedAiSdkModel }] = await Promise.all([import('./ai-sdk.ts'), import('./scripted.ts')]);
    inbox.present(terminal);
    return runAiSdk(scriptedAiSdkModel(), tools, ask, conversationFile(join(folder, 'messages.json')));
  },
  async 'openai-agents'({ tools, inbox, terminal }, folder) {
    const [{ runOpenAiAgent }, { scriptedOpenAiModel }, { setTracingDisabled }] = await Promise.all([
      import('./openai-agents.ts'),
      import('./scripted.ts'),
      import('@openai/agents-core'),
    ]);
    setTracingDisabled(true); // it would write to standard output
    inbox.present(terminal);
    return runOpenAiAgent(scriptedOpenAiModel(), tools, ask, conversationFile(join(folder, 'run-state.json')));
  },
  async langgraph({ tools, inbox, terminal }, folder) {
    const [{ runGraph, toolGraph }, { scriptedGraphModel }, { CheckpointFile }] = await Promise.all([
      import('./langgraph.ts'),
      import('./scripted.ts'),
      import('./checkpoint-file.ts'),
    ]);
    const checkpoints = await CheckpointFile.open(join(folder, 'checkpoints.json'));
    const graph = toolGraph(scriptedGraphModel, tools, inbox, checkpoints);
    return runGraph(graph, ask, questions => answeredAt(terminal, questions));
  },
  async mastra({ tools, inbox, terminal }, folder) {
    const packages = ['@mastra/core@1.71', '@mastra/libsql@1'];
    const [{ runMastra }, { scriptedAiSdkModel }] = await Promise.all([
      needed('The agent of Mastra', '@mastra/core', () => import('./mastra.ts'), ['--no-save', ...packages]),
      import('./scripted.ts'),
    ]);
    inbox.present(terminal);
    return runMastra(scriptedAiSdkModel(), tools, ask, `file:${join(folder, 'runs.db')}`);
  },
  async 'claude-agent'({ tools, inbox, terminal }, folder) {
    const [{ runClaudeAgent }, { openMessagesApi }] = await Promise.all([
      needed('The agent', '@anthropic-ai/claude-agent-sdk', () => import('./claude-agent.ts'), [
        '--no-save',
        '@anthropic-ai/claude-agent-sdk@0.3.330',
      ]),
      import('./scripted-messages-api.ts'),
    ]);
    inbox.present(terminal);
    const api = await openMessagesApi();
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      CLAUDE_CONFIG_DIR: join(folder, 'claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'any', // nobody checks it
    };
    const options = {
      env,
      cwd: folder,
      model: 'claude-sonnet-4-5',
      tools: [],
      settingSources: [],
      strictMcpConfig: true,
    };
    const file = conversationFile(join(folder, 'session.json'));
    return runClaudeAgent(tools, ask, file, options).finally(api.close);
  },
};

// #region answered
/** Puts questions that came out of a graph to the person; any process may do that. */
async function answeredAt(terminal: Host['terminal'], questions: readonly Question[]): Promise<Record<string, Reply>> {
  const view = new Inbox();
  view.present(terminal);
  const replies: Record<string, Reply> = {};
  for (const question of questions) {
    const ending = await view.ask(question);
    const { content } = ending.how === 'answered' ? ending : {};
    if (ending.how === 'answered') replies[question.id] = { action: 'accept', ...(content && { content }) };
    else replies[question.id] = { action: ending.how === 'declined' ? 'decline' : 'dismiss' };
  }
  return replies;
}
// #endregion
