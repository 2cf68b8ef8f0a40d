/**
 * Any history the loop builds is balanced; any way to unbalance it is caught.
 *
 * @module-tag thorough
 */

import {
  advanceToolLoop,
  blocksOf,
  checkRequest,
  type SamplingMessage,
  type SamplingRequest,
  startToolLoop,
  type ToolLoopStep,
  type ToolResultContent,
  type ToolUseContent,
} from '@midcall/core/sampling';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const first: SamplingRequest = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Go.' } }],
  maxTokens: 10,
  tools: [{ name: 't', inputSchema: { type: 'object' } }],
};

/** One round: the ids the model asks for, and which ids the caller answers, rightly or not. */
const round = fc.record({
  ids: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
  prose: fc.boolean(),
  answered: fc.array(fc.nat(5), { maxLength: 6 }),
  stray: fc.array(fc.string({ maxLength: 6 }), { maxLength: 2 }),
});
type Round = typeof round extends fc.Arbitrary<infer T> ? T : never;

const resultFor = (toolUseId: string): ToolResultContent => ({
  type: 'tool_result',
  toolUseId,
  content: [{ type: 'text', text: '.' }],
});

function requestsOf(rounds: readonly Round[]): SamplingRequest[] {
  const requests: SamplingRequest[] = [];
  let step: ToolLoopStep = startToolLoop(first, { maxIterations: 100 });
  for (const { ids, prose, answered, stray } of rounds) {
    if (step.next !== 'sample') throw new Error(step.next);
    requests.push(step.request);
    const uses = ids.map((id): ToolUseContent => ({ type: 'tool_use', id, name: 't', input: {} }));
    const content = prose ? [{ type: 'text', text: 'Let me see.' }, ...uses] : uses;
    const run = advanceToolLoop(step.state, {
      kind: 'reply',
      result: { role: 'assistant', content, model: 'm', stopReason: 'toolUse' },
      elapsedMs: 0,
    });
    if (run.next !== 'run') throw new Error(run.next);
    const results = [...answered.flatMap(index => ids[index] ?? []), ...stray].map(resultFor);
    step = advanceToolLoop(run.state, { kind: 'results', results, elapsedMs: 0 });
  }
  if (step.next === 'sample') requests.push(step.request);
  return requests;
}

const passes = (messages: readonly SamplingMessage[]): boolean =>
  checkRequest({ ...first, messages }, { tools: {} }).ok;

const pick = <T>(items: readonly T[], at: number): T => items[at % items.length]!;

/** Ways to break a balanced history at one message of tool results (`index`) and one block in it. */
const mutations: Record<string, (messages: SamplingMessage[], index: number, block: number) => SamplingMessage[]> = {
  'a result goes missing': (messages, index, block) => {
    const blocks = blocksOf(messages[index]!);
    return messages.toSpliced(index, 1, { role: 'user', content: blocks.toSpliced(block % blocks.length, 1) });
  },
  'the message of results goes missing': (messages, index) => messages.toSpliced(index, 1),
  'a result is doubled': (messages, index, block) => {
    const blocks = blocksOf(messages[index]!);
    return messages.toSpliced(index, 1, { role: 'user', content: [...blocks, pick(blocks, block)] });
  },
  'a result has another id': (messages, index, block) => {
    const blocks = blocksOf(messages[index]!);
    const changed = blocks.with(block % blocks.length, resultFor('an id of no tool use'));
    return messages.toSpliced(index, 1, { role: 'user', content: changed });
  },
  'text joins the results': (messages, index, block) => {
    const blocks = blocksOf(messages[index]!);
    const text = { type: 'text', text: 'By the way,' } as const;
    return messages.toSpliced(index, 1, {
      role: 'user',
      content: blocks.toSpliced(block % (blocks.length + 1), 0, text),
    });
  },
  'a message comes between use and results': (messages, index) =>
    messages.toSpliced(index, 0, { role: 'user', content: { type: 'text', text: 'Wait.' } }),
  'the results come before the use': (messages, index) =>
    messages.toSpliced(index - 1, 2, messages[index]!, messages[index - 1]!),
  'the results come twice': (messages, index) => messages.toSpliced(index, 0, messages[index]!),
  'the assistant gives the results': (messages, index) =>
    messages.toSpliced(index, 1, { ...messages[index]!, role: 'assistant' }),
  'the user asks for the tool': (messages, index) =>
    messages.toSpliced(index - 1, 1, { ...messages[index - 1]!, role: 'user' }),
  'a use is doubled': (messages, index) => {
    const uses = blocksOf(messages[index - 1]!);
    return messages.toSpliced(index - 1, 1, { role: 'assistant', content: [...uses, uses.at(-1)!] });
  },
  'a use is added': (messages, index) => {
    const extra: ToolUseContent = { type: 'tool_use', id: 'an id nobody answers', name: 't', input: {} };
    const uses = blocksOf(messages[index - 1]!);
    return messages.toSpliced(index - 1, 1, { role: 'assistant', content: [...uses, extra] });
  },
};

describe('histories', () => {
  it('sampling-44; loop-T1: every request of a loop is balanced, whatever the caller answers', () => {
    fc.assert(
      fc.property(fc.array(round, { maxLength: 6 }), rounds => {
        for (const request of requestsOf(rounds)) expect(checkRequest(request, { tools: {} }).ok).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each(Object.entries(mutations))('balance-B1 to balance-B3: a broken history is caught when %s', (_, mutate) => {
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(9), fc.nat(9), (rounds, at, block) => {
        const messages = [...requestsOf(rounds).at(-1)!.messages];
        const results = messages.flatMap((message, index) =>
          blocksOf(message)[0]!.type === 'tool_result' ? [index] : [],
        );
        expect(passes(messages)).toBe(true);
        expect(passes(mutate(messages, pick(results, at), block))).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('sampling-94: no JSON value makes a check throw', () => {
    const block = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          type: fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'resource'),
          content: fc.jsonValue(),
          text: fc.jsonValue(),
          id: fc.jsonValue(),
          input: fc.jsonValue(),
        },
        { requiredKeys: ['type'] },
      ),
    );
    const params = fc.oneof(
      fc.jsonValue(),
      fc.record({
        messages: fc.array(
          fc.record({ role: fc.constantFrom('user', 'assistant', 'x'), content: fc.oneof(block, fc.array(block)) }),
        ),
        maxTokens: fc.jsonValue(),
        tools: fc.jsonValue(),
        toolChoice: fc.jsonValue(),
        modelPreferences: fc.jsonValue(),
      }),
    );
    fc.assert(
      fc.property(params, value => {
        expect(typeof checkRequest(value, { tools: {} }).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });
});
