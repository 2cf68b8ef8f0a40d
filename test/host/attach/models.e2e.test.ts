/** A person's host with real AI SDK providers behind it: what a server gets of a model, and what it never gets. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { modelRouter } from '@midcall/core/models';
import type { SamplingRequest, SamplingResult } from '@midcall/core/sampling';
import { Audit, attach, Inbox, type Question, type Reply } from '@midcall/host';
import { Client } from '@modelcontextprotocol/client';
import { type CreateMessageRequest, InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { anthropic, json, openai, type ProviderServer, providerServer } from '../../models/provider-server.ts';

const apiKey = 'sk-canary-0123456789';
let provider: ProviderServer;
beforeEach(async () => {
  provider = await providerServer();
  return () => provider[Symbol.asyncDispose]();
});

/** A server that samples, a client with a person attached, and two models. */
async function hosted(answer: (question: Question) => Reply, budget = {}, receipts: unknown[] = []) {
  const mcp = new McpServer({ name: 'sampler', version: '1.0.0' });
  const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: {} });
  const inbox = new Inbox();
  const audit = new Audit();
  const seen: Question[] = [];
  inbox.present({
    via: 'script',
    show(question, { reply }) {
      seen.push(question);
      queueMicrotask(() => void reply(answer(question)).then(receipt => receipts.push(receipt)));
    },
  });
  const baseURL = `${provider.url}/v1`;
  const model = modelRouter({
    models: [
      {
        model: createOpenAICompatible({ name: 'local', baseURL, apiKey })('local-1'),
        name: 'garage',
        cost: 0,
        speed: 0.5,
        intelligence: 0.3,
      },
      {
        model: createAnthropic({ baseURL, apiKey })('claude-test'),
        name: 'claude',
        cost: 0.8,
        speed: 0.4,
        intelligence: 0.9,
        skills: ['tools', 'image'],
      },
    ],
  });
  const attached = attach(client, {
    server: { id: 'sampler', origin: 'in memory' },
    inbox,
    audit,
    sampling: { model, budget },
  });
  const [left, right] = InMemoryTransport.createLinkedPair();
  await Promise.all([mcp.connect(left), client.connect(right)]);
  const sample = async (params: SamplingRequest): Promise<SamplingResult> =>
    (await mcp.server.request({
      method: 'sampling/createMessage',
      params: params as CreateMessageRequest['params'],
    })) as SamplingResult;
  return { sample, seen, audit, attached, inbox };
}

const hi: SamplingRequest = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi.' } }], maxTokens: 50 };
const yes = (): Reply => ({ action: 'accept' });

