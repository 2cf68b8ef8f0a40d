/** Agents of three frameworks with scripted models, in processes of their own: a person at the terminal, and a restart in the middle. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemorySaver } from '@langchain/langgraph';
import {
  type AgentTool,
  agentTools,
  Connection,
  commandTarget,
  type Era,
  Inbox,
  type Presenter,
  type Question,
  storeFile,
} from '@midcall/host';
import { setTracingDisabled } from '@openai/agents-core';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runAiSdk } from '../../examples/agents/ai-sdk.ts';
import { conversationFile } from '../../examples/agents/conversation-file.ts';
import { runGraph, toolGraph } from '../../examples/agents/langgraph.ts';
import { runOpenAiAgent } from '../../examples/agents/openai-agents.ts';
import { scriptedAiSdkModel, scriptedGraphModel, scriptedOpenAiModel } from '../../examples/agents/scripted.ts';
import { few } from '../fixtures/soak.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const load = join(root, 'tools/load-typescript.mjs');
const frameworks = ['ai-sdk', 'langgraph', 'openai-agents'] as const;
const key = randomBytes(32).toString('base64');

setTracingDisabled(true);

let folder: string;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'midcall-agents-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  await rm(folder, { recursive: true });
});

/** An agent in a process; `until` resolves when its terminal shows a text. */
function agent(framework: string) {
  const words = ['agents', framework, '--data', folder];
  const child = spawn(process.execPath, ['--import', load, join(root, 'examples/main.ts'), ...words], {
    cwd: root,
    env: { ...process.env, MIDCALL_KEY: key, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  started.push(child);
  const text = { stdout: '', stderr: '' };
  const looking = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', part => {
      text[name] += part;
      for (const look of looking) look();
    });
  const closed = once(child, 'close');
  closed.then(() => looking.forEach(look => void look()));
  return {
    write: (lines: string) => child.stdin.write(lines),
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    until: (what: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (text.stderr.includes(what)) resolve();
          else if (child.exitCode !== null)
            reject(new Error(`It ended without '${what}':\n${text.stdout}\n${text.stderr}`));
        };
        looking.add(look);
        look();
      }),
    async said() {
      await closed;
      return text.stdout.trim() || text.stderr;
    },
  };
}

const ask = 'A table for four, please.';
const decliner: Presenter = { via: 'test', show: (_, { reply }) => void reply({ action: 'decline' }) };
const declined = async (questions: readonly Question[]) =>
  Object.fromEntries(questions.map(({ id }) => [id, { action: 'decline' }] as const));

const agents: Record<string, (tools: readonly AgentTool[], inbox: Inbox) => Promise<string>> = {
  'ai-sdk': tools => runAiSdk(scriptedAiSdkModel(), tools, ask, conversationFile(join(folder, 'messages.json'))),
  'openai-agents': tools =>
    runOpenAiAgent(scriptedOpenAiModel(), tools, ask, conversationFile(join(folder, 'state.json'))),
  langgraph: (tools, inbox) => runGraph(toolGraph(scriptedGraphModel, tools, inbox, new MemorySaver()), ask, declined),
};

async function openHost(era: Era) {
  const inbox = new Inbox();
  const target = commandTarget([process.execPath, join(root, 'examples/start/server.mjs')]);
  const connection = new Connection(
    { id: 'tables', target },
    { client: { name: 'agent', version: '1.0.0' }, inbox, era, store: storeFile(join(folder, 'calls.json')) },
  );
  await connection.start();
  onTestFinished(() => connection.stop());
  return { inbox, tools: await agentTools(connection) };
}

const secondTime = '1\n2\n1\n'; // answer, 19:30, send

describe.each(frameworks)('%s', framework => {
  it.each(framework === 'langgraph' ? [framework] : few([framework]))(
    'an agent on 2026-07-28 takes the same call up after it was killed while the person thought',
    async () => {
      const first = agent(framework);
      await first.until('What do you want to do?');
      await first.kill();
      const second = agent(framework);
      await second.until('What do you want to do?');
      second.write(secondTime);
      expect(await second.said()).toBe('The restaurant says: Booked for 4 at 19:30.');
      const { entries } = JSON.parse(await readFile(join(folder, 'calls.json'), 'utf8'));
      expect(entries.map(([name]: [string]) => name)).toEqual([expect.stringMatching(/^host:agent-call:/)]);
    },
  );

  it('an agent on 2025-11-25 lets the person decline', async () => {
    const { tools, inbox } = await openHost('2025-11-25');
    const run = agents[framework]!;
    if (framework !== 'langgraph') inbox.present(decliner);
    expect(await run(tools, inbox)).toBe('The restaurant says: Nothing was booked (declined).');
  });
});

it.each([
  ['mastra', '@mastra/core@1.71 @mastra/libsql@1'],
  ['claude-agent', '@anthropic-ai/claude-agent-sdk@0.3.330'],
])('an agent with %s, which is not installed here, says what to install', async (framework, packages) => {
  const args = ['--import', load, join(root, 'examples/main.ts'), 'agents', framework];
  const { status, stderr } = spawnSync(process.execPath, [...args, '--data', folder], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, MIDCALL_KEY: key },
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining(`Run: npm install --no-save ${packages}\n`)]);
});
