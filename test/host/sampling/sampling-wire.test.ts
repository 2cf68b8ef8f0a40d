/** Sampling as a server sees it on the wire, and as the person and the model see it behind, in both revisions. */
import { MidcallError } from '@midcall/core/errors';
import type { ModelReply, SamplingModel, SamplingRequest } from '@midcall/core/sampling';
import { Audit, type Era, Inbox, Policy, type Question, type Reply } from '@midcall/host';
import { memoryStore } from '@midcall/server/stores/memory';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { badBlocks } from '../../sampling/bad-blocks.ts';
import { handClock } from '../clock.ts';
import { nextQuestion } from '../person.ts';
import { type Params, type Sent, type WiredOptions, type WireFailure, wired } from '../wire-server.ts';

type Ask = Params;

const text = (value: string) => ({ type: 'text', text: value });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const use = (id: string) => ({ type: 'tool_use', id, name: 'weather', input: { city: `City ${id}` } });
const outcome = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [text('Sunny.')] });
const tools = [{ name: 'weather', description: 'The weather.', inputSchema: { type: 'object' } }];
const plain = { messages: [user(text('Say hello.'))], maxTokens: 50 };
const sample = (params: Params = {}): Ask => ({ ...plain, ...params });
const yes = (): Reply => ({ action: 'accept' });

interface Stub extends SamplingModel {
  readonly calls: SamplingRequest[];
}

/** A model that gives these results in turn, the last one again and again. */
function stub(results: readonly Readonly<Record<string, unknown>>[], takesTools = true): Stub {
  const calls: SamplingRequest[] = [];
  return {
    names: ['stub'],
    tools: takesTools,
    calls,
    choose: () => ({ name: 'stub', why: 'It is the only one.', leftOut: [] }),
    run: async (request): Promise<ModelReply> => {
      const result = results[calls.length] ?? results.at(-1);
      calls.push(request);
      if (result instanceof Error) throw result;
      return { result: result as never, usage: { inputTokens: 5, outputTokens: 5, estimated: false }, notes: [] };
    },
  };
}
const says = (value: string, stopReason = 'endTurn') => ({
  role: 'assistant',
  content: text(value),
  model: 'stub-2026',
  stopReason,
});
const asksFor = (...uses: readonly object[]) => ({
  role: 'assistant',
  content: [...uses],
  model: 'stub-2026',
  stopReason: 'toolUse',
});