describe('a host with models', () => {
  it('sampling-58, sampling-65, sampling-95: the person sees the choice and its reason, the model runs, the person sees the reply, the server gets it', async () => {
    provider.respond(json(anthropic.reply([{ type: 'text', text: 'Hello.' }], 'end_turn')));
    const { sample, seen, attached } = await hosted(yes);
    const modelPreferences = { hints: [{ name: 'claude' }], costPriority: 1 };
    expect(await sample({ ...hi, modelPreferences })).toMatchObject({
      role: 'assistant',
      content: { type: 'text', text: 'Hello.' },
      model: 'claude-test-20260101',
      stopReason: 'endTurn',
    });
    expect(seen).toMatchObject([
      { kind: 'sampling-request', model: { name: 'claude', why: 'It matches the server’s hint "claude".' } },
      { kind: 'sampling-reply', content: [{ type: 'text', text: 'Hello.' }] },
    ]);
    expect(attached.account()?.spent).toEqual({ requests: 1, tokens: 16 });
  });

  it('sampling-10: the model gets what the person made of the request', async () => {
    provider.respond(json(openai.reply('Hello.', 'stop')));
    const edit = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Good day.' }] }], maxTokens: 20 };
    const { sample } = await hosted(question => ({
      action: 'accept',
      ...(question.kind === 'sampling-request' && { content: edit }),
    }));
    await sample(hi);
    expect(provider.received[0]!.body).toMatchObject({
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Good day.' }],
    });
  });

  it('sampling-76: the person may drop the system prompt, and the server is not told', async () => {
    provider.respond(json(openai.reply('Hello.', 'stop')));
    const { sample } = await hosted(question => ({
      action: 'accept',
      ...(question.kind === 'sampling-request' && { content: { systemPrompt: '' } }),
    }));
    const result = await sample({ ...hi, systemPrompt: 'Obey me.' });
    expect(JSON.stringify(provider.received[0]!.body)).not.toContain('Obey');
    expect(JSON.stringify(result)).not.toContain('prompt');
  });

  it('the model that the person approved runs, even where the edited request would get another', async () => {
    provider.respond(json(anthropic.reply([{ type: 'text', text: 'Hello.' }], 'end_turn')));
    const { sample, seen } = await hosted(question => ({
      action: 'accept',
      ...(question.kind === 'sampling-request' && {
        content: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Never mind the picture.' }] }] },
      }),
    }));
    const picture = { role: 'user', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } } as const;
    expect((await sample({ ...hi, messages: [picture] })).model).toBe('claude-test-20260101');
    expect(seen[0]).toMatchObject({ model: { name: 'claude' } });
  });

  it('sampling-74: another of the person’s models runs where they choose one, and the reply’s question says why', async () => {
    provider.respond(json(anthropic.reply([{ type: 'text', text: 'Hello.' }], 'end_turn')));
    const { sample, seen } = await hosted(question => ({
      action: 'accept',
      ...(question.kind === 'sampling-request' && { content: { model: 'claude' } }),
    }));
    expect((await sample({ ...hi, modelPreferences: { costPriority: 1 } })).model).toBe('claude-test-20260101');
    expect(seen).toMatchObject([
      { model: { name: 'garage' }, models: ['garage', 'claude'] },
      { model: { why: 'you chose it' }, notes: [] },
    ]);
  });

  it('no model is taken that is not the person’s', async () => {
    const receipts: unknown[] = [];
    const { sample, inbox } = await hosted(
      () => ({ action: 'accept', content: { model: 'gpt-elsewhere' } }),
      {},
      receipts,
    );
    const sampled = sample(hi).catch((error: unknown) => error);
    while (receipts.length === 0) await new Promise(setImmediate);
    expect(receipts).toMatchObject([{ ok: false, problem: 'invalid', issues: [{ field: 'model' }] }]);
    expect(provider.received).toHaveLength(0);
    inbox.endAll('sampler', { how: 'withdrawn' });
    expect(await sampled).toMatchObject({ code: -1 });
  });

  it('an edited reply of several blocks is handed over as the one block the SDK lets through without tools', async () => {
    provider.respond(json(openai.reply('Hello.', 'stop')));
    const content = ['One.', 'Two.'].map(text => ({ type: 'text', text }));
    const { sample } = await hosted(question => ({
      action: 'accept',
      ...(question.kind === 'sampling-reply' && { content: { content } }),
    }));
    expect((await sample(hi)).content).toEqual({ type: 'text', text: 'One.\nTwo.' });
    provider.respond(json(openai.reply('Hello.', 'stop')));
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    expect((await sample({ ...hi, tools })).content).toEqual(content);
  });

  it('sampling-08, sampling-89: a refused request reaches no model', async () => {
    const { sample } = await hosted(() => ({ action: 'decline' }));
    await expect(sample(hi)).rejects.toMatchObject({ code: -1 });
    expect(provider.received).toHaveLength(0);
  });

  it('sampling-11: a refused reply does not reach the server', async () => {
    provider.respond(json(openai.reply('A secret.', 'stop')));
    const { sample } = await hosted(question => (question.kind === 'sampling-reply' ? { action: 'decline' } : yes()));
    const error = await sample(hi).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: -1 });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret');
  });

  it('sampling-90, sampling-91: an unbalanced history is refused before the person or a model sees it', async () => {
    const { sample, seen } = await hosted(yes);
    const use = { type: 'tool_use', id: 'call_1', name: 't', input: {} } as const;
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const messages = [...hi.messages, { role: 'assistant', content: use } as const, ...hi.messages, ...hi.messages];
    await expect(sample({ ...hi, tools, messages })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('call_1'),
    });
    expect([seen, provider.received]).toEqual([[], []]);
  });

  it('sampling-88: a provider that fails is no refusal, and its words and key stay here', async () => {
    provider.respond(json({ error: { message: `Bad key ${apiKey}`, type: 'authentication_error' } }, 401));
    const { sample, audit } = await hosted(yes);
    const error = await sample(hi).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: -32603, message: 'The sampling request could not be completed' });
    const recorded = JSON.stringify(audit.entries({}));
    expect(recorded).toContain('does not accept this host’s API key');
    expect(recorded + JSON.stringify(error)).not.toContain(apiKey);
  });

  it('sampling-96: requests side by side do not pass the budget together', async () => {
    provider.respond(json(openai.reply('Hello.', 'stop')));
    const { sample, attached } = await hosted(yes, { requests: 2 });
    const outcomes = await Promise.allSettled([sample(hi), sample(hi), sample(hi), sample(hi)]);
    expect(outcomes.filter(each => each.status === 'fulfilled')).toHaveLength(2);
    expect(provider.received).toHaveLength(2);
    expect(attached.account()?.spent.requests).toBe(2);
  });
});
