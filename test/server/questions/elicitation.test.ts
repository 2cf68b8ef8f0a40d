/** What a server of ours asks, seen from the wire in both eras: when, in which words, of whom, and what it does with answers. */

import type { FormInput } from '@midcall/core/form';
import { type AuditEvent, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { confirm } from '@midcall/server/connect';
import { connectPair, type Era, eras, type Pair, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { fixture, told } from '../../connect/fixture.ts';

type Params = Readonly<Record<string, unknown>>;
interface Elicitation {
  readonly at: number;
  readonly id?: unknown;
  readonly params: Params;
}

/** Every elicitation that crossed, pushed, embedded or named in an error, with the frame it was in. */
function elicitations({ frames }: Pick<Pair, 'frames'>): Elicitation[] {
  return frames.flatMap(({ from, message }, at): Elicitation[] => {
    if (from !== 'server') return [];
    if (message['method'] === 'elicitation/create')
      return [{ at, id: message['id'], params: message['params'] as Params }];
    const { inputRequests = {} } = (message['result'] ?? {}) as { inputRequests?: Record<string, Params> };
    const { data = {} } = (message['error'] ?? {}) as { data?: { elicitations?: Params[] } };
    const embedded = Object.values(inputRequests).filter(each => each['method'] === 'elicitation/create');
    return [...embedded.map(each => each['params'] as Params), ...(data.elicitations ?? [])].map(params => ({
      at,
      params,
    }));
  });
}

const accept = (content?: Params): Scripted => ({ action: 'accept', ...(content && { content }) });
const yes = accept({ value: true });
const answerOf = async (asked: ReturnType<Call['elicit']>) => {
  const answer = await asked;
  return JSON.stringify(
    answer.action === 'accept' ? answer.content : [answer.action, 'reason' in answer && answer.reason],
  );
};

async function act(
  era: Era,
  handler: (call: Call) => Promise<string>,
  answers: readonly Scripted[] = [],
  options: { readonly capabilities?: object; readonly midcall?: MidcallOptions } = {},
) {
  const mid = midcall({ suspectBelowMs: 0, warn: () => {}, ...options.midcall });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => ({ content: [{ type: 'text', text: await handler(call) }] }));
    return server;
  };
  const capabilities = options.capabilities ?? { elicitation: { form: {}, url: {} } };
  await using pair = await connectPair(factory, { era, person: scriptedPerson(answers), capabilities });
  const result = await pair.client.callTool({ name: 'act' });
  const { text } = result.content[0] as { text: string };
  return { text, isError: result.isError === true, frames: pair.frames, asked: elicitations(pair) };
}

