/**
 * One meaning: random handlers within the written rules (docs/handlers.md), random answers, random cuts. Settling in place
 * (2025-11-25), replaying through sealed journals (2026-07-28) and a plain run without any engine come to the same result
 * and the same effects.
 *
 * @module-tag thorough
 */

import { memoryStore } from '@midcall/server/stores/memory';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest } from '../../../packages/server/src/base/digest.ts';
import type { Entry } from '../../../packages/server/src/engine/journal.ts';
import { Run } from '../../../packages/server/src/engine/run.ts';
import { insideStep } from '../../../packages/server/src/engine/run-errors.ts';
import type { Outcome } from '../../../packages/server/src/engine/seam.ts';
import { keyRing } from '../../../packages/server/src/state/keys.ts';
import { stepLedger } from '../../../packages/server/src/state/ledger.ts';
import { type Binding, openState, sealState } from '../../../packages/server/src/state/request-state.ts';
import { createSealer } from '../../../packages/server/src/state/seal.ts';
import { inSoak } from '../../fixtures/soak.ts';

/** What a random handler is made of. Names may repeat within a branch, never between branches that run side by side. */
type Node =
  | { readonly do: 'ask'; readonly name: string }
  | { readonly do: 'step'; readonly name: string; readonly turns: number; readonly throws: boolean }
  | { readonly do: 'asking-step'; readonly name: string; readonly turns: number; readonly catches: boolean }
  | { readonly do: 'retry'; readonly name: string; readonly failures: number }
  | { readonly do: 'throw-if'; readonly name: string }
  | { readonly do: 'seq'; readonly nodes: readonly Node[] }
  | { readonly do: 'all'; readonly nodes: readonly Node[] }
  | { readonly do: 'if'; readonly name: string; readonly even: Node; readonly odd: Node }
  | { readonly do: 'loop'; readonly name: string; readonly most: number; readonly body: Node }
  | { readonly do: 'try'; readonly body: Node; readonly caught: Node; readonly last: Node };

/** What a handler may call, however it is run. */
interface Host {
  ask(label: string): Promise<number>;
  step<T>(name: string, fn: () => Promise<T> | T): Promise<unknown>;
  /** Asks in the function of a step, which is refused. */
  askInside(label: string, step: string): Promise<number>;
}

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

/** Interprets a random handler; `where` tells branches that run side by side apart. */
async function interpret(node: Node, host: Host, effects: string[], where = ''): Promise<unknown> {
  switch (node.do) {
    case 'ask':
      return host.ask(`${where}${node.name}?`);
    case 'step':
      return host.step(`${where}${node.name}`, async () => {
        for (let n = 0; n < node.turns; n++) await turn();
        effects.push(`${where}${node.name}`);
        if (node.throws) throw Object.assign(new Error(`no ${node.name}`), { code: 'ENO' });
        return { name: node.name, list: [1, 2] };
      });
    case 'asking-step': {
      // The author's mistake: it is refused, in the step, and nobody is asked.
      const [step, label] = [`${where}${node.name}, asking`, `${where}${node.name}, inside?`];
      return host.step(step, async () => {
        for (let n = 0; n < node.turns; n++) await turn();
        effects.push(`${where}${node.name}`);
        const asked = host.askInside(label, step);
        return node.catches ? asked.catch((error: Error) => error.message) : asked;
      });
    }
    case 'retry':
      for (let attempt = 0; ; attempt++) {
        try {
          return await host.step(`${where}${node.name}#${attempt}`, () => {
            effects.push(`${where}${node.name}#${attempt}`);
            if (attempt < node.failures) throw new Error('not yet');
            return attempt;
          });
        } catch {
          await host.ask(`${where}${node.name} failed, again?`);
        }
      }
    case 'throw-if': {
      const answer = await host.ask(`${where}${node.name} or throw?`);
      if (answer % 2 === 1) throw new Error(`threw at ${answer}`);
      return answer;
    }
    case 'seq': {
      const results: unknown[] = [];
      for (const each of node.nodes) results.push(await interpret(each, host, effects, where));
      return results;
    }
    case 'all':
      return Promise.all(
        // A branch that fails while others wait for the person would leave them un-awaited; see the rules.
        node.nodes.map((each, index) =>
          interpret(each, host, effects, `${where}${index}/`).catch((error: Error) => `caught ${error.message}`),
        ),
      );
    case 'if': {
      const answer = await host.ask(`${where}${node.name}, if?`);
      return [answer, await interpret(answer % 2 === 0 ? node.even : node.odd, host, effects, where)];
    }
    case 'loop': {
      const results: unknown[] = [];
      for (let round = 0; round < node.most; round++) {
        results.push(await interpret(node.body, host, effects, where));
        if ((await host.ask(`${where}${node.name}, another?`)) % 3 === 0) break;
      }
      return results;
    }
    case 'try':
      try {
        // What a handler changes in what it was given changes nothing that was recorded.
        const result = await interpret(node.body, host, effects, where);
        (result as { list?: number[] }).list?.push(3);
        return result;
      } catch (error) {
        const { message, code } = error as Error & { code?: unknown };
        return [message, code, await interpret(node.caught, host, effects, where)];
      } finally {
        await interpret(node.last, host, effects, where);
      }
  }
}

