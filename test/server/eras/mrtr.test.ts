/** Multi round-trip requests (2026-07-28, basic/patterns/mrtr), the server's side, as a client sees it on the wire. */

import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { serveHttp } from '@midcall/server/node';
import { memoryStore } from '@midcall/server/stores/memory';
import { type Carrier, connectPair, scriptedPerson } from '@midcall/testing';
import { inputRequired, McpServer, type McpServerFactory, ResourceTemplate } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { type RawClient, type Reply, rawClient, textOf } from '../raw-client.ts';

const key = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const yes = { action: 'accept', content: { value: true } };
const hello = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 } as const;
const sampled = { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm', stopReason: 'endTurn' };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

type Handler = (call: Call) => Promise<string>;

const sure: Handler = async call => {
  const answer = await call.elicit({ message: 'Sure?', form: Boolean });
  return answer.action === 'accept' ? `accept ${answer.content}` : answer.action;
};

/** A server whose tool, prompt and resource run the handler. */
function serverOf(handler: Handler, options: MidcallOptions = {}): McpServerFactory {
  const askWhereDeprecated = { askWhereDeprecated: true } as const;
  const mid = midcall({
    key,
    suspectBelowMs: 0,
    warn: () => {},
    roots: askWhereDeprecated,
    sampling: askWhereDeprecated,
    ...options,
  });
  return () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => ({ content: [{ type: 'text', text: await handler(call) }] }));
    mid.prompt(server, 'act', {}, async (_, call) => ({
      messages: [{ role: 'user', content: { type: 'text', text: await handler(call) } }],
    }));
    mid.resource(server, 'act', 'act://one', {}, async (uri, call) => ({
      contents: [{ uri: uri.href, text: await handler(call) }],
    }));
    return server;
  };
}

async function client(factory: McpServerFactory, carrier: Carrier = 'memory'): Promise<RawClient> {
  const made = await rawClient(factory, carrier);
  open.push(made);
  return made;
}

const keysOf = (reply: Reply) => Object.keys(reply.result?.inputRequests ?? {});
const answering = (reply: Reply, answers: object) => ({
  requestState: reply.result!.requestState,
  inputResponses: answers,
});

/** One of each kind of question, at once. */
const everything: Handler = async call => {
  const [roots, answer, reply] = await Promise.all([
    call.roots(),
    call.elicit({ message: 'Sure?', form: Boolean }),
    call.sample(hello),
  ]);
  return `${roots?.length} ${answer.action} ${reply.model}`;
};
const all = { elicitation: {}, roots: {}, sampling: {} };

