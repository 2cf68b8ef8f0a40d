import {
  advanceToolLoop,
  answerToolUse,
  checkRequest,
  type SamplingRequest,
  type SamplingTool,
  samplingTool,
  startToolLoop,
  type ToolLoopLimits,
  type ToolLoopStep,
  type ToolResultContent,
  type ToolUseContent,
  textOf,
} from '@midcall/core/sampling';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const weather = samplingTool({
  name: 'get_weather',
  description: 'The weather in a city.',
  input: z.object({ city: z.string() }),
  run: ({ city }) => `Sunny in ${city}.`,
});

const request = (more: Partial<SamplingRequest> = {}): SamplingRequest => ({
  messages: [{ role: 'user', content: { type: 'text', text: 'The weather in Paris and London?' } }],
  maxTokens: 100,
  tools: [weather.definition],
  ...more,
});

const use = (id: string, name = 'get_weather', input: Record<string, unknown> = { city: id }): ToolUseContent => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const toolReply = (...uses: ToolUseContent[]) => ({
  role: 'assistant',
  content: uses.length === 1 ? uses[0] : uses,
  model: 'stub',
  stopReason: 'toolUse',
});
const textReply = (text: string) => ({
  role: 'assistant',
  content: { type: 'text', text },
  model: 'stub',
  stopReason: 'endTurn',
});

/** Runs a loop against scripted replies; the requests it sent, and how it ended. */
async function drive(
  replies: readonly unknown[],
  limits?: ToolLoopLimits,
  first = request(),
  tools: readonly SamplingTool[] = [weather],
) {
  const sent: SamplingRequest[] = [];
  let step: ToolLoopStep = startToolLoop(first, limits);
  const { signal } = new AbortController();
  while (step.next === 'sample' || step.next === 'run') {
    if (step.next === 'sample') {
      const result = replies[sent.length] ?? replies.at(-1);
      sent.push(step.request);
      step = advanceToolLoop(step.state, { kind: 'reply', result, elapsedMs: sent.length * 1_000 });
    } else {
      const results = await Promise.all(step.uses.map(each => answerToolUse(tools, each, { signal })));
      step = advanceToolLoop(step.state, { kind: 'results', results, elapsedMs: sent.length * 1_000 + 500 });
    }
  }
  return { sent, end: step };
}

