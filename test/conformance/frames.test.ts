/** What the frames of a test run are judged by. */
import { expect, it } from 'vitest';
import { type Frame, judgeFrames, redacted, setAside } from '../../tools/frames-judge.ts';
import { schemas } from '../../tools/frames-schemas.ts';

const validate = schemas(() => undefined);
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const client = (frame: object): Frame => ({ test: 'a', connection: '1', over: 'memory', from: 'client', frame });
const server = (frame: object): Frame => ({ ...client(frame), from: 'server' });
const message = (frame: object) => ({ jsonrpc: '2.0', ...frame });
const modern = (method: string, params: object = {}, id = 1) =>
  client(message({ id, method, params: { ...params, _meta: envelope } }));
const call = modern('tools/call', { name: 'act' });
const initialize = client(
  message({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  }),
);
const older = client(message({ id: 1, method: 'tools/call', params: { name: 'act' } }));
const wanting = client(message({ id: 1, method: 'tools/call', params: { name: 'act', task: {} } }));
const at = '2025-11-25T10:30:00Z';
const begun = { taskId: 't', status: 'working', createdAt: at, lastUpdatedAt: at, ttl: 1 };
const result = (value: object, id = 1) => server(message({ id, result: value }));
const form = { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } };
const ask = { method: 'elicitation/create', params: form };
const answered = { content: [{ type: 'text', text: 'done' }] };
const problems = (...frames: Frame[]) => judgeFrames(frames, validate).flatMap(each => each.problems);

it.each<[string, Frame[]]>([
  ['a call and its result of 2025-11-25', [older, result(answered)]],
  ['a task of 2025-11-25, where one is asked for', [wanting, result({ task: begun })]],
  ['the result of a call that asked for a task, from a server without tasks', [wanting, result(answered)]],
  ['a session of 2025-11-25 in which the server asks', [initialize, older, server(message({ id: 1, ...ask }))]],
  [
    'a page of 2025-11-25',
    [
      initialize,
      server(
        message({
          id: 1,
          method: 'elicitation/create',
          params: { mode: 'url', message: 'a', url: 'https://a.example/', elicitationId: '1' },
        }),
      ),
    ],
  ],
  ['a call and its result of 2026-07-28', [call, result({ ...answered, resultType: 'complete' })]],
  ['a round of 2026-07-28', [call, result({ resultType: 'input_required', inputRequests: { a: ask } })]],
  ['a round without questions', [call, result({ resultType: 'input_required', requestState: 'a' })]],
  [
    'a page of 2026-07-28',
    [
      call,
      result({
        resultType: 'input_required',
        inputRequests: {
          a: { method: 'elicitation/create', params: { mode: 'url', message: 'a', url: 'https://a.example/' } },
        },
      }),
    ],
  ],
  [
    'a reply of a model that uses tools',
    [
      server(message({ id: 1, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })),
      client(
        message({
          id: 1,
          result: { role: 'assistant', model: 'a', content: [{ type: 'tool_use', id: '1', name: 'a', input: {} }] },
        }),
      ),
    ],
  ],
  ['an error with a null for its id', [server(message({ id: null, error: { code: -32700, message: 'No JSON.' } }))]],
  ['an error without an id', [server(message({ error: { code: -32700, message: 'No JSON.' } }))]],
  ['a method no schema knows', [client(message({ id: 1, method: 'example/own' }))]],
])('%s is as it should be', (_, frames) => {
  expect(problems(...frames)).toEqual([]);
});

