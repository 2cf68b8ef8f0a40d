/** Multi round-trip requests (2026-07-28, basic/patterns/mrtr), the client's side: what a host sends, whatever a server says. */

import { attach, type Era, Inbox, type Question, type Reply } from '@midcall/host';
import { negotiation } from '@midcall/testing';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { grown } from '../../fixtures/grown.ts';
import { person } from '../person.ts';

type Json = Readonly<Record<string, unknown>>;
interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: Json & { readonly _meta?: Json; readonly arguments?: Json; readonly inputResponses?: Json };
}

const about = {
  capabilities: { tools: {}, prompts: {}, resources: {} },
  serverInfo: { name: 'script', version: '1.0.0' },
};
const greetings: Readonly<Record<string, object>> = {
  'server/discover': {
    supportedVersions: ['2026-07-28'],
    ...about,
    ttlMs: 0,
    cacheScope: 'private',
    resultType: 'complete',
  },
  initialize: { protocolVersion: '2025-11-25', ...about },
};
const ask = (message = 'Sure?') => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { value: { type: 'boolean' } } } },
});
const round = (rest: object) => ({ resultType: 'input_required', ...rest });
const done = (text = 'done') => ({ resultType: 'complete', content: [{ type: 'text', text }] });
const yes: Reply = { action: 'accept', content: { value: true } };
const accepted = { action: 'accept', content: { value: true } };

/** A host connected to a server that gives `results`, one after the other or as a function says. */
async function host(
  results: readonly object[] | ((request: Request) => object | Promise<object>),
  answer: (question: Question) => Reply | undefined = () => yes,
  era: Era = '2026-07-28',
) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const sent: Request[] = [];
  let given = 0;
  const next = (request: Request) => (typeof results === 'function' ? results(request) : results[given++]!);
  far.onmessage = async message => {
    const request = message as unknown as Request;
    if (request.id === undefined) return;
    sent.push(request);
    const result = greetings[request.method] ?? (await next(request));
    await far.send({ jsonrpc: '2.0', id: request.id, result } as never);
  };
  await far.start();
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: negotiation(era) });
  const inbox = new Inbox();
  const me = person(answer);
  const attachment = attach(client, { server: { id: 'script', origin: 'node script' }, inbox });
  inbox.present(me);
  await client.connect(near);
  onTestFinished(() => client.close());
  const call = async (args: Json = {}) => {
    const result = await client.callTool({ name: 'act', arguments: args });
    return (result.content as { text: string }[])[0]!.text;
  };
  const cancel = (id: string) => attachment.cancel(id);
  return { client, call, cancel, sent, me, inbox, calls: () => sent.filter(({ method }) => method === 'tools/call') };
}

const without = (params: Json, ...keys: string[]) =>
  Object.fromEntries(Object.entries(params).filter(([key]) => !keys.includes(key)));

it('mrtr-03, mrtr-07, mrtr-19, mrtr-41, mrtr-44, mrtr-59: a retry is the request again with its envelope, the answers under their keys, the state, and another id', async () => {
  const questions = { a: ask('A?'), 'the second': ask('B?') };
  const { call, calls, sent } = await host([round({ inputRequests: questions, requestState: 's' }), done()]);
  expect(await call({ title: 'x', nested: { list: [1, null] } })).toBe('done');
  const [first, retry] = calls() as [Request, Request];
  expect(retry.id).not.toBe(first.id);
  // A token for progress belongs to one request.
  const repeated = ({ params }: Request) => ({
    ...without(params, 'inputResponses', 'requestState'),
    _meta: without(params._meta!, 'progressToken'),
  });
  expect(repeated(retry)).toEqual(repeated(first));
  expect(retry.params['requestState']).toBe('s');
  expect(retry.params.inputResponses).toEqual({ a: accepted, 'the second': accepted });
  for (const { params } of sent) {
    expect(params._meta).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    });
  }
});

it('mrtr-10, mrtr-11, mrtr-25, mrtr-41, mrtr-42: a state is sent back as it came, whatever it looks like', {
  tags: 'thorough',
}, async () => {
  let state = '';
  const { call, calls } = await host(({ params }) =>
    'requestState' in params ? done() : round({ inputRequests: { q: ask() }, requestState: state }),
  );
  const strange = [
    '',
    ' ',
    '\n',
    'null',
    '{"a":1}',
    '"',
    '%%%',
    'e30=',
    'm1.',
    '\u0000',
    '\ud800',
    '𝔘nicode',
    'x'.repeat(200_000),
  ];
  const any = fc.oneof(fc.constantFrom(...strange), fc.string({ unit: 'binary' }), fc.json());
  const property = fc.asyncProperty(any, async given => {
    state = given;
    await call();
    expect(calls().at(-1)!.params['requestState']).toBe(given);
  });
  await fc.assert(property, { numRuns: 60, examples: strange.map(each => [each]) });
});

it('mrtr-43, mrtr-24: a state that did not come is not sent, nor an older one', async () => {
  const { call, calls } = await host([
    round({ inputRequests: { q: ask('A?') }, requestState: 'old' }),
    round({ inputRequests: { q: ask('B?') } }),
    done(),
  ]);
  await call();
  expect(calls().map(({ params }) => 'requestState' in params)).toEqual([false, true, false]);
});

