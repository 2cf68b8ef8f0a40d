/**
 * Tasks where the factory puts something of the request into its handlers, such as who makes it: they go on without that request,
 * and never at a server that was made for somebody else.
 */
import { systemClock } from '@midcall/core/time';
import { type Call, type Jobs, type MidcallOptions, midcall, type ToolConfig } from '@midcall/server';
import { type HttpOptions, mcpEndpoint } from '@midcall/server/http';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';

const key = 'Q4my7M9A3k4WHgm3Eda14YpkHU/PjpxaxnmgXVj0WGA=';
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const authenticate = async (request: Request) => {
  const token = request.headers.get('authorization') ?? '';
  return { token, clientId: 'app', scopes: [] };
};
const principal: MidcallOptions['principal'] = ({ http }) => ({
  issuer: 'https://login.example',
  subject: String(http?.authInfo?.token),
});

type Mode = NonNullable<ToolConfig<undefined>['task']>;
type Said = (context: Parameters<McpServerFactory>[0]) => () => string | undefined;

/** Whom a server was made for, read as most factories would. */
const readAtOnce: Said =
  ({ authInfo }) =>
  () =>
    authInfo?.token;

/** A process: its tool says, after a question, whom the server was made for that runs it, and who called. */
function process(
  options: MidcallOptions & { readonly task?: Mode; readonly said?: Said; readonly http?: HttpOptions },
) {
  const { task = 'always', said = readAtOnce, http = { authenticate }, ...rest } = options;
  const mid = midcall({ key, suspectBelowMs: 0, warn: () => {}, ...rest });
  const endpoint = mcpEndpoint(context => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    const madeFor = said(context);
    mid.tool(server, 'act', { task }, async (_, call: Call) => {
      const { action } = await call.elicit({ message: 'Sure?', form: Boolean, timeoutMs: 60_000 });
      return `${action}: ${call.principal?.subject} at a server for ${madeFor()}`;
    });
    return server;
  }, http);
  let closed: Promise<unknown> | undefined;
  const close = () => {
    closed ??= endpoint.stop({ within: 0 }).then(() => mid.stop());
    return closed;
  };
  open.push(close);
  return { endpoint, close };
}

type Endpoint = ReturnType<typeof process>['endpoint'];
// biome-ignore lint/suspicious/noExplicitAny: whatever is answered
type Answered = any;
const yes = { action: 'accept', content: { value: true } };

async function post(endpoint: Endpoint, token: string, message: object, headers: Record<string, string>) {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const accept = 'application/json, text/event-stream';
  const all = { 'content-type': 'application/json', accept, authorization: token, ...headers };
  return endpoint.fetch(new Request('http://localhost/mcp', { method: 'POST', headers: all, body }));
}

/** What a response says in the end; questions on its way are accepted. */
async function lastOf(response: Response, answer: (id: unknown) => Promise<unknown>): Promise<Answered> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.json();
  let text = '';
  let last: Answered;
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop()!;
    for (const line of lines.filter(each => each.startsWith('data: {'))) {
      last = JSON.parse(line.slice('data: '.length));
      if (last.method === 'elicitation/create') await answer(last.id);
    }
  }
  return last;
}

/** Somebody on 2026-07-28, who has tasks. */
function person(endpoint: Endpoint, token: string) {
  let id = 0;
  const send = async (method: string, params: Record<string, unknown> = {}): Promise<Answered> => {
    id += 1;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: {},
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    const named = String(params['name'] ?? params['taskId'] ?? '');
    const message = { id, method, params: { ...params, _meta } };
    const response = await post(endpoint, token, message, { ...headers, ...(named && { 'mcp-name': named }) });
    return lastOf(response, async () => {});
  };
  const until = async (taskId: string, status: string): Promise<Answered> => {
    let task: Answered;
    await eventually(async () => {
      task = (await send('tasks/get', { taskId })).result;
      return task.status === status || task.status === 'failed';
    });
    return task;
  };
  const begin = async (): Promise<string> => (await send('tools/call', { name: 'act', arguments: {} })).result.taskId;
  const answer = async (taskId: string): Promise<string> => {
    const { inputRequests } = await until(taskId, 'input_required');
    await send('tasks/update', { taskId, inputResponses: { [Object.keys(inputRequests)[0]!]: yes } });
    return (await until(taskId, 'completed')).result.content[0].text;
  };
  return { send, until, begin, answer };
}