it.each<[string, Frame[], string]>([
  [
    'a call without a name',
    [client(message({ id: 1, method: 'tools/call', params: {} }))],
    'CallToolRequest/params/name',
  ],
  ['a task of 2025-11-25 without its parts', [wanting, result({ task: { taskId: 't' } })], 'CreateTaskResult'],
  ['a result without its parts', [modern('tools/list'), result({ resultType: 'complete' })], 'ListToolsResult/tools'],
  ['a frame without a version', [client({ id: 1, method: 'ping' })], 'JSONRPCRequest/jsonrpc'],
  ['no JSON-RPC at all', [{ ...call, frame: undefined, text: 'hello' }], 'no JSON-RPC'],
  ['an error with an id that is none', [server(message({ id: {}, error: { code: 1, message: 'a' } }))], '/id'],
  [
    'mrtr-57, mrtr-01: a request by a server of 2026-07-28',
    [call, server(message({ id: 7, ...ask }))],
    'a server sends no requests',
  ],
  [
    'mrtr-57: a response by a client of 2026-07-28',
    [call, client(message({ id: 7, result: {} }))],
    'a client sends no responses',
  ],
  [
    'mrtr-03: a request of 2026-07-28 without capabilities',
    [
      client(
        message({
          id: 1,
          method: 'tools/list',
          params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
        }),
      ),
    ],
    'clientCapabilities',
  ],
  [
    'mrtr-03: a later request without an envelope',
    [call, client(message({ id: 2, method: 'tools/list' }))],
    'protocolVersion',
  ],
  ['mrtr-51: a result of 2026-07-28 without a type', [call, result(answered)], 'resultType is undefined'],
  [
    'mrtr-15: input asked for by another request',
    [modern('tools/list'), result({ resultType: 'input_required', requestState: 'a' })],
    'tools/list may not need input',
  ],
  ['mrtr-34: a round of nothing', [call, result({ resultType: 'input_required' })], 'inputRequests or requestState'],
  [
    'mrtr-10: a state that is no text',
    [call, result({ resultType: 'input_required', requestState: 7 })],
    'requestState must be a string',
  ],
  [
    'mrtr-06: questions in a list',
    [call, result({ resultType: 'input_required', inputRequests: [ask] })],
    'must be an object',
  ],
  [
    'mrtr-23: a question of another method',
    [call, result({ resultType: 'input_required', inputRequests: { a: { method: 'tools/list' } } })],
    'no input request',
  ],
  [
    'mrtr-06: a question with an id',
    [call, result({ resultType: 'input_required', inputRequests: { a: { id: 1, ...ask } } })],
    'no bare request',
  ],
  [
    'a question without words',
    [call, result({ resultType: 'input_required', inputRequests: { a: { ...ask, params: {} } } })],
    'ElicitRequest/params',
  ],
])('%s is wrong', (_, frames, problem) => {
  expect(problems(...frames).join('\n')).toContain(problem);
});

it('a frame is judged by the revision it was said in, whatever else the connection carries', () => {
  const both = [older, { ...call, frame: { ...(call.frame as object), id: 2 } }];
  expect(problems(...both, result(answered, 1), result({ ...answered, resultType: 'complete' }, 2))).toEqual([]);
  expect(problems(...both, result(answered, 2))).toHaveLength(1);
});

it('only what is allowed is set aside, and what allows nothing is told', () => {
  const wrong = judgeFrames(
    [result({}), { ...call, frame: undefined }, { ...call, test: 'b', frame: undefined }],
    validate,
  );
  const why = 'on purpose';
  const allowed = [{ test: 'a', from: 'client', why } as const, { test: 'a', from: 'server', why } as const];
  const { left, stale } = setAside(wrong, allowed);
  expect(left.map(({ record }) => record.test)).toEqual(['b']);
  expect(stale).toEqual([allowed[1]]);
});

it('a frame is shown without what somebody wrote in it', () => {
  const shown = JSON.stringify(redacted({ method: 'tools/call', params: { arguments: { key: 'sk-live-1' } } }));
  expect(shown).toContain('tools/call');
  expect(shown).not.toContain('sk-live');
});

it("a schema of the revision's own is asked too", () => {
  const method = (name: string) => [`${name}Request`, { properties: { method: { const: name } } }] as const;
  const $defs = {
    ...Object.fromEntries(Array.from({ length: 15 }, (_, at) => method(`m${at}`))),
    JSONRPCRequest: { required: ['strict'] },
  };
  const own = schemas(() => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', $defs }));
  expect(own('2025-11-25', 'JSONRPCRequest', message({ id: 1, method: 'ping' })).join()).toContain("'strict'");
});