describe.each<Era>(eras)('%s', era => {
  async function hosted(
    asks: readonly Ask[],
    answer: (question: Question) => Reply | undefined,
    model: Stub | undefined = stub([says('Hello.')]),
    options: Omit<WiredOptions, 'tool'> & { readonly budget?: object } = {},
  ) {
    const { budget = {}, ...rest } = options;
    const audit = new Audit();
    const modelCallsAt: number[] = [];
    const answers: (Params & { readonly error?: WireFailure })[] = [];
    const host = await wired(era, {
      audit,
      ...(model && { sampling: { model, budget } }),
      ...rest,
      async tool(wire) {
        for (const ask of asks) answers.push(await wire.ask(ask, 'sampling/createMessage'));
        return answers.length;
      },
      answer(question) {
        modelCallsAt.push(model?.calls.length ?? 0);
        return answer(question);
      },
    });
    const call = async () => {
      const outcome = await host.call();
      return outcome instanceof Error ? (outcome as Error & { code: unknown }) : undefined;
    };
    return { ...host, call, answers, seen: host.shown, audit, modelCallsAt };
  }

  /** The server got no completion: an error with this code, or, on 2026-07-28, no second request at all. */
  function expectRefused(
    { answers, calls, sent }: Pick<Awaited<ReturnType<typeof hosted>>, 'answers' | 'calls' | 'sent'>,
    failure: { message: string } | undefined,
    code: number,
  ): void {
    if (era === '2025-11-25') {
      expect(answers.at(-1)?.error?.code).toBe(code);
      expect(sent.at(-1)).not.toHaveProperty('result');
    } else {
      expect(failure?.message).toBeTruthy();
      expect(answers).toEqual([]);
      expect(calls()).toHaveLength(1);
      expect(sent.filter(frame => frame.error !== undefined)).toEqual([]);
    }
  }

  const declared = (frames: readonly Sent[]): unknown[] =>
    era === '2025-11-25'
      ? frames
          .filter(frame => frame.method === 'initialize')
          .map(frame => (frame.params?.['capabilities'] as { sampling?: unknown } | undefined)?.sampling)
      : frames
          .filter(frame => frame.id !== undefined && frame.method !== undefined)
          .map(frame => {
            const meta = frame.params?.['_meta'] as Record<string, { sampling?: unknown }>;
            return meta['io.modelcontextprotocol/clientCapabilities']?.sampling;
          });

  it('sampling-14, sampling-16, sampling-17, sampling-18, sampling-19: the host declares sampling where there is a model, tools where it takes them, context never', async () => {
    for (const [model, capability] of [
      [stub([says('Hi.')], true), { tools: {} }],
      [stub([says('Hi.')], false), {}],
      [undefined, undefined],
    ] as const) {
      const host = await wired(era, {
        ...(model && { sampling: { model } }),
        tool: async wire => (model ? wire.ask(plain, 'sampling/createMessage') : 'nothing to ask'),
        answer: yes,
      });
      await host.call();
      const all = declared(host.sent);
      expect(all.length).toBeGreaterThan(0);
      expect(all).toEqual(all.map(() => capability));
    }
  });

  it('sampling-14, sampling-18, sampling-100: tools are taken where they were declared, else the answer is an error and no model is asked', async () => {
    for (const params of [{ tools }, { toolChoice: { mode: 'auto' } }, { tools: [] }]) {
      const model = stub([says('Hello.')], false);
      const host = await hosted([sample(params)], yes, model);
      const failure = await host.call();
      expectRefused(host, failure, -32602);
      expect([model.calls, host.seen]).toEqual([[], []]);
    }
    const model = stub([says('Hello.')]);
    const host = await hosted([sample({ tools })], yes, model);
    expect(await host.call()).toBeUndefined();
    expect(model.calls[0]?.tools).toEqual(tools);
  });

  it('sampling-27, sampling-28, sampling-85: an answer has role, content, model and stopReason, bare in a retry', async () => {
    const host = await hosted([sample()], yes);
    await host.call();
    expect(host.answers).toEqual([says('Hello.')]);
    if (era === '2025-11-25')
      expect(host.sent.filter(frame => frame.method === undefined)).toEqual([
        { jsonrpc: '2.0', id: 's0', result: says('Hello.') },
      ]);
    else
      expect(host.calls().map(frame => frame.params?.['inputResponses'])).toEqual([undefined, { q: says('Hello.') }]);
  });

  it('sampling-08, sampling-89, sampling-92, sampling-93: a declined request reaches no model; the server gets -1, or nothing', async () => {
    const model = stub([says('Hello.')]);
    const host = await hosted([sample()], () => ({ action: 'decline' }), model);
    const failure = await host.call();
    expectRefused(host, failure, -1);
    expect(model.calls).toEqual([]);
    const before = 'What it did before it asked stays done; run it again to be asked again.';
    if (era === '2026-07-28')
      expect(failure).toMatchObject({ code: 'host/abandoned', message: expect.stringContaining(before) });
  });

  it('sampling-11, sampling-30: a reply is held until it is approved; tool uses are shown with their arguments', async () => {
    for (const result of [says('A secret.'), asksFor(use('a'))]) {
      const host = await hosted(
        [sample({ tools })],
        question => (question.kind === 'sampling-reply' ? { action: 'decline' } : yes()),
        stub([result]),
      );
      expectRefused(host, await host.call(), -1);
      expect(host.seen[1]).toMatchObject({ kind: 'sampling-reply', content: [result.content].flat() });
      expect(JSON.stringify(host.sent)).not.toMatch(/secret|City a/);
    }
  });

  it('the person sees the prompt as it went to the model beside the reply, with all that the server wished', async () => {
    const wishes = {
      modelPreferences: { hints: [{ name: 'claude' }, {}], costPriority: 0.25 },
      temperature: 0.5,
      stopSequences: ['END'],
      metadata: { trace: 7 },
    };
    const host = await hosted([sample({ ...wishes, systemPrompt: 'Be brief.' })], question =>
      question.kind === 'sampling-request' ? { action: 'accept', content: { systemPrompt: 'Be kind.' } } : yes(),
    );
    await host.call();
    const shown = {
      messages: [{ role: 'user', content: [text('Say hello.')] }],
      maxTokens: 50,
      tools: [],
      wishes: {
        hints: ['claude'],
        costPriority: 0.25,
        temperature: 0.5,
        stopSequences: ['END'],
        metadata: { trace: 7 },
      },
    };
    expect(host.seen[0]).toMatchObject({ ...shown, systemPrompt: 'Be brief.' });
    expect(host.seen[1]).toMatchObject({ prompt: { ...shown, systemPrompt: 'Be kind.' } });
  });

  it('sampling-29, sampling-32, sampling-58: the person is asked before the model and before the server, for every leg of a tool conversation', async () => {
    const model = stub([asksFor(use('a')), says('Sunny.')]);
    const first = sample({ tools });
    const next = sample({ tools, messages: [...plain.messages, assistant([use('a')]), user([outcome('a')])] });
    const host = await hosted([first, next], yes, model);
    expect(await host.call()).toBeUndefined();
    expect(host.seen.map(question => question.kind)).toEqual([
      'sampling-request',
      'sampling-reply',
      'sampling-request',
      'sampling-reply',
    ]);
    expect(host.modelCallsAt).toEqual([0, 1, 1, 2]);
    expect(host.seen[2]).toMatchObject({
      messages: [{}, { content: [use('a')] }, { content: [outcome('a')] }],
      tools: ['weather'],
    });
  });

  it('sampling-10, sampling-58: what the person changed is what the model and the server get', async () => {
    const model = stub([says('Hello.')]);
    const host = await hosted(
      [sample({ systemPrompt: 'Obey.' })],
      question => ({
        action: 'accept',
        content:
          question.kind === 'sampling-request'
            ? { messages: [user([text('Edited.')])], systemPrompt: 'Be kind.', maxTokens: 7 }
            : { content: [text('Rewritten.')] },
      }),
      model,
    );
    await host.call();
    expect(model.calls).toMatchObject([
      { messages: [user([text('Edited.')])], systemPrompt: 'Be kind.', maxTokens: 7 },
    ]);
    expect(JSON.stringify(host.answers)).toContain('Rewritten.');
    expect(JSON.stringify(host.answers)).not.toContain('Hello.');
  });

  it('both questions say where a person replies by hand in the place of a model', async () => {
    for (const byHand of [true, undefined]) {
      const model: Stub = { ...stub([says('Hello.')]), ...(byHand && { byHand }) };
      const host = await hosted([sample()], yes, model);
      expect(await host.call()).toBeUndefined();
      expect(host.seen.map(question => 'model' in question && question.model)).toEqual([
        { name: 'stub', why: 'It is the only one.', ...(byHand && { byHand }) },
        { name: 'stub-2026', why: 'It is the only one.', ...(byHand && { byHand }) },
      ]);
    }
  });

  it('the person and the server are told the model that replied, not the one that was proposed', async () => {
    const model: Stub = { ...stub([says('Hello.')]), names: ['stub', 'other'] };
    const ran: unknown[] = [];
    const run: Stub['run'] = (request, options) => {
      ran.push(options.model);
      return model.run(request, options);
    };
    const host = await hosted(
      [sample()],
      question => ({
        action: 'accept',
        content: question.kind === 'sampling-request' ? { model: 'other' } : { content: [text('Rewritten.')] },
      }),
      { ...model, run },
    );
    await host.call();
    expect(ran).toEqual(['other']);
    expect(host.seen[1]).toMatchObject({ model: { name: 'stub-2026', why: 'you chose it' } });
    expect(host.answers).toMatchObject([{ role: 'assistant', model: 'stub-2026' }]);
  });

  it('a reply that a person writes is handed over only once it is written, though a decision allowed the request', async () => {
    const policy = new Policy();
    policy.add({ server: 'notes', subject: 'sampling', effect: 'allow' });
    const replies: Reply[] = [{ action: 'accept', content: { content: [text('By hand.')] } }];
    const host = await hosted([sample()], () => replies.shift(), { ...stub([says('')]), byHand: true } as Stub, {
      policy,
    });
    expect(await host.call()).toBeUndefined();
    expect(host.seen.map(({ kind }) => kind)).toEqual(['sampling-reply']);
    expect(JSON.stringify(host.answers)).toContain('By hand.');
  });

  it('no reply is handed over that says it is the user’s', async () => {
    const host = await hosted([sample()], yes, stub([{ ...says('Hello.'), role: 'user' }]));
    const failure = await host.call();
    expectRefused(host, failure, -32603);
  });

  it('sampling-34, sampling-35, sampling-51, sampling-56: tool uses come back as the assistant’s, each with its own id, marked toolUse', async () => {
    const meta = { _meta: { 'x/cache': 1 } };
    const uses = [use('a'), { ...use('b'), ...meta }];
    const host = await hosted([sample({ tools })], yes, stub([asksFor(...uses)]));
    await host.call();
    expect(host.answers).toEqual([asksFor(...uses)]);
    for (const bad of [
      asksFor(use('a'), use('a')),
      { ...asksFor(use('a')), stopReason: 'endTurn' },
      { ...asksFor(use('a')), role: 'user' },
      says('Hm.', 'toolUse'),
    ]) {
      const other = await hosted([sample({ tools })], yes, stub([bad]));
      expectRefused(other, await other.call(), -32603);
    }
  });

  it('sampling-54, sampling-55: no reply is handed on that goes against the tool choice', async () => {
    for (const [mode, result, taken] of [
      ['required', says('I would rather not.'), false],
      ['required', asksFor(use('a')), true],
      ['none', asksFor(use('a')), false],
      ['none', says('Fine.'), true],
      ['auto', says('Fine.'), true],
    ] as const) {
      const host = await hosted([sample({ tools, toolChoice: { mode } })], yes, stub([result]));
      const failure = await host.call();
      if (taken) expect(JSON.stringify(host.answers)).toContain('stub-2026');
      else expectRefused(host, failure, -32603);
    }
  });

  it.each<[string, readonly unknown[], string]>([
    [
      'sampling-44, sampling-45, sampling-91: text beside a tool result',
      [user(text('?')), assistant([use('a')]), user([text('By the way'), outcome('a')])],
      'nothing else',
    ],
    [
      'sampling-46, sampling-90: a tool use in mid-history without its results',
      [user(text('?')), assistant([use('a')]), user(text('!')), assistant(text('?')), user(text('!'))],
      '"a" has no result',
    ],
    [
      'sampling-46, sampling-90: a tool use at the end without its results',
      [user(text('?')), assistant([use('a')])],
      '"a" has no result',
    ],
    [
      'sampling-47, sampling-48: one result for two uses',
      [user(text('?')), assistant([use('a'), use('b')]), user([outcome('a')])],
      '"b" has no result',
    ],
    [
      'sampling-104: a result of no use',
      [user(text('?')), assistant([use('a')]), user([outcome('a'), outcome('z')])],
      '"z"',
    ],
    ['sampling-50: a third role', [{ role: 'system', content: text('Obey.') }], ''],
    ['sampling-59: a message without a role', [{ content: text('?') }], ''],
    ['sampling-59: a message without content', [{ role: 'user' }], ''],
    ['sampling-60, sampling-94: an unknown kind of block', [user({ type: 'video', data: 'aGk=' })], ''],
    ['sampling-62, sampling-94: a text that is none', [user({ type: 'text', text: 7 })], ''],
    [
      'sampling-63, sampling-94: an image that is none',
      [user({ type: 'image', data: '?', mimeType: 'image/png' })],
      '',
    ],
    [
      'sampling-64, sampling-94: a sound that is none',
      [user({ type: 'audio', data: 'aGk=', mimeType: 'image/png' })],
      '',
    ],
  ])('a request is refused with -32602, or ends the call, before anyone sees it: %s', async (_, messages, why) => {
    const model = stub([says('Hello.')]);
    const host = await hosted([sample({ tools, messages })], yes, model);
    const failure = await host.call();
    expectRefused(host, failure, -32602);
    const said = era === '2025-11-25' ? host.answers[0]?.error?.message : failure?.message;
    expect(said).toContain(why);
    expect([model.calls, host.seen]).toEqual([[], []]);
  });

  it('sampling-94: a request with a block that is none is refused, and neither person nor model sees it', async () => {
    const taken: string[] = [];
    for (const [wrong, block] of badBlocks) {
      for (const message of [user(block), assistant([text('Before.'), block])]) {
        const model = stub([says('Hello.')]);
        const host = await hosted([sample({ tools, messages: [message, user(text('?'))] })], yes, model);
        const failure = await host.call();
        if (model.calls.length + host.seen.length > 0) taken.push(wrong);
        else expectRefused(host, failure, -32602);
      }
    }
    expect(taken).toEqual([]);
  });

  it('sampling-94: a reply of the model with a block that is none is not handed over', async () => {
    const taken: string[] = [];
    for (const [wrong, block] of badBlocks) {
      const host = await hosted([sample({ tools })], yes, stub([{ ...says(''), content: [text('Before.'), block] }]));
      const failure = await host.call();
      if (host.responses.some(({ result }) => result !== undefined)) taken.push(wrong);
      else expectRefused(host, failure, -32603);
    }
    expect(taken).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['sampling-66: a priority above 1', { modelPreferences: { costPriority: 1.5 } }],
    ['sampling-70: hints as texts', { modelPreferences: { hints: ['sonnet'] } }],
    ['sampling-77: an unknown context', { includeContext: 'everything' }],
    ['sampling-79: no maxTokens', { maxTokens: undefined }],
    ['sampling-82: a stop sequence that is no text', { stopSequences: [7] }],
    ['sampling-83: metadata that is no object', { metadata: 'x' }],
  ])('a request is refused with -32602, or ends the call: %s', async (_, params) => {
    const model = stub([says('Hello.')]);
    const host = await hosted([sample(params)], yes, model);
    expectRefused(host, await host.call(), -32602);
    expect(model.calls).toEqual([]);
    // What is said of it is a sentence, and no list of issues.
    const recorded = host.audit.entries({}).flatMap(({ event }) => (event.type === 'refused' ? [event.why] : []));
    if (era === '2025-11-25') expect(recorded.length).toBeGreaterThan(0);
    for (const why of recorded) expect(why).not.toMatch(/[\n{]/u);
  });

  it('sampling-61: nothing of one request is kept for another, nor on the disk once a call has ended', async () => {
    const values = new Map<string, string>();
    const store = memoryStore();
    const set = store.set.bind(store);
    const remove = store.delete.bind(store);
    store.set = (key, value, options) => {
      values.set(key, value);
      return set(key, value, options);
    };
    store.delete = key => {
      values.delete(key);
      return remove(key);
    };
    const model = stub([says('Hello.')]);
    const inbox = new Inbox({ store });
    const host = await hosted([sample(), sample({ messages: [user(text('The other one.'))] })], yes, model, {
      store,
      inbox,
    });
    await host.call();
    await inbox.settled();
    await host.attachment.keepQuestions();
    expect(model.calls.map(request => request.messages)).toEqual([plain.messages, [user(text('The other one.'))]]);
    expect(JSON.stringify([...values])).not.toMatch(/Say hello|other one|Hello/);
  });

  it('sampling-22, sampling-77, sampling-78: no context of any server is added, whatever is asked, and the person is told so', async () => {
    const sent: SamplingRequest[] = [];
    for (const includeContext of [undefined, 'none', 'thisServer', 'allServers']) {
      const model = stub([says('Hello.')]);
      const host = await hosted([sample(includeContext === undefined ? {} : { includeContext })], yes, model);
      expect(await host.call()).toBeUndefined();
      sent.push(...model.calls);
      const ignored = includeContext?.endsWith('s') || includeContext?.endsWith('r') ? ['includeContext'] : [];
      expect(host.seen[0]).toMatchObject({ ignored });
    }
    expect(sent).toEqual([plain, plain, plain, plain]);
  });

  it('sampling-80, sampling-101: the model is told of no more tokens than the server allows, nor than its budget leaves', async () => {
    const model = stub([says('Hello.')]);
    const receipts: unknown[] = [];
    const host = await hosted([sample({ maxTokens: 400 })], () => undefined, model);
    const calling = host.call();
    const { id } = await nextQuestion(host.inbox);
    receipts.push(await host.inbox.reply(id, { action: 'accept', content: { maxTokens: 401 } }, 'script'));
    expect(receipts).toMatchObject([{ ok: false, problem: 'invalid', issues: [{ field: 'maxTokens' }] }]);
    const next = nextQuestion(host.inbox);
    await host.inbox.reply(id, { action: 'accept', content: { maxTokens: 400 } }, 'script');
    await host.inbox.reply((await next).id, yes(), 'script');
    expect(await calling).toBeUndefined();
    expect(model.calls.map(request => request.maxTokens)).toEqual([400]);

    const poor = stub([says('Short.', 'maxTokens')]);
    const capped = await hosted([sample({ maxTokens: 400 })], yes, poor, { budget: { tokens: 120 } });
    expect(await capped.call()).toBeUndefined();
    expect(poor.calls[0]!.maxTokens).toBeLessThan(120);
    expect(JSON.stringify(capped.answers)).toContain('Short.');
  });

  it('sampling-76: the person may drop the system prompt, and the server is not told', async () => {
    const model = stub([says('Hello.')]);
    const host = await hosted(
      [sample({ systemPrompt: 'Obey me.' })],
      question => ({
        action: 'accept',
        ...(question.kind === 'sampling-request' && { content: { systemPrompt: '' } }),
      }),
      model,
    );
    await host.call();
    expect(model.calls[0]).toMatchObject({ systemPrompt: '' });
    expect(JSON.stringify(host.answers)).not.toMatch(/[Ss]ystem|Obey/);
  });

  it('sampling-93, sampling-96: the person’s decisions hold, and so does the rate', async () => {
    const clock = handClock();
    const policy = new Policy({ clock, limits: { perWindow: 2, windowMs: 60_000 } });
    const model = stub([says('Hello.')]);
    const host = await hosted([sample(), sample(), sample()], yes, model, { policy, clock });
    const failure = await host.call();
    expect(model.calls).toHaveLength(2);
    if (era === '2025-11-25')
      expect(host.answers.map(answer => answer.error?.code)).toEqual([undefined, undefined, -1]);
    else expect(failure?.message).toContain('asked 2 times in 60 seconds');
    policy.add({ server: 'notes', subject: 'sampling', effect: 'refuse' });
    clock.move(60_000);
    const refused = await hosted([sample()], yes, model, { policy, clock });
    expectRefused(refused, await refused.call(), -1);
    policy.add({ server: 'notes', subject: 'sampling', effect: 'allow' });
    const allowed = await hosted([sample()], () => undefined, model, { policy, clock });
    expect(await allowed.call()).toBeUndefined();
    expect([model.calls.length, allowed.seen]).toEqual([3, []]);
    expect(allowed.audit.entries({}).map(entry => entry.event)).toContainEqual(
      expect.objectContaining({ type: 'allowed', kind: 'sampling' }),
    );
  });

  it('sampling-96: a server that used up its requests gets no more', async () => {
    const model = stub([says('Hello.')]);
    const host = await hosted([sample(), sample()], yes, model, { budget: { requests: 1 } });
    await host.call();
    expect(model.calls).toHaveLength(1);
    // Nobody is asked for what cannot be had.
    expect(host.seen.map(({ kind }) => kind)).toEqual(['sampling-request', 'sampling-reply']);
    if (era === '2025-11-25') expect(host.answers[1]?.error?.code).toBe(-1);
    else expect(host.calls()).toHaveLength(2);
  });

  it('sampling-99: a server whose tool loop never ends is cut off', async () => {
    const model = stub([asksFor(use('a'))]);
    const turns = (count: number) =>
      Array.from({ length: count }, () => [assistant([use('a')]), user([outcome('a')])]).flat();
    const legs = [0, 1, 2, 3, 4].map(count => sample({ tools, messages: [...plain.messages, ...turns(count)] }));
    const host = await hosted(legs, yes, model, { budget: { depth: 2 } });
    await host.call();
    expect(model.calls).toHaveLength(3);
    if (era === '2025-11-25')
      expect(host.answers.map(answer => answer.error?.code)).toEqual([undefined, undefined, undefined, -1, -1]);
  });

  it('sampling-88: a model that fails is an error of the host, in words that tell nothing', async () => {
    const plainError = new Error('The key sk-123 is not accepted.');
    const explained = new MidcallError('sampling/unavailable', 'The provider sk-123 cannot be reached.');
    for (const [error, why] of [
      [plainError, 'The model failed.'],
      [explained, explained.message],
    ] as const) {
      const host = await hosted([sample()], yes, stub([error as never]));
      const failure = await host.call();
      expectRefused(host, failure, -32603);
      expect(JSON.stringify(host.sent)).not.toContain('sk-123');
      expect(host.audit.entries({}).map(entry => entry.event)).toContainEqual(
        expect.objectContaining({ type: 'refused', by: 'host', why }),
      );
    }
  });

  it('sampling-97: no prompt and no reply is in the audit record, whatever happens', async () => {
    const secret = 'canary-7531';
    const params = {
      tools,
      messages: [user(text(`prompt ${secret}`)), assistant([{ ...use('a'), input: { secret } }]), user([outcome('a')])],
      systemPrompt: secret,
      metadata: { secret },
    };
    const bad = { ...params, messages: [user([text(secret), outcome('a')])] };
    for (const [ask, answer, result] of [
      [sample(params), yes, says(`reply ${secret}`)],
      [sample(params), () => ({ action: 'decline' }) as Reply, says(secret)],
      [sample(params), yes, { ...says(secret), stopReason: 'toolUse' }],
      [sample(bad), yes, says(secret)],
    ] as const) {
      const host = await hosted([ask], answer, stub([result]));
      const failure = await host.call();
      expect(host.audit.entries({}).length).toBeGreaterThan(1);
      expect(JSON.stringify(host.audit.entries({}))).not.toContain(secret);
      expect(failure?.message ?? '').not.toContain(secret);
    }
  });
});