describe.each(['memory', 'http'] as const)('over %s', carrier => {
  it('mrtr-01, mrtr-04, mrtr-51, mrtr-57: rounds alone carry questions, no side sends what is the other’s, and every result says its type', async () => {
    const person = scriptedPerson([yes, sampled], { roots: () => [{ uri: 'file:///one' }] });
    const pair = await connectPair(serverOf(everything), { era: '2026-07-28', carrier, person, capabilities: all });
    open.push(pair);
    const result = await pair.client.callTool({ name: 'act' });
    expect(result).toMatchObject({ content: [{ text: '1 accept m' }] });
    await pair.client.listTools();
    await pair.client.listPrompts();
    await pair.client.listResources();
    const said = (from: string) => pair.frames.filter(frame => frame.from === from).map(frame => frame.message);
    expect(said('server').filter(message => 'method' in message && 'id' in message)).toEqual([]);
    expect(said('client').filter(message => 'result' in message || 'error' in message)).toEqual([]);
    const results = said('server').flatMap(({ result: each }) => (each ? [each as { resultType?: string }] : []));
    expect(results.map(each => each.resultType).filter(type => type !== 'complete')).toEqual(['input_required']);
    const calls = pair.frames.filter(({ message }) => message['method'] === 'tools/call');
    const ids = calls.map(({ message }) => message['id']);
    const order = pair.frames.filter(({ message }) => ids.includes(message['id']));
    expect(order.map(({ from, message }) => [from, message['id']])).toEqual([
      ['client', ids[0]],
      ['server', ids[0]],
      ['client', ids[1]],
      ['server', ids[1]],
    ]);
  });

  it('mrtr-02: a request in the old style fails before anything is sent', async () => {
    let failed: unknown;
    const mid = midcall({ key, warn: () => {} });
    const factory = () => {
      const server = new McpServer({ name: 'notes', version: '1.0.0' });
      mid.wrap(server);
      server.registerTool('act', {}, async () => {
        failed = await server.server
          .elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } })
          .catch((error: unknown) => error);
        return { content: [] };
      });
      return server;
    };
    const pair = await connectPair(factory, { era: '2026-07-28', carrier });
    open.push(pair);
    await pair.client.callTool({ name: 'act' });
    expect(failed).toBeInstanceOf(Error);
    expect(pair.frames.filter(({ from, message }) => from === 'server' && 'method' in message)).toEqual([]);
  });

  it.each([
    ['mrtr-12, mrtr-08, mrtr-20: tools/call', 'tools/call', { name: 'act', arguments: {} }],
    ['mrtr-13, mrtr-08, mrtr-20: prompts/get', 'prompts/get', { name: 'act', arguments: {} }],
    ['mrtr-14, mrtr-08, mrtr-20: resources/read', 'resources/read', { uri: 'act://one' }],
  ])('%s is answered with input_required, and completes when it is tried again', async (_, method, params) => {
    const bare = await client(serverOf(sure), carrier);
    const first = await bare.send(method, params);
    expect(first.error).toBeUndefined();
    expect(first.result?.resultType).toBe('input_required');
    const last = await bare.send(method, { ...params, ...answering(first, { elicit: yes }) });
    expect(last.result?.resultType).toBe('complete');
    expect(JSON.stringify(last.result)).toContain('accept true');
  });

  it('mrtr-06, mrtr-10, mrtr-21, mrtr-23, mrtr-24, mrtr-34: questions are a map of bare requests of the three kinds, beside a state that is text', async () => {
    const bare = await client(serverOf(everything), carrier);
    const { result } = await bare.act({}, { capabilities: all });
    expect(Array.isArray(result?.inputRequests)).toBe(false);
    const requests = Object.values(result!.inputRequests!);
    expect(requests.map(({ method }) => method).sort()).toEqual([
      'elicitation/create',
      'roots/list',
      'sampling/createMessage',
    ]);
    for (const request of requests) expect(Object.keys(request).sort()).toEqual(['method', 'params']);
    expect(typeof result?.requestState).toBe('string');
  });

  it('mrtr-21: a result that needs no input has neither questions nor a state', async () => {
    const bare = await client(
      serverOf(async () => 'done'),
      carrier,
    );
    const { result } = await bare.act();
    expect(result).not.toHaveProperty('inputRequests');
    expect(result).not.toHaveProperty('requestState');
  });

  it('mrtr-22: keys are unique within a result, and no round takes up a key of an earlier one', async () => {
    const ask = (call: Call, message: string, named?: string) =>
      call.elicit({ message, form: Boolean, ...(named && { key: named }) });
    const bare = await client(
      serverOf(async call => {
        await Promise.all([ask(call, '1', 'k'), ask(call, '2', 'k'), ask(call, '3'), ask(call, '4')]);
        await Promise.all([ask(call, '5', 'k'), ask(call, '6')]);
        return 'done';
      }),
      carrier,
    );
    const answers = (reply: Reply) => Object.fromEntries(keysOf(reply).map(each => [each, yes]));
    const first = await bare.act();
    const second = await bare.act(answering(first, answers(first)));
    expect(keysOf(first)).toHaveLength(4);
    expect(keysOf(second)).toHaveLength(2);
    expect(new Set([...keysOf(first), ...keysOf(second)]).size).toBe(6);
    // A client that sends every answer it ever gave answers nothing twice by it.
    const stale = await bare.act(answering(second, answers(first)));
    expect(keysOf(stale)).toEqual(keysOf(second));
    expect(textOf(await bare.act(answering(stale, { ...answers(first), ...answers(second) })))).toBe('done');
  });

  it('mrtr-48, mrtr-49: entries nobody asked for are ignored, and what is missing is asked again', async () => {
    const two: Handler = async call => {
      const ask = (name: string) => call.elicit({ message: name, form: Boolean, key: name });
      return (await Promise.all([ask('a'), ask('b')])).map(({ action }) => action).join();
    };
    const bare = await client(serverOf(two), carrier);
    const first = await bare.act();
    const second = await bare.act(answering(first, { a: yes, other: yes }));
    expect(second.result?.resultType).toBe('input_required');
    expect(keysOf(second)).toEqual(['b']);
    expect(textOf(await bare.act(answering(second, { b: { action: 'decline' } })))).toBe('accept,decline');
  });

  it.each<[string, unknown]>([
    ['a list under the key', { elicit: [yes] }],
    ['the envelope of a response', { elicit: { jsonrpc: '2.0', id: 1, result: yes } }],
    ['the envelope of a result', { elicit: { result: yes } }],
    ['a text', { elicit: 'accept' }],
    ['a yes', { elicit: true }],
    ['nothing', { elicit: null }],
    ['an action that is none', { elicit: { action: 'perhaps' } }],
    ['an action of another case', { elicit: { action: 'Accept', content: { value: true } } }],
    ['a list of actions', { elicit: { action: ['accept'], content: { value: true } } }],
    ['content without an action', { elicit: { content: { value: true } } }],
  ])(
    'mrtr-46: %s in place of an answer is an error, to the handler and in the audit: no answer and no dismissal',
    async (_, inputResponses) => {
      const events: AuditEvent[] = [];
      const told: Handler = async call => {
        const answer = await call.elicit({ message: 'Sure?', form: Boolean });
        return answer.action === 'cancel' ? answer.reason : answer.action;
      };
      const bare = await client(serverOf(told, { audit: event => void events.push(event) }), carrier);
      const first = await bare.act();
      const reply = await bare.act({ requestState: first.result?.requestState, inputResponses });
      expect(textOf(reply)).toBe('error');
      const answered = events.flatMap(event => (event.kind === 'answered' ? [event] : []));
      expect(answered).toMatchObject([{ action: 'cancel', reason: 'error' }]);
    },
  );

  it.each<[string, unknown]>([
    ['a list', [yes]],
    ['an answer without a key', yes],
    ['answers in an envelope', { inputResponses: { elicit: yes } }],
    ['a text', 'elicit'],
    ['a number', 7],
  ])(
    'mrtr-46: %s in place of the answers is refused, or answers nothing: the question is asked again',
    async (_, inputResponses) => {
      const ran: string[] = [];
      const told: Handler = async call => {
        const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
        ran.push(action);
        return action;
      };
      const bare = await client(serverOf(told), carrier);
      const first = await bare.act();
      const reply = await bare.act({ requestState: first.result?.requestState, inputResponses });
      expect(ran).toEqual([]);
      if (reply.error) expect(reply.error.code).toBe(-32602);
      else expect(keysOf(reply)).toEqual(keysOf(first));
    },
  );

  it('mrtr-46: an answer that does not fit its form is asked again, with the reason', async () => {
    const bare = await client(serverOf(sure), carrier);
    const first = await bare.act();
    const bad = { elicit: { action: 'accept', content: { value: 'yes' } } };
    const again = await bare.act(answering(first, bad));
    expect(Object.values(again.result!.inputRequests!)).toMatchObject([
      { params: { message: expect.stringContaining('The last answer did not fit. ') } },
    ]);
  });

  it('mrtr-56: capabilities are those of each request, not those of an earlier one', async () => {
    const bare = await client(serverOf(sure), carrier);
    expect((await bare.act()).result?.resultType).toBe('input_required');
    expect(textOf(await bare.act({}, { capabilities: {} }))).toBe('cancel');
    expect((await bare.act()).result?.resultType).toBe('input_required');
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['nothing', {}, []],
    ['pages only', { elicitation: { url: {} } }, []],
    ['forms', { elicitation: {} }, ['elicitation/create']],
    ['roots', { roots: {} }, ['roots/list']],
    ['sampling', { sampling: {} }, ['sampling/createMessage']],
    ['roots and sampling', { roots: {}, sampling: {} }, ['roots/list', 'sampling/createMessage']],
  ])('mrtr-35, mrtr-36: a client that declares %s is asked for nothing else', async (_, capabilities, methods) => {
    const each: Handler = async call => {
      const outcomes = await Promise.allSettled([
        call.roots(),
        call.elicit({ message: 'Sure?', form: Boolean }),
        call.sample(hello),
      ]);
      return outcomes.map(({ status }) => status).join();
    };
    const bare = await client(serverOf(each), carrier);
    const { result } = await bare.act({}, { capabilities });
    const asked = Object.values(result?.inputRequests ?? {}).map(({ method }) => method);
    expect(asked.sort()).toEqual(methods);
    if (methods.length === 0) expect(result?.resultType).toBe('complete');
  });

  it('mrtr-38: a call may take several rounds', async () => {
    const three: Handler = async call => {
      const said: string[] = [];
      for (const message of ['1', '2', '3']) said.push((await call.elicit({ message, form: Boolean })).action);
      return said.join();
    };
    const person = scriptedPerson([yes, { action: 'decline' }, yes]);
    const pair = await connectPair(serverOf(three), { era: '2026-07-28', carrier, person });
    open.push(pair);
    expect(await pair.client.callTool({ name: 'act' })).toMatchObject({ content: [{ text: 'accept,decline,accept' }] });
    expect(pair.frames.filter(({ message }) => message['method'] === 'tools/call')).toHaveLength(4);
  });
});

