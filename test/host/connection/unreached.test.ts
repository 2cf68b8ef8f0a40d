/** Why a server could not be started or reached, nor one of its lists read, in words to act on. */
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { listProblem, readCatalogue } from '../../../packages/host/src/connection/catalogue.ts';
import { LastWords, unreached } from '../../../packages/host/src/connection/unreached.ts';

const command = { kind: 'command', command: 'notes-server', args: [] } as const;
const url = { kind: 'url', url: 'http://127.0.0.1:3000/mcp' } as const;
const failure = (message: string, members: object = {}, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), members);
/** The SDK's error of a response that failed, with an error of JSON-RPC in its body. */
const refusal = (message: string, status: number, code = -32000): Error => {
  const text = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  return failure(`Error POSTing to endpoint: ${text}`, { status, data: { status, text } });
};
const probe = (cause: Error): Error =>
  failure(
    'Version negotiation probe failed: fetch failed',
    { code: 'ERA_NEGOTIATION_FAILED' },
    failure('fetch failed', {}, cause),
  );

describe('why a command did not start', () => {
  it.each([
    ['no such program', failure('spawn notes-server ENOENT', { code: 'ENOENT', syscall: 'spawn notes-server' })],
    ['may not be run', failure('spawn notes-server EACCES', { code: 'EACCES', syscall: 'spawn notes-server' })],
    ['ended at once', failure('Connection closed', { code: 'CONNECTION_CLOSED' })],
    ['stayed silent', failure('Request timed out', { code: 'REQUEST_TIMEOUT' })],
  ])('a command that did not start is explained without words of code: %s', (_, error) => {
    const why = unreached(error, command);
    expect(why).not.toMatch(/spawn|ENOENT|EACCES|Connection|Request|code/);
    expect(why).toMatch(/^(?:there is no program|'notes-server' may not|it ended|it did not)/);
  });

  it('the folder a command should start in is named only where one was given', () => {
    const error = failure('spawn notes-server ENOENT', { code: 'ENOENT', syscall: 'spawn notes-server' });
    expect(unreached(error, command)).toBe("there is no program 'notes-server' on this machine.");
    expect(unreached(error, { ...command, cwd: '/srv/notes' })).toContain('no folder /srv/notes');
  });
});