describe.each(eras)('%s', era => {
  it('elicit-03, elicit-14, elicit-15, elicit-25, elicit-form-05: the question is nested in the call, and what was submitted is what the result tells', async () => {
    const { text, frames, asked } = await act(
      era,
      call => answerOf(call.elicit({ message: 'Which?', form: ['a', 'b'] })),
      [accept({ value: 'b' })],
    );
    expect(text).toBe('"b"');
    expect(asked).toHaveLength(1);
    const calls = frames.flatMap(({ message }, at) => (message['method'] === 'tools/call' ? [{ at, message }] : []));
    const end = frames.findIndex(({ message }) => JSON.stringify(message['result'] ?? {}).includes('"text":"\\"b\\""'));
    const answer = frames.findIndex(
      ({ from, message }) => from === 'client' && JSON.stringify(message).includes('"value":"b"'),
    );
    expect(calls[0]!.at).toBeLessThan(asked[0]!.at);
    expect(asked[0]!.at).toBeLessThan(answer);
    expect(answer).toBeLessThan(end);
    const { message } = frames[asked[0]!.at]!;
    if (era === '2025-11-25') {
      expect(message).toMatchObject({ method: 'elicitation/create', id: expect.anything() });
      expect(frames[answer]!.message).toMatchObject({ id: message['id'], result: { action: 'accept' } });
      expect(frames[end]!.message['id']).toBe(calls[0]!.message['id']);
    } else {
      expect(message).toMatchObject({ id: calls[0]!.message['id'], result: { resultType: 'input_required' } });
      expect(calls[1]!.message['id']).not.toBe(calls[0]!.message['id']);
      expect(frames[end]!.message['id']).toBe(calls[1]!.message['id']);
      expect(frames.filter(each => each.from === 'server' && 'method' in each.message)).toEqual([]);
    }
  });

  it('elicit-16, elicit-17, elicit-18, elicit-19, elicit-form-06, elicit-form-07: a form has its words and its schema, and no other mode', async () => {
    const forms: FormInput[] = [String, ['a', 'b'], [['a', 'b']], { name: String, age: { type: 'integer' } }];
    const { asked } = await act(
      era,
      async call => {
        for (const [n, form] of forms.entries()) await call.elicit({ message: `Question ${n}?`, form });
        return '';
      },
      forms.map(() => ({ action: 'decline' })),
    );
    expect(asked.map(({ params }) => params['message'])).toEqual(forms.map((_, n) => `Question ${n}?`));
    for (const { params } of asked) {
      expect(
        Object.keys(params)
          .filter(key => key !== '_meta' && key !== 'mode')
          .toSorted(),
      ).toEqual(['message', 'requestedSchema']);
      expect([undefined, 'form']).toContain(params['mode']);
      expect(params['requestedSchema']).toMatchObject({ type: 'object', properties: expect.any(Object) });
    }
  });

  it.each(['', ' \n\t'])(
    'elicit-16, elicit-18: a question without words (%j) is an error of its author, and is not sent',
    async message => {
      const { text, isError, asked } = await act(era, call => answerOf(call.elicit({ message, form: Boolean })));
      expect([isError, text]).toEqual([true, expect.stringContaining('needs a message')]);
      expect(asked).toEqual([]);
      const made = await fixture({
        era,
        handler: async call => told(await call.elicitUrl({ message, page: confirm() })),
      });
      expect(await made.call()).toContain('needs a message');
      expect(elicitations(made.pair)).toEqual([]);
    },
  );

  it.each<[string, object, { form: boolean; url: boolean }]>([
    ['nothing', {}, { form: false, url: false }],
    ['an empty object', { elicitation: {} }, { form: true, url: false }],
    ['form', { elicitation: { form: {} } }, { form: true, url: false }],
    ['url', { elicitation: { url: {} } }, { form: false, url: true }],
    ['both', { elicitation: { form: {}, url: {} } }, { form: true, url: true }],
  ])(
    'elicit-10, elicit-11, elicit-13: a client that declares %s is asked in no other mode',
    async (_, capabilities, can) => {
      const answers: Scripted[] = [accept({ value: true }), { action: 'decline' }];
      const form = await act(era, call => answerOf(call.elicit({ message: 'Sure?', form: Boolean })), answers, {
        capabilities,
      });
      expect(form.asked.map(({ params }) => params['mode'] ?? 'form')).toEqual(can.form ? ['form'] : []);
      expect(form.text).toBe(can.form ? 'true' : '["cancel","unavailable"]');
      for (const asError of [false, true]) {
        const made = await fixture({
          era,
          capabilities,
          answers: [{ action: 'decline' }],
          handler: async call =>
            told(
              await call.elicitUrl({
                message: 'Sure?',
                page: confirm(),
                asError,
                channels: ['native'],
                assurance: 'in-band',
              }),
            ),
        });
        const outcome = await made.call().catch((error: { code: number }) => error.code);
        const named = asError && era === '2025-11-25' ? -32042 : 'decline native in-band';
        expect(outcome).toBe(can.url ? named : 'cancel unavailable native in-band');
        expect(elicitations(made.pair).map(({ params }) => params['mode'])).toEqual(can.url ? ['url'] : []);
      }
    },
  );

  it('elicit-13: a host is asked in no mode it lacks, also where a page may reach the person by other channels', async () => {
    for (const [capabilities, mode] of [
      [{ elicitation: { form: {} } }, 'form'],
      [{ elicitation: { url: {} } }, 'url'],
    ] as const) {
      const made = await fixture({
        era,
        capabilities,
        answers: [{ action: 'decline' }],
        handler: async call =>
          told(await call.elicitUrl({ message: 'Sure?', page: confirm(), asError: true, assurance: 'in-band' })),
      });
      await made.call().catch(() => {});
      expect(elicitations(made.pair).map(({ params }) => params['mode'] ?? 'form')).toEqual([mode]);
    }
  });

  it('elicit-26, elicit-27, elicit-39: no, closed and confirmed are three results, and after closing one may ask again', async () => {
    const done: string[] = [];
    const handler = async (call: Call) => {
      for (let attempt = 1; ; attempt += 1) {
        const answer = await call.elicit({ message: 'Delete it?', form: Boolean });
        if (answer.action === 'decline') return 'kept: you said no; rename it instead?';
        if (answer.action === 'cancel' && attempt === 1) continue;
        if (answer.action === 'cancel') return 'kept: ask again later';
        await call.step('delete', () => done.push('deleted'));
        return 'deleted';
      }
    };
    const no = await act(era, handler, [{ action: 'decline' }]);
    const closed = await act(era, handler, [{ action: 'cancel' }, { action: 'cancel' }]);
    expect([no.text, closed.text, done]).toEqual([
      'kept: you said no; rename it instead?',
      'kept: ask again later',
      [],
    ]);
    const later = await act(era, handler, [{ action: 'cancel' }, yes]);
    expect([later.text, later.asked.length, done]).toEqual(['deleted', 2, ['deleted']]);
  });

  it('elicit-form-24, elicit-form-25, elicit-form-30: an answer that does not fit is reported as such and nothing is done; what is optional may be missing', async () => {
    const done: unknown[] = [];
    const properties = {
      name: { type: 'string', enum: ['Ada', 'Bob'] },
      age: { type: 'integer', minimum: 0 },
    } as const;
    const handler = async (call: Call) => {
      const answer = await call.elicit({ message: 'Who?', form: { type: 'object', properties, required: ['name'] } });
      if (answer.action !== 'accept') return `${answer.action} ${'reason' in answer ? answer.reason : ''}`;
      await call.step('add', () => done.push(answer.content));
      return 'added';
    };
    for (const content of [
      { name: 'Eve' },
      { name: 7 },
      { name: 'Ada', age: 'seven' },
      { name: 'Ada', age: -1 },
      { age: 7 },
      undefined,
    ]) {
      const { text, asked } = await act(era, handler, Array(3).fill(accept(content)));
      expect([text, asked.length]).toEqual(['cancel invalid', 3]);
      expect(asked[1]!.params['message']).toContain('did not fit');
    }
    expect(done).toEqual([]);
    // What has one meaning is taken for it, without asking again; what was not asked for is named for the operator.
    const events: AuditEvent[] = [];
    const audited = { midcall: { audit: (event: AuditEvent) => void events.push(event) } };
    for (const [content, meant] of [
      [{ name: 'Ada' }, { name: 'Ada' }],
      [{ name: 'Ada', age: '' }, { name: 'Ada' }],
      [
        { name: 'Bob', age: '7', more: 1 },
        { name: 'Bob', age: 7 },
      ],
    ] as const) {
      const { text, asked } = await act(era, handler, [accept(content)], audited);
      expect([text, asked.length]).toEqual(['added', 1]);
      expect(done.splice(0)).toEqual([meant]);
    }
    const answered = events.filter(({ kind }) => kind === 'answered') as { leftOut?: unknown }[];
    expect(answered.map(({ leftOut }) => leftOut)).toEqual([undefined, undefined, ['more']]);
  });

  it('elicit-38: failures are JSON-RPC errors or results of the tool, nothing else', async () => {
    const made = await fixture({
      era,
      midcall: { channels: ['native'] },
      handler: async (call, { how }) => {
        if (how === 'required') return told(await call.elicit({ message: 'Sure?', form: Boolean, required: true }));
        if (how === 'page')
          return told(await call.elicitUrl({ message: 'Sure?', page: confirm(), asError: true, assurance: 'in-band' }));
        return told(await call.elicit({ message: '', form: Boolean }));
      },
      answers: [{ action: 'decline' }],
    });
    for (const how of ['required', 'page', 'mistake']) await made.call({ how }).catch(() => {});
    const ends = made.pair.frames.filter(({ from, message }) => from === 'server' && !('method' in message));
    expect(ends.length).toBeGreaterThan(3);
    for (const { message } of ends) {
      const shape =
        'result' in message
          ? { result: expect.any(Object) }
          : { error: { code: expect.any(Number), message: expect.any(String) } };
      expect(message).toMatchObject(shape);
      expect('result' in message && 'error' in message).toBe(false);
    }
    const codes = ends.flatMap(({ message }) =>
      'error' in message ? [(message['error'] as { code: number }).code] : [],
    );
    expect(codes).toEqual(era === '2025-11-25' ? [-32042] : [-32021]);
  });

  const fails: readonly [string, Scripted, string][] = [
    ['an action there is not', () => ({ action: 'perhaps' }), '["cancel","error"]'],
    ['a host that fails', () => Promise.reject(new Error('no screen')), '["cancel","error"]'],
  ];
  it.each<[string, Scripted, string]>([
    ['decline', { action: 'decline' }, '["decline",false]'],
    ['cancel', { action: 'cancel' }, '["cancel","dismissed"]'],
    // With these the client of the SDK does not retry in 2026-07-28; what a client may send there is in state.test.ts.
    ...(era === '2025-11-25' ? fails : []),
  ])('elicit-39, elicit-40: %s gives the handler its answer, and the call its result', async (_, answer, expected) => {
    const handler = (call: Call) => answerOf(call.elicit({ message: 'Sure?', form: Boolean }));
    const { text, isError } = await act(era, handler, [answer]);
    expect([text, isError]).toEqual([expected, false]);
  });
});