it('mrtr-05, mrtr-18: a retry needs nothing but itself: another instance with the same key completes it', async () => {
  const [one, two] = [await client(serverOf(sure)), await client(serverOf(sure))];
  const first = await one.act();
  await open.shift()![Symbol.asyncDispose]();
  expect(textOf(await two.act(answering(first, { elicit: yes })))).toBe('accept true');
});

it('the operator is told where each server has a midcall() of its own, so that none can continue', async () => {
  const warned: string[] = [];
  const bare = await client(() => {
    const mid = midcall({ warn: message => warned.push(message) });
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => sure(call));
    return server;
  }, 'http');
  const first = await bare.act();
  const refused = await bare.act(answering(first, { elicit: yes }));
  expect(refused.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
  expect(warned.filter(each => each.includes('outside the function that makes servers'))).toHaveLength(1);
});

it('mrtr-15: no other request is answered with input_required, even where a handler tries', async () => {
  const mid = midcall({ key, warn: () => {} });
  const tries = () => inputRequired({ requestState: 'a' }) as never;
  const factory = () => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', {}, async () => ({ content: [] }));
    const template = new ResourceTemplate('act://{id}', { list: undefined, complete: { id: tries } });
    mid.resource(server, 'each', template, {}, async uri => ({ contents: [{ uri: uri.href, text: '' }] }));
    server.server.setRequestHandler('tools/list', tries);
    server.server.setRequestHandler('resources/list', tries);
    return server;
  };
  const bare = await client(factory);
  const argument = { name: 'id', value: '' };
  for (const [method, params] of [
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['server/discover', {}],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'act://{id}' }, argument }],
  ] as const) {
    const reply = await bare.send(method, params);
    expect(reply.result?.resultType, method).not.toBe('input_required');
    expect(reply.result?.requestState, method).toBeUndefined();
  }
});