describe('why an address was not reached', () => {
  it.each([
    ['ECONNREFUSED', 'nothing listens at this address. Is the server running?'],
    ['ENOTFOUND', 'no computer with this name was found.'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak https. Try http.'],
  ])('the explanation of %s lies below what the SDK says', (code, why) => {
    expect(unreached(probe(failure('connect', { code })), url)).toBe(why);
  });

  it.each([
    [401, 'requires a token'],
    [404, 'no MCP endpoint at this address (HTTP 404)'],
    [405, 'no MCP endpoint at this address (HTTP 405)'],
    [429, 'Try again later.'],
    [500, 'it failed to answer (HTTP 500). Its log may say why.'],
    [503, 'it failed to answer (HTTP 503)'],
  ])('HTTP %d is explained in words to act on', (status, why) => {
    expect(unreached(failure('Error POSTing to endpoint: no', { status }), url)).toContain(why);
  });

  it.each([
    [400, 'it refused the request (HTTP 400). It says “Bad Host⟦U+202E⟧”.'],
    [403, 'it requires a token that it accepts (HTTP 403). Send one in a header. It says “Bad Host⟦U+202E⟧”.'],
  ])('an error of JSON-RPC that comes with HTTP %d is said in its own words', (status, why) => {
    expect(unreached(refusal('Bad Host\u202e', status), url)).toBe(why);
  });

  it('a web page is no MCP server', () => {
    const page = failure('Unexpected content type: text/html', { code: 'CLIENT_HTTP_UNEXPECTED_CONTENT' });
    expect(unreached(probe(page), url)).toBe('what answers at this address is not an MCP server.');
  });

  it.each([
    ['ZodError', '[{"code":"invalid_union"}]'],
    ['SyntaxError', 'Unexpected token'],
  ])('an address that sends other JSON, or none, is no MCP server: %s', (name, message) => {
    expect(unreached(probe(failure(message, { name })), url)).toBe(
      'what answers at this address is not an MCP server.',
    );
  });

  it('the explanation says where an address redirects to, made visible', () => {
    const message =
      "Error POSTing: Redirect to https://x.example/\u202em not followed; use that (redirectPolicy: 'same')";
    expect(unreached(failure(message, { status: 302 }), url)).toBe(
      'it redirects to https://x.example/⟦U+202E⟧m. If you trust that address, use it instead.',
    );
  });

  it('the explanation says which part of an answer is wrong', () => {
    const message = 'Invalid result for initialize: [{"path":["serverInfo"],"message":"expected object"}]';
    for (const target of [url, command])
      expect(unreached(failure(message, { code: 'INVALID_RESULT' }), target)).toBe(
        'its answer is not what the protocol requires: serverInfo: expected object.',
      );
  });

  it('the explanation has the innermost words of what is not known, made visible and capped', () => {
    const why = unreached(probe(failure(`odd\u202e${'x'.repeat(2_000)}`)), url);
    expect(why).toMatch(/^odd⟦U\+202E⟧x+… \(/);
  });
});

it('one list that fails is lost and no other, and the problem says which and why', async () => {
  const fails = (code: number | string) => () => Promise.reject(Object.assign(new Error('no \u202Elist'), { code }));
  const client = (lists: object) =>
    ({
      getServerCapabilities: () => ({ tools: {}, prompts: {}, resources: {} }),
      listTools: async () => ({ tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }),
      listPrompts: fails(-32601),
      listResources: fails('REQUEST_TIMEOUT'),
      listResourceTemplates: fails(-32601),
      ...lists,
    }) as unknown as Client;
  const read = await readCatalogue(client({}), listProblem);
  expect(read.tools.map(({ name }) => name)).toEqual(['pay']);
  expect([read.prompts, read.resources, read.resourceTemplates]).toEqual([[], [], []]);
  expect(read.problems).toEqual([
    { list: 'prompts', why: 'the server declares prompts but does not implement the list.' },
    { list: 'resources', why: 'the server did not answer in time.' },
  ]);
  const { tools, problems } = await readCatalogue(client({ listTools: fails(-32603) }), listProblem);
  expect(tools).toEqual([]);
  expect(problems[0]).toEqual({ list: 'tools', why: 'the server answered “no ⟦U+202E⟧list”.' });
  const refused = (code: number) => () => Promise.reject(refusal('no \u202Elist', 400, code));
  const { problems: overHttp } = await readCatalogue(
    client({ listTools: refused(-32000), listResources: refused(-32601) }),
    listProblem,
  );
  expect(overHttp.map(({ why }) => why)).toEqual([
    'the server answered “no ⟦U+202E⟧list (HTTP 400)”.',
    'the server declares prompts but does not implement the list.',
    'the server declares resources but does not implement the list.',
  ]);
});

it('the limit that a message was larger than is said ahead of everything else that is known', () => {
  const words = new LastWords({ id: 'big', target: { kind: 'command', command: 'node', args: [] } });
  words.heard('Error: something else');
  words.tooMuch(10_485_760);
  const limit =
    'The server sent a message of more than 10,485,760 bytes, the most that is read, so the connection was closed.';
  expect(words.appendTo('The server has stopped.')).toBe(limit);
  const call = { id: 'c', kind: 'tool', name: 't', arguments: {} } as const;
  const ended = {
    type: 'call-ended',
    call,
    endedAt: 1,
    outcome: { how: 'server-gone', message: 'It stopped.' },
  } as const;
  expect(words.addTo(ended as never)).toMatchObject({ outcome: { how: 'server-gone', message: limit } });
});