it('mrtr-09, mrtr-40: a result with a state alone is tried again without a question', async () => {
  const { call, calls, me } = await host([round({ requestState: 'wait' }), done()]);
  expect(await call()).toBe('done');
  expect(me.seen).toEqual([]);
  expect(calls().at(-1)!.params).toMatchObject({ requestState: 'wait' });
});

it('mrtr-40: a server that never stops is given up', async () => {
  const { call, calls } = await host(() => round({ requestState: 'wait' }));
  await expect(call()).rejects.toThrow();
  expect(calls().length).toBeGreaterThan(1);
  expect(calls().length).toBeLessThan(100);
});

it('mrtr-39: nothing is sent before every answer is there', async () => {
  const { call, calls, inbox, me } = await host(
    [round({ inputRequests: { a: ask('A?'), b: ask('B?') }, requestState: 's' }), done()],
    () => undefined,
  );
  const result = call();
  while (me.seen.length < 1) await new Promise(resolve => setImmediate(resolve));
  const answer = async (count: number) => {
    while (me.seen.length < count) await new Promise(resolve => setImmediate(resolve));
    expect(calls()).toHaveLength(1);
    await inbox.reply(me.seen[count - 1]!.id, yes, 'script');
  };
  await answer(1);
  await answer(2);
  expect(await result).toBe('done');
  expect(calls()).toHaveLength(2);
});

it.each([[['one', 'two']], [['two', 'one']]])(
  'mrtr-45: of two calls at once, each has its own questions, answers and state, answered in the order %j',
  async order => {
    const asked: Question[] = [];
    const release: (() => void)[] = [];
    const { call, calls, inbox } = await host(
      async ({ params }) => {
        const name = params.arguments!['name'] as string;
        if ('inputResponses' in params) return done(name);
        // Both rounds are open together, under the same key.
        await new Promise<void>(resolve => {
          release.push(resolve);
          if (release.length === 2) for (const each of release) each();
        });
        return round({ inputRequests: { q: ask(name) }, requestState: `state of ${name}` });
      },
      question => void asked.push(question),
    );
    const outcomes = { one: call({ name: 'one' }), two: call({ name: 'two' }) };
    await grown(asked, all => all.length === 2);
    for (const name of order as ('one' | 'two')[]) {
      const question = inbox.list().find(each => each.kind === 'form' && each.message === name)!;
      // The person is told of the call that asks, and of nobody else's.
      expect(question.call).toMatchObject({ name: 'act', arguments: { name } });
      await inbox.reply(question.id, name === 'one' ? yes : { action: 'decline' }, 'script');
      expect(await outcomes[name]).toBe(name);
    }
    const seen = calls()
      .filter(({ params }) => 'inputResponses' in params)
      .map(({ params }) => [params.arguments!['name'], params['requestState'], params.inputResponses]);
    const expected: Record<string, unknown> = {
      one: ['one', 'state of one', { q: accepted }],
      two: ['two', 'state of two', { q: { action: 'decline' } }],
    };
    expect(seen).toEqual(order.map(name => expected[name]));
  },
);

it('mrtr-45: a call that is cancelled takes back its own questions alone', async () => {
  const asked: Question[] = [];
  const { call, cancel, inbox, calls } = await host(
    ({ params }) =>
      'inputResponses' in params
        ? done()
        : round({ inputRequests: { q: ask(params.arguments!['name'] as string) }, requestState: 's' }),
    question => void asked.push(question),
  );
  const one = call({ name: 'one' }).catch(() => 'cancelled');
  const two = call({ name: 'two' });
  await grown(asked, all => all.length === 2);
  const of = (name: string) => inbox.list().find(each => each.kind === 'form' && each.message === name)!;
  cancel(of('one').call!.id);
  expect(await one).toBe('cancelled');
  expect(inbox.list()).toEqual([of('two')]);
  await inbox.reply(of('two').id, yes, 'script');
  expect(await two).toBe('done');
  expect(calls()).toHaveLength(3);
});

it.each([
  ['tools/list', (client: Client) => client.listTools()],
  ['resources/list', (client: Client) => client.listResources()],
  ['prompts/list', (client: Client) => client.listPrompts()],
])('mrtr-16: input asked for by %s is an error, and nobody is asked', async (_, list) => {
  const { client, me, sent } = await host(() => round({ inputRequests: { q: ask() }, requestState: 's' }));
  await expect(list(client)).rejects.toThrow();
  expect(me.seen).toEqual([]);
  expect(sent.filter(({ params }) => 'requestState' in params)).toEqual([]);
});

it('mrtr-52: a result without a type, which an older server gives, is a result', async () => {
  const { call } = await host([{ content: [{ type: 'text', text: 'done' }] }], undefined, '2025-11-25');
  expect(await call()).toBe('done');
});

it('mrtr-53: a result of a type nobody knows is an error', async () => {
  const { call, me } = await host([{ ...done(), resultType: 'foo', inputRequests: { q: ask() } }]);
  await expect(call()).rejects.toThrow();
  expect(me.seen).toEqual([]);
});