it('mrtr-17: a request is over with its round: to cancel it afterwards changes nothing', async () => {
  const bare = await client(serverOf(sure));
  const cancelled = new AbortController();
  const first = await bare.act({}, { signal: cancelled.signal });
  cancelled.abort();
  expect(textOf(await bare.act(answering(first, { elicit: yes })))).toBe('accept true');
});

it('mrtr-37: a call nobody goes on with leaves no timer, no record and no effect behind', async () => {
  const timers = new Set<object>();
  const acted: string[] = [];
  const store = memoryStore();
  const kept: string[] = [];
  const options: MidcallOptions = {
    clock: {
      ...systemClock,
      after(ms, fn) {
        const timer = { fn, ms };
        // Whoever calls, the server looks once a minute for tasks that another process has left.
        if (ms !== 60_000) timers.add(timer);
        return () => void timers.delete(timer);
      },
    },
    store: {
      ...store,
      set(...args) {
        kept.push(args[0]);
        return store.set(...args);
      },
    },
  };
  const handler: Handler = async call => {
    const answer = await sure(call);
    await call.step('act', () => acted.push(answer));
    return answer;
  };
  const bare = await client(serverOf(handler, options));
  for (let n = 0; n < 5; n++) expect((await bare.act()).result?.resultType).toBe('input_required');
  expect({ timers: timers.size, kept, acted }).toEqual({ timers: 0, kept: [], acted: [] });
});

