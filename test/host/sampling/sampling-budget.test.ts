import type { SamplingRequest } from '@midcall/core/sampling';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SamplingLimits, samplingBudget } from '../../../packages/host/src/sampling/budget.ts';

const request = (maxTokens = 100, turns = 0): SamplingRequest => ({
  messages: [
    { role: 'user', content: { type: 'text', text: 'Hi.' } },
    ...Array.from({ length: turns }, (_, index) => [
      { role: 'assistant', content: { type: 'tool_use', id: `${index}`, name: 't', input: {} } } as const,
      { role: 'user', content: { type: 'tool_result', toolUseId: `${index}`, content: [] } } as const,
    ]).flat(),
  ],
  maxTokens,
});

function account(limits: Partial<SamplingLimits>) {
  const clock = { now: 0 };
  return { clock, budget: samplingBudget(limits, { clock: { now: () => clock.now } }) };
}

function taken(budget: ReturnType<typeof samplingBudget>, asked = request()) {
  const run = budget.take(asked);
  if (!run.ok) throw new Error(run.why);
  return run;
}

describe('the sampling budget of a server', () => {
  it('sampling-96: the sampling budget of a server counts requests, and says when it may ask again', () => {
    const { budget, clock } = account({ requests: 2, windowMs: 60_000 });
    taken(budget);
    clock.now = 10_000;
    taken(budget);
    expect(budget.take(request())).toEqual({
      ok: false,
      why: 'This server has used up its 2 sampling requests; ask again in 50 s.',
    });
    clock.now = 60_000;
    expect(taken(budget).ok).toBe(true);
  });

  it('the sampling budget of a server says nothing about later where there is no window', () => {
    const { budget, clock } = account({ requests: 1 });
    taken(budget);
    clock.now = 1e12;
    expect(budget.judge(request())).toEqual({ ok: false, why: 'This server has used up its 1 sampling request.' });
  });

  it('sampling-99: the turns of tool use in one conversation are bounded', () => {
    const { budget } = account({ depth: 2 });
    expect(budget.judge(request(100, 2)).ok).toBe(true);
    expect(budget.judge(request(100, 3))).toEqual({
      ok: false,
      why: 'This conversation holds 3 turns of tool use; at most 2 are allowed.',
    });
  });

  it('budget-G1: runs side by side count before they have ended', () => {
    const { budget } = account({ tokens: 1_000 });
    expect(taken(budget, request(900)).maxTokens).toBe(900);
    expect(taken(budget, request(900)).maxTokens).toBeLessThan(100);
    expect(budget.spent()).toEqual({ requests: 2, tokens: 1_000 });
    expect(budget.take(request(1))).toEqual({ ok: false, why: 'This server has used up its 1000 tokens.' });
  });

  it('sampling-101; budget-G2: a request is shortened to what is left', () => {
    const { budget } = account({ tokens: 500 });
    taken(budget).settle({ inputTokens: 200, outputTokens: 100 });
    const verdict = budget.judge(request(10_000));
    expect(verdict.ok && verdict.maxTokens).toBeLessThan(200);
  });

  it('a prompt that is longer than what is left is refused', () => {
    const { budget } = account({ tokens: 20 });
    expect(budget.judge(request())).toMatchObject({ ok: false, why: expect.stringContaining('20 tokens') });
  });

  it('budget-G3: what was spent replaces what was set aside; a run that never told stays counted', () => {
    const { budget } = account({});
    const run = taken(budget);
    const setAside = budget.spent().tokens;
    expect(setAside).toBeGreaterThan(100);
    run.settle({ inputTokens: 4, outputTokens: 2 });
    expect(budget.spent()).toEqual({ requests: 1, tokens: 6 });
    taken(budget);
    expect(budget.spent()).toEqual({ requests: 2, tokens: 6 + setAside });
  });

  it('the sampling budget of a server counts an image at a flat rate, not by its base64', () => {
    const { budget } = account({ tokens: 10_000 });
    const data = 'QUJD'.repeat(250_000);
    const messages = [{ role: 'user', content: { type: 'image', data, mimeType: 'image/png' } }] as const;
    expect(budget.judge({ messages, maxTokens: 100 })).toEqual({ ok: true, maxTokens: 100 });
  });

  it('judging a request changes nothing in the budget', () => {
    const { budget } = account({ requests: 1 });
    for (let turn = 0; turn < 5; turn++) expect(budget.judge(request()).ok).toBe(true);
    expect(budget.spent()).toEqual({ requests: 0, tokens: 0 });
  });

  it.each(['requests', 'tokens', 'depth', 'windowMs'])(
    'the sampling budget of a server cannot be opened with half of %s',
    name => {
      expect(() => account({ [name]: 0.5 })).toThrow(`${name} must be a whole number`);
    },
  );

  it('budget-G1, budget-G2: no order of runs passes the limits, as long as models keep to theirs', () => {
    const act = fc.record({
      maxTokens: fc.integer({ min: 1, max: 400 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      wait: fc.nat(40),
      settles: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), acts => {
        const { budget, clock } = account({ requests: 7, tokens: 900, windowMs: 100 });
        for (const { maxTokens, share, wait, settles } of acts) {
          clock.now += wait;
          const run = budget.take(request(maxTokens));
          if (run.ok) {
            expect(run.maxTokens).toBeLessThanOrEqual(maxTokens);
            if (settles) run.settle({ inputTokens: 3, outputTokens: Math.floor(run.maxTokens * share) });
          }
          const { requests, tokens } = budget.spent();
          expect(requests).toBeLessThanOrEqual(7);
          expect(tokens).toBeLessThanOrEqual(900);
        }
      }),
      { numRuns: 300 },
    );
  });
});