/** A session of 2025-11-25. */
async function session(endpoint: Endpoint, token: string) {
  const version = '2025-11-25';
  const clientInfo = { name: 'test', version: '1.0.0' };
  const params = { protocolVersion: version, capabilities: { elicitation: {} }, clientInfo };
  const opened = await post(endpoint, token, { id: 'open', method: 'initialize', params }, {});
  const headers = { 'mcp-protocol-version': version, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await opened.text();
  await post(endpoint, token, { method: 'notifications/initialized' }, headers);
  let id = 0;
  const send = async (method: string, params: Record<string, unknown> = {}): Promise<Answered> => {
    id += 1;
    const response = await post(endpoint, token, { id, method, params }, headers);
    return lastOf(response, question => post(endpoint, token, { id: question, result: yes }, headers));
  };
  const begin = async (): Promise<string> =>
    (await send('tools/call', { name: 'act', arguments: {}, task: {} })).result.task.taskId;
  const result = async (taskId: string): Promise<string> =>
    (await send('tasks/result', { taskId })).result.content[0].text;
  return { send, begin, result };
}

describe('a task whose server was made from what its request says', () => {
  it('a personal task goes on at servers for its own caller only, on 2026-07-28', async () => {
    const { endpoint } = process({ principal });
    await person(endpoint, 'mallory').send('tools/list');
    const [alice, bob] = [person(endpoint, 'alice'), person(endpoint, 'bob')];
    const [ofAlice, ofBob] = [await alice.begin(), await bob.begin()];
    expect(await bob.answer(ofBob)).toBe('accept: bob at a server for bob');
    expect(await alice.answer(ofAlice)).toBe('accept: alice at a server for alice');
  });

  it('a personal task goes on at servers for its own caller only, on 2025-11-25', async () => {
    const { endpoint } = process({ principal });
    await session(endpoint, 'mallory');
    const [alice, bob] = [await session(endpoint, 'alice'), await session(endpoint, 'bob')];
    const [ofAlice, ofBob] = [await alice.begin(), await bob.begin()];
    expect(await bob.result(ofBob)).toBe('accept: bob at a server for bob');
    expect(await alice.result(ofAlice)).toBe('accept: alice at a server for alice');
  });

  it('a personal task waits for its caller after a restart, however many others come before, and past its deadline', async () => {
    const store = memoryStore();
    let time = 1_800_000_000_000;
    const clock = { ...systemClock, now: () => time };
    const before = process({ principal, store, clock });
    const first = person(before.endpoint, 'alice');
    const [answered, forgotten] = [await first.begin(), await first.begin()];
    await first.until(answered, 'input_required');
    await first.until(forgotten, 'input_required');
    await before.close();

    const { endpoint } = process({ principal, store, clock });
    const bob = person(endpoint, 'bob');
    expect(await bob.answer(await bob.begin())).toBe('accept: bob at a server for bob');
    const alice = person(endpoint, 'alice');
    expect(await alice.answer(answered)).toBe('accept: alice at a server for alice');
    time += 60_001;
    const { result } = await alice.until(forgotten, 'completed');
    expect(result.content[0].text).toBe('cancel: alice at a server for alice');
  });

  it('a personal task goes on where its caller is, though its jobs come to another replica', async () => {
    const store = memoryStore();
    const runs: ((name: string, attempt: number) => Promise<void>)[] = [];
    const jobsOf = (at: number): Jobs => ({
      add: async name => void runs.at(at === 0 ? 1 : 0)!(name, 1).catch(() => {}),
      remove: async () => {},
      start: run => {
        runs[at] = run;
      },
      close: async () => {},
    });
    const [one, other] = [0, 1].map(at => process({ principal, store, jobs: jobsOf(at) }));
    await person(other!.endpoint, 'bob').send('tools/list');
    const alice = person(one!.endpoint, 'alice');
    expect(await alice.answer(await alice.begin())).toBe('accept: alice at a server for alice');
  });

  it('a personal task fails, and tells nothing, where a handler looks at the request only when it runs', async () => {
    const { endpoint } = process({ principal, said: context => () => context.authInfo?.token });
    await person(endpoint, 'mallory').send('tools/list');
    const text = await person(endpoint, 'alice').answer(await person(endpoint, 'alice').begin());
    expect(text).not.toContain('mallory');
    expect(text).toContain('Read what handlers need in the factory itself');
  });

  it('no task is made where nobody knows who calls: the call is served without it, or refused with what to do', async () => {
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    const { endpoint } = process({ warn });
    const { result } = await person(endpoint, 'alice').send('tools/call', { name: 'act', arguments: {} });
    expect(result.resultType).toBe('input_required');
    expect(warnings.filter(text => text.includes('calls do not become tasks here'))).toHaveLength(1);
    const strict = process({ warn: () => {}, task: 'required' });
    const refused = await person(strict.endpoint, 'alice').send('tools/call', { name: 'act', arguments: {} });
    expect(refused.error.message).toContain('Give midcall() the option principal');
  });

  it('a personal task goes on in the session of a caller whom nobody knows, on 2025-11-25', async () => {
    const { endpoint } = process({
      said:
        ({ requestInfo }) =>
        () =>
          requestInfo?.headers.get('authorization') ?? '',
    });
    const [alice, bob] = [await session(endpoint, 'alice'), await session(endpoint, 'bob')];
    const [ofAlice, ofBob] = [await alice.begin(), await bob.begin()];
    expect(await bob.result(ofBob)).toContain('at a server for bob');
    expect(await alice.result(ofAlice)).toContain('at a server for alice');
  });
});

describe('a task whose factory reads nothing of its request', () => {
  it('a task whose factory reads nothing of its request goes on after a restart whoever comes first', async () => {
    const store = memoryStore();
    let time = 1_800_000_000_000;
    const clock = { ...systemClock, now: () => time };
    const said: Said = () => () => 'anybody';
    const before = process({ principal, store, clock, said });
    const alice = person(before.endpoint, 'alice');
    const taskId = await alice.begin();
    await alice.until(taskId, 'input_required');
    await before.close();
    time += 60_001;
    const { endpoint } = process({ principal, store, clock, said });
    await person(endpoint, 'bob').send('tools/list');
    const { result } = await person(endpoint, 'alice').until(taskId, 'completed');
    expect(result.content[0].text).toBe('cancel: alice at a server for anybody');
  });
});