it('mrtr-33, mrtr-50: a state is used once, also across a restart: the same again is given the kept result, other inputs are refused', async () => {
  const acted: string[] = [];
  const store = memoryStore();
  const handler: Handler = async call => {
    const answer = await sure(call);
    await call.step('act', () => acted.push(answer));
    return answer;
  };
  const before = await client(serverOf(handler, { store }));
  const first = await before.act();
  const retry = answering(first, { elicit: yes });
  expect(textOf(await before.act(retry))).toBe('accept true');
  const after = await client(serverOf(handler, { store }));
  expect(textOf(await after.act(retry))).toBe('accept true');
  const refusal = { code: -32602, data: { reason: 'already_answered' } };
  expect((await after.act(answering(first, { elicit: { action: 'decline' } }))).error).toMatchObject(refusal);
  expect(acted).toEqual(['accept true']);
});

it('mrtr-34: a result that asks for nothing and has no state cannot be made', () => {
  expect(() => inputRequired({})).toThrow();
});

describe('what is wrong with a request itself, over HTTP:', () => {
  const meta = { [versionKey]: '2026-07-28', [capabilitiesKey]: {} };
  async function post(body: string, headers: object = { 'mcp-method': 'tools/call', 'mcp-name': 'act' }) {
    const needs: Handler = async call =>
      (await call.elicit({ message: 'Sure?', form: Boolean, required: true })).action;
    const serving = await serveHttp(serverOf(needs), { port: 0 });
    open.push({ [Symbol.asyncDispose]: () => serving.stop({ within: 0 }) });
    const response = await fetch(serving.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        ...headers,
      },
      body,
    });
    const text = await response.text();
    const event = text.split('\n').find(line => line.startsWith('data: {'));
    return { status: response.status, ...(JSON.parse(event?.slice('data: '.length) ?? text) as Reply) };
  }
  const request = (params: object, method = 'tools/call') => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

  it('mrtr-54: a capability that is needed and not declared is -32021, with what is required', async () => {
    expect(await post(request({ name: 'act', arguments: {}, _meta: meta }))).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    });
  });

  it.each([
    ['the version', versionKey],
    ['the capabilities', capabilitiesKey],
  ])('mrtr-55: %s left out of _meta is -32602', async (_, left) => {
    const _meta = Object.fromEntries(Object.entries(meta).filter(([name]) => name !== left));
    const reply = await post(request({ name: 'act', arguments: {}, _meta }));
    expect(reply).toMatchObject({ status: 400, error: { code: -32602 } });
  });

  it('mrtr-47: no JSON is -32700, bad parameters are -32602, an unknown method is -32601', async () => {
    expect((await post('{')).error?.code).toBe(-32700);
    expect((await post(request({ name: 7, _meta: meta }))).error?.code).toBe(-32602);
    const unknown = await post(request({ _meta: meta }, 'example/none'), { 'mcp-method': 'example/none' });
    expect(unknown.error?.code).toBe(-32601);
  });
});