const name = fc.constantFrom('a', 'b', 'c');
const { handler } = fc.letrec<{ handler: Node; leaf: Node }>(tie => ({
  leaf: fc.oneof(
    fc.record({ do: fc.constant('ask' as const), name }),
    fc.record({ do: fc.constant('step' as const), name, turns: fc.nat(2), throws: fc.boolean() }),
    fc.record({ do: fc.constant('asking-step' as const), name, turns: fc.nat(1), catches: fc.boolean() }),
    fc.record({ do: fc.constant('retry' as const), name, failures: fc.nat(2) }),
    fc.record({ do: fc.constant('throw-if' as const), name }),
  ),
  handler: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.record({ do: fc.constant('seq' as const), nodes: fc.array(tie('handler'), { maxLength: 4 }) }),
    fc.record({ do: fc.constant('all' as const), nodes: fc.array(tie('handler'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ do: fc.constant('if' as const), name, even: tie('handler'), odd: tie('handler') }),
    fc.record({ do: fc.constant('loop' as const), name, most: fc.integer({ min: 1, max: 3 }), body: tie('handler') }),
    fc.record({ do: fc.constant('try' as const), body: tie('handler'), caught: tie('handler'), last: tie('handler') }),
  ),
}));

/** The person: answers the n-th time a question is put by its words and the seed alone. */
const person = (seed: number) => (label: string, nth: number) =>
  Number.parseInt(
    digest([seed, label, nth])
      .replaceAll(/[^0-9]/g, '')
      .slice(0, 6) || '0',
    10,
  ) % 12;

interface Came {
  readonly kind: string;
  readonly result: unknown;
  /** Sorted: the order of effects side by side is nobody's. */
  readonly effects: readonly string[];
}

const came = (outcome: Outcome<unknown>, effects: readonly string[]): Came => ({
  kind: outcome.kind,
  result:
    outcome.kind === 'done'
      ? outcome.result
      : outcome.kind === 'failed'
        ? `${(outcome.error as { code?: string }).code ?? ''} ${(outcome.error as Error).message}`
        : undefined,
  effects: [...effects].sort(),
});

async function plainly(node: Node, seed: number): Promise<Came> {
  const effects: string[] = [];
  const counts = new Map<string, number>();
  const answer = person(seed);
  const host: Host = {
    async ask(label) {
      const nth = (counts.get(label) ?? 0) + 1;
      counts.set(label, nth);
      return answer(label, nth);
    },
    step: async (_, fn) => fn(),
    askInside: async (label, step) => {
      throw insideStep({ kind: 'elicit', label }, `step '${step}'`);
    },
  };
  try {
    const result = await interpret(node, host, effects);
    return came({ kind: 'done', result: JSON.parse(JSON.stringify(result ?? null)) }, effects);
  } catch (error) {
    return came({ kind: 'failed', error }, effects);
  }
}

const body = (node: Node, effects: string[]) => async (run: Run<unknown>) => {
  const host: Host = {
    ask: async label =>
      (await run.ask({ kind: 'elicit', identity: label, label, detail: undefined })).value as unknown as number,
    askInside: label => host.ask(label),
    step: (label, fn) => run.step(label, () => ({ run: fn, idempotent: false })),
  };
  return JSON.parse(JSON.stringify((await interpret(node, host, effects)) ?? null)) as unknown;
};

const nthOf = (id: string) => Number(id.split('.').at(-1));

async function inPlace(node: Node, seed: number): Promise<Came> {
  const effects: string[] = [];
  const run = new Run<unknown>(body(node, effects));
  for (;;) {
    const outcome = await run.next();
    if (outcome.kind !== 'needs') return came(outcome, effects);
    run.settle(new Map(outcome.asks.map(each => [each.id, person(seed)(each.label, nthOf(each.id))])));
  }
}

const binding: Binding = {
  principal: 'p',
  client: 'c',
  method: 'tools/call',
  name: 'act',
  arguments: 'a',
  audience: '',
  version: '',
};

/**
 * Replays every round from its sealed state.
 * @param cuts - for each round the turns of the event loop after which its run is cancelled and begun again, or none
 * @param some - answers only every second open question of a round, so that the rest stays out
 */
async function replayed(node: Node, seed: number, cuts: readonly (number | undefined)[], some: boolean): Promise<Came> {
  const effects: string[] = [];
  const store = memoryStore();
  const sealing = { sealer: createSealer(keyRing(new Uint8Array(32).fill(9))), store, clock: { now: () => 0 } };
  let journal: readonly Entry[] = [];
  let fresh = new Set<string>();
  for (let round = 0; ; round++) {
    const ledger = stepLedger(store, `flow-${round}`, 60_000);
    const cut = cuts[round % Math.max(1, cuts.length)];
    if (cut !== undefined) {
      const killed = new Run<unknown>(body(node, effects), journal, fresh, { ledger });
      void killed.next();
      for (let n = 0; n < cut; n++) await turn();
      await killed.cancel('gone');
      await killed.quiet();
    }
    const run = new Run<unknown>(body(node, effects), journal, fresh, { ledger, graceMs: 200 });
    const outcome = await run.next();
    if (outcome.kind !== 'needs') return came(outcome, effects);
    await run.suspend();
    const answered = outcome.asks.filter((_, index) => !some || index % 2 === 0);
    const state = { flow: 'f', nonce: `n${round}`, round, issuedAt: 0, expiresAt: 1000, journal: run.journal, out: [] };
    const text = await sealState(state, binding, sealing, round % 2 === 0 ? 100_000 : 256);
    const opened = await openState(text, binding, sealing, 100_000);
    if (!opened.ok) throw new Error(opened.reason);
    const entries = answered.map<Entry>(({ id, kind, label }) => ({
      id,
      kind,
      label,
      value: person(seed)(label, nthOf(id)),
    }));
    fresh = new Set(entries.map(entry => entry.id));
    journal = [...opened.state.journal, ...entries];
  }
}

const numRuns = Number(process.env['MIDCALL_RUNS'] ?? inSoak(5_000, 150));

describe('a random handler within the rules', () => {
  it('a random handler means the same run plainly and settled in place', async () => {
    await fc.assert(
      fc.asyncProperty(handler, fc.nat(), async (node, seed) => {
        expect(await inPlace(node, seed)).toEqual(await plainly(node, seed));
      }),
      { numRuns },
    );
  });

  it('a random handler means the same replayed from sealed journals, answered whole or in part', async () => {
    await fc.assert(
      fc.asyncProperty(handler, fc.nat(), fc.boolean(), async (node, seed, some) => {
        expect(await replayed(node, seed, [], some)).toEqual(await plainly(node, seed));
      }),
      { numRuns },
    );
  });

  it('a random handler whose runs are cut anywhere and begun again means the same: no effect is lost or repeated', async () => {
    const cuts = fc.array(fc.option(fc.nat(6), { nil: undefined }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(handler, fc.nat(), cuts, async (node, seed, at) => {
        expect(await replayed(node, seed, at, false)).toEqual(await plainly(node, seed));
      }),
      { numRuns },
    );
  });
});