describe('the tool loop', () => {
  it('sampling-36, sampling-37, sampling-42, sampling-98: the tool loop appends the tool use and its results, and offers the tools again', async () => {
    const { sent, end } = await drive([toolReply(use('Paris'), use('London')), textReply('Sunny in both.')]);
    expect(sent).toHaveLength(2);
    expect(sent[1]!.tools).toEqual(sent[0]!.tools);
    expect(sent[1]!.messages.slice(1)).toEqual([
      { role: 'assistant', content: [use('Paris'), use('London')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', toolUseId: 'Paris', content: [{ type: 'text', text: 'Sunny in Paris.' }] },
          { type: 'tool_result', toolUseId: 'London', content: [{ type: 'text', text: 'Sunny in London.' }] },
        ],
      },
    ]);
    expect(end).toMatchObject({ next: 'done', iterations: 2 });
    expect(end.next === 'done' && textOf(end.result)).toBe('Sunny in both.');
    expect(end.next === 'done' && end.messages).toHaveLength(4);
  });

  it('sampling-38: the tool loop goes on as long as the model asks', async () => {
    const { sent, end } = await drive([toolReply(use('a')), toolReply(use('b')), textReply('Done.')]);
    expect(sent).toHaveLength(3);
    expect(end.next).toBe('done');
  });

  it('sampling-39, sampling-40, sampling-99; loop-T2, loop-T3: the last request switches tools off, and a model that goes on is refused', async () => {
    const { sent, end } = await drive([toolReply(use('a'))], { maxIterations: 3 });
    expect(sent.map(each => each.toolChoice?.mode)).toEqual([undefined, undefined, 'none']);
    expect(end).toMatchObject({ next: 'refused', why: 'iterations' });
    expect(end.next === 'refused' && end.message).toBe(
      'The model still asks for tools at the limit of 3 requests, although they were switched off.',
    );
  });

  it('loop-T2: the tokens asked for never pass the limit, and the last of them switch tools off', async () => {
    const { sent, end } = await drive([toolReply(use('a'))], { maxTotalTokens: 250 });
    expect(sent.map(each => each.maxTokens)).toEqual([100, 100, 50]);
    expect(sent.at(-1)!.toolChoice).toEqual({ mode: 'none' });
    expect(end).toMatchObject({ next: 'refused', why: 'tokens' });
  });

  it('the tool loop ends when its time is over, before tools run and before another request leaves', async () => {
    expect((await drive([toolReply(use('a'))], { maxElapsedMs: 1_000 })).end).toMatchObject({ why: 'time' });
    const { sent, end } = await drive([toolReply(use('a'))], { maxElapsedMs: 1_500 });
    expect(sent).toHaveLength(1);
    expect(end).toMatchObject({ next: 'refused', why: 'time' });
  });

  it('the tool loop hands over a final reply that came late', async () => {
    expect((await drive([textReply('Late, but here.')], { maxElapsedMs: 1 })).end.next).toBe('done');
  });

  it('sampling-54: the tool loop requires a tool of the first reply only', async () => {
    const { sent } = await drive(
      [toolReply(use('a')), textReply('Done.')],
      {},
      request({ toolChoice: { mode: 'required' } }),
    );
    expect(sent.map(each => each.toolChoice?.mode)).toEqual(['required', 'auto']);
  });

  it('sampling-49: tools may run side by side; the next request leaves when all have ended', async () => {
    let running = 0;
    let most = 0;
    const slow = samplingTool({
      name: 'get_weather',
      description: '',
      input: z.object({ city: z.string() }),
      run: async () => {
        most = Math.max(most, ++running);
        await new Promise(resolve => setImmediate(resolve));
        running--;
        return 'Sunny.';
      },
    });
    const { sent } = await drive([toolReply(use('a'), use('b')), textReply('Done.')], {}, request(), [slow]);
    expect(most).toBe(2);
    expect(sent).toHaveLength(2);
  });

  it('loop-T4: the tool loop refuses a reply that breaks a rule', async () => {
    const { end } = await drive([{ ...toolReply(use('a')), stopReason: 'endTurn' }]);
    expect(end).toMatchObject({ next: 'refused', why: 'reply', issues: [{ rule: 'stop-reason' }] });
  });

  it('sampling-107: the tool loop keeps _meta of a tool use', async () => {
    const marked = { ...use('a'), _meta: { 'x/cache': 1 } };
    const { sent } = await drive([toolReply(marked), textReply('Done.')]);
    expect(sent[1]!.messages[1]!.content).toEqual(marked);
  });

  it('loop-T1: the tool loop answers a tool nobody ran, drops what nobody asked for, and keeps the order of the uses', () => {
    const first = startToolLoop(request());
    const run = advanceToolLoop(first.state, { kind: 'reply', result: toolReply(use('a'), use('b')), elapsedMs: 0 });
    if (run.next !== 'run') throw new Error(run.next);
    const stray: ToolResultContent = { type: 'tool_result', toolUseId: 'z', content: [] };
    const late: ToolResultContent = { type: 'tool_result', toolUseId: 'b', content: [] };
    const next = advanceToolLoop(run.state, { kind: 'results', results: [stray, late, late], elapsedMs: 0 });
    if (next.next !== 'sample') throw new Error(next.next);
    expect(next.request.messages.at(-1)!.content).toMatchObject([
      { toolUseId: 'a', isError: true, content: [{ text: 'This tool was not run.' }] },
      { toolUseId: 'b', content: [] },
    ]);
    expect(checkRequest(next.request, { tools: {} }).ok).toBe(true);
  });

  it('the tool loop survives being stored as JSON between any two steps', () => {
    const first = startToolLoop(request(), { maxIterations: 2 });
    const state = JSON.parse(JSON.stringify(first.state));
    expect(state).toEqual(first.state);
    expect(advanceToolLoop(state, { kind: 'reply', result: textReply('Hi.'), elapsedMs: 0 }).next).toBe('done');
  });

  it('the tool loop refuses an event it does not wait for', () => {
    const { state } = startToolLoop(request());
    expect(() => advanceToolLoop(state, { kind: 'results', results: [], elapsedMs: 0 })).toThrow('waits for a reply');
  });

  it.each<[string, Partial<SamplingRequest>, ToolLoopLimits, string]>([
    ['no iteration', {}, { maxIterations: 0 }, 'maxIterations must be a whole number from 1 to 100.'],
    ['too many', {}, { maxIterations: 101 }, 'maxIterations'],
    ['half a token', {}, { maxTotalTokens: 0.5 }, 'maxTotalTokens'],
    ['no time', {}, { maxElapsedMs: 0 }, 'maxElapsedMs'],
    ['no tools', { tools: [] }, {}, 'at least one tool'],
    ['a broken request', { maxTokens: 0 }, {}, 'maxTokens'],
    [
      'a tool required of a request that may use none',
      { toolChoice: { mode: 'required' } },
      { maxIterations: 1 },
      'requires one',
    ],
  ])('the tool loop does not begin with %s', (_, more, limits, message) => {
    expect(() => startToolLoop(request(more), limits)).toThrow(message);
  });
});
