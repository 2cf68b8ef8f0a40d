/** The engine's invariants, by number; see the head of packages/server/src/engine/run.ts. */
import { systemClock } from '@midcall/core/time';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../packages/server/src/base/digest.ts';
import type { Entry } from '../../../packages/server/src/engine/journal.ts';
import { Run } from '../../../packages/server/src/engine/run.ts';
import type { OpenAsk, Outcome } from '../../../packages/server/src/engine/seam.ts';

type Handler<R> = (run: Run<R>) => Promise<R>;

const ask = <R>(run: Run<R>, label: string) =>
  run.ask({ kind: 'elicit', identity: label, label, detail: undefined }).then(recorded => recorded.value);

const step = <R, T>(run: Run<R>, name: string, fn: () => Promise<T> | T) =>
  run.step(name, () => ({ run: fn, idempotent: false }));

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

/** Runs by replay: every round is answered by a new run. */
async function replay<R>(
  handler: Handler<R>,
  answer: (ask: OpenAsk) => Json,
): Promise<{ outcome: Outcome<R>; rounds: number }> {
  let journal: Entry[] = [];
  let fresh = new Set<string>();
  for (let rounds = 0; ; rounds++) {
    const run = new Run<R>(handler, journal, fresh, { graceMs: 20 });
    const outcome = await run.next();
    if (outcome.kind !== 'needs') return { outcome, rounds };
    await run.suspend();
    const entries = outcome.asks.map<Entry>(({ id, kind, label, ...rest }) => ({
      id,
      kind,
      label,
      value: answer({ id, kind, label, ...rest }),
    }));
    fresh = new Set(entries.map(entry => entry.id));
    journal = [...run.journal, ...entries];
  }
}

/** Runs in place: every round settles the same run. */
async function inPlace<R>(
  handler: Handler<R>,
  answer: (ask: OpenAsk) => Json,
): Promise<{ outcome: Outcome<R>; rounds: number }> {
  const run = new Run<R>(handler);
  for (let rounds = 0; ; rounds++) {
    const outcome = await run.next();
    if (outcome.kind !== 'needs') return { outcome, rounds };
    run.settle(new Map(outcome.asks.map(each => [each.id, answer(each)])));
  }
}

describe.each([
  ['replay', replay],
  ['in place', inPlace],
] as const)('a handler run by %s', (_, drive) => {
  it('run-E1: a handler gives its result with the answers in place', async () => {
    const { outcome, rounds } = await drive(
      async run => [await ask(run, 'a'), await ask(run, 'b')],
      each => `${each.label}!`,
    );
    expect(outcome).toEqual({ kind: 'done', result: ['a!', 'b!'] });
    expect(rounds).toBe(2);
  });

  it('run-E3: parallel asks leave as one round', async () => {
    const { outcome, rounds } = await drive(
      run => Promise.all([ask(run, 'a'), ask(run, 'b'), ask(run, 'c')]),
      each => each.label,
    );
    expect(outcome).toEqual({ kind: 'done', result: ['a', 'b', 'c'] });
    expect(rounds).toBe(1);
  });

  it('run-E3: an ask beside a step waits for the step, and what follows it', async () => {
    const { outcome, rounds } = await drive(
      run =>
        Promise.all([
          ask(run, 'a'),
          step(run, 's', async () => {
            await turn();
            await turn();
          }).then(() => ask(run, 'b')),
        ]),
      each => each.label,
    );
    expect(outcome).toEqual({ kind: 'done', result: ['a', 'b'] });
    expect(rounds).toBe(1);
  });

  it('run-E1: a step runs once, whatever the rounds, and gives the same JSON copy each time', async () => {
    let runs = 0;
    const seen: unknown[] = [];
    const { outcome } = await drive(
      async run => {
        const made = await step(run, 's', () => ({ n: ++runs, at: new Date(0), gone: undefined }));
        seen.push(made);
        await ask(run, 'a');
        await ask(run, 'b');
        return made;
      },
      () => 1,
    );
    expect(runs).toBe(1);
    expect(outcome).toEqual({ kind: 'done', result: { n: 1, at: '1970-01-01T00:00:00.000Z' } });
    for (const each of seen) expect(each).toEqual({ n: 1, at: '1970-01-01T00:00:00.000Z' });
  });

  it('run-E1: a step that throws throws the same on replay', async () => {
    let runs = 0;
    const { outcome } = await drive(
      async run => {
        const caught = await step(run, 's', () => {
          runs++;
          throw Object.assign(new Error('no disk'), { code: 'ENOSPC' });
        }).catch((error: Error & { code?: string }) => [error.message, error.code]);
        await ask(run, 'a');
        return caught;
      },
      () => 1,
    );
    expect(runs).toBe(1);
    expect(outcome).toEqual({ kind: 'done', result: ['no disk', 'ENOSPC'] });
  });

  it('run-E5: the same question asked twice gets two answers, in order', async () => {
    let n = 0;
    const { outcome } = await drive(
      async run => [await ask(run, 'more?'), await ask(run, 'more?')],
      () => ++n,
    );
    expect(outcome).toEqual({ kind: 'done', result: [1, 2] });
  });

  it('run-E3: an ask of a step’s own function is refused, after an await too, and the step has failed', async () => {
    let effects = 0;
    const errors: unknown[] = [];
    const refused = (work: Promise<unknown>) => work.catch((error: Error & { code?: string }) => errors.push(error));
    const { outcome, rounds } = await drive(
      async run => {
        await refused(step(run, 'at once', () => ask(run, 'a')));
        await refused(
          step(run, 'after a turn', async () => {
            await turn();
            await ask(run, 'a');
            effects++;
          }),
        );
        await refused(
          step(run, 'deeper', async () => {
            await turn();
            await Promise.all([turn(), turn().then(() => step(run, 'inner', () => effects++))]);
          }),
        );
        await refused(
          run.step('check', () => ({ run: () => ask(run, 'a'), idempotent: true, check: () => undefined })),
        );
        return ask(run, 'a');
      },
      each => each.label,
    );
    expect(outcome).toEqual({ kind: 'done', result: 'a' });
    expect(rounds).toBe(1);
    expect(effects).toBe(0);
    for (const error of errors) expect(error).toMatchObject({ code: 'ask/nested' });
    expect(String(errors[1])).toContain("The function of step 'after a turn' called for elicit 'a'");
  });

  it('run-E3: asks beside a step are put, however they are woven', async () => {
    const { outcome, rounds } = await drive(
      run =>
        Promise.all([
          step(run, 's', async () => {
            for (let n = 0; n < 5; n++) await turn();
          }),
          turn().then(() => ask(run, 'a')),
          (async () => {
            await turn();
            await step(run, 't', turn);
            return ask(run, 'b');
          })(),
        ]),
      each => each.label,
    );
    expect(outcome).toEqual({ kind: 'done', result: [undefined, 'a', 'b'] });
    expect(rounds).toBe(1);
  });

  it('run-E3: after a step its successor may ask, also from what the step left running', async () => {
    const { outcome } = await drive(
      async run => {
        let late: Promise<unknown> | undefined;
        let ended = (): void => {};
        const end = new Promise<void>(resolve => {
          ended = resolve;
        });
        await step(run, 's', () => {
          late = end.then(() => ask(run, 'late'));
        });
        ended();
        return late ?? ask(run, 'late');
      },
      each => each.label,
    );
    expect(outcome).toEqual({ kind: 'done', result: 'late' });
  });

  it('run-E6: an ask that is not awaited is an error that names it', async () => {
    const { outcome } = await drive(
      async run => {
        void ask(run, 'Delete it?');
        return 1;
      },
      () => 1,
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ask/not-awaited' } });
    expect(String((outcome as { error: Error }).error.message)).toContain("'Delete it?'");
  });

  it('a run fails with what its handler threw', async () => {
    const { outcome } = await drive(
      async run => {
        await ask(run, 'a');
        throw new Error('boom');
      },
      () => 1,
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: { message: 'boom' } });
  });
});

describe('a run whose round is out', () => {
  it('run-E2, run-E4: code after an unanswered ask never runs, not in catch and not in finally', async () => {
    const ran: string[] = [];
    const run = new Run<void>(async r => {
      try {
        await ask(r, 'a');
        ran.push('after');
      } catch {
        ran.push('catch');
      } finally {
        ran.push('finally');
      }
    });
    expect((await run.next()).kind).toBe('needs');
    await run.suspend();
    await turn();
    await turn();
    expect(ran).toEqual([]);
  });

  it('run-E4: nothing beside the ask starts once the round has left', async () => {
    let charged = 0;
    let slowEnded = (): void => {};
    const slow = new Promise<void>(resolve => {
      slowEnded = resolve;
    });
    const run = new Run<unknown>(r => Promise.all([ask(r, 'a'), slow.then(() => step(r, 'charge', () => ++charged))]));
    expect((await run.next()).kind).toBe('needs');
    slowEnded();
    await turn();
    await turn();
    expect(charged).toBe(0);
    await run.suspend();
    await turn();
    expect(charged).toBe(0);
  });

  it('run-E4: a step that was held back goes on when the round is settled in place', async () => {
    let charged = 0;
    let slowEnded = (): void => {};
    const slow = new Promise<void>(resolve => {
      slowEnded = resolve;
    });
    const run = new Run<unknown>(r => Promise.all([ask(r, 'a'), slow.then(() => step(r, 'charge', () => ++charged))]));
    const outcome = await run.next();
    if (outcome.kind !== 'needs') throw new Error('no round');
    slowEnded();
    await turn();
    run.settle(new Map(outcome.asks.map(each => [each.id, 'yes'])));
    expect(await run.next()).toEqual({ kind: 'done', result: ['yes', 1] });
    expect(charged).toBe(1);
  });

  it('run-E3: a step that begins in the turn of the idle check keeps the round back', async () => {
    const order: string[] = [];
    const run = new Run<unknown>(r =>
      Promise.all([
        ask(r, 'a'),
        new Promise<void>(resolve => setImmediate(resolve)).then(() =>
          step(r, 's', async () => {
            order.push('begun');
            await turn();
            order.push('ended');
          }),
        ),
      ]),
    );
    const outcome = await run.next();
    order.push(outcome.kind);
    // Either the step was held, or it ended before the round left; it is never cut in the middle.
    expect([['needs'], ['begun', 'ended', 'needs']]).toContainEqual(order);
  });

  it('run-E4: a handler that returns while its round is out ends nothing: what it deferred runs once the run is suspended', async () => {
    const ends: unknown[] = [];
    let timerEnded = (): void => {};
    const timer = new Promise<void>(resolve => {
      timerEnded = resolve;
    });
    const run = new Run<unknown>(r => {
      r.defer(end => void ends.push(end));
      return Promise.race([ask(r, 'a'), timer]);
    });
    expect((await run.next()).kind).toBe('needs');
    timerEnded();
    await turn();
    expect(ends).toEqual([]);
    await run.suspend();
    expect(ends).toEqual(['suspended']);
  });

  it('run-E6: a handler that outruns its question is told apart', async () => {
    let timerEnded = (): void => {};
    const timer = new Promise<string>(resolve => {
      timerEnded = () => resolve('late');
    });
    const run = new Run<unknown>(r => Promise.race([ask(r, 'a'), timer]));
    expect((await run.next()).kind).toBe('needs');
    expect(run.outran).toBe(false);
    timerEnded();
    await turn();
    expect(run.outran).toBe(true);
  });
});

describe('what a round settles', () => {
  const round = async (run: Run<unknown>): Promise<readonly OpenAsk[]> => {
    const outcome = await run.next();
    if (outcome.kind !== 'needs') throw new Error(`no round: ${outcome.kind}`);
    return outcome.asks;
  };

  it('run-E2: an ask that a round leaves without a value stays open, and leaves again', async () => {
    const run = new Run<unknown>(r => Promise.all([ask(r, 'a'), ask(r, 'b')]));
    const [a, b] = await round(run);
    run.settle(new Map([[a!.id, 1]]));
    expect((await round(run)).map(({ id }) => id)).toEqual([b!.id]);
    expect(run.asking).toBe(true);
    run.settle(new Map([[b!.id, null]]));
    expect(await run.next()).toEqual({ kind: 'done', result: [1, null] });
    expect(run.asking).toBe(false);
  });

  it('run-E2: a value that comes while no round is out settles nothing, nor one for a question that was not asked', async () => {
    const [{ id }] = (await round(new Run<unknown>(r => ask(r, 'a')))) as [OpenAsk];
    const seen: Json[] = [];
    let end = (): void => {};
    const run = new Run<unknown>(r =>
      Promise.all([
        ask(r, 'a').then(value => seen.push(value)),
        step(r, 's', () => new Promise<void>(resolve => (end = resolve))),
      ]),
    );
    const next = run.next();
    await turn();
    run.settle(new Map([[id, 'early']]));
    await turn();
    end();
    expect((await next).kind).toBe('needs');
    run.settle(new Map([['another', 'foreign']]));
    expect(await round(run)).toMatchObject([{ id }]);
    await run.cancel('gone');
    run.settle(new Map([[id, 'late']]));
    for (let n = 0; n < 3; n++) await turn();
    expect(seen).toEqual([]);
    expect({ asking: run.asking, answers: run.journal.filter(({ kind }) => kind !== 'step') }).toEqual({
      asking: false,
      answers: [],
    });
  });

  it('run-E3: a question asked in the same turn as another leaves with it', async () => {
    const due: (() => void)[] = [];
    const run = new Run<unknown>(
      async r => {
        const a = ask(r, 'a');
        await turn();
        return Promise.all([a, ask(r, 'b')]);
      },
      [],
      new Set(),
      { turn: fn => due.push(fn) },
    );
    let outcome: Outcome<unknown> | undefined;
    void run.next().then(given => (outcome = given));
    await turn();
    await turn();
    due.shift()!();
    await turn();
    expect(outcome).toBeUndefined();
    due.shift()!();
    await turn();
    expect(outcome).toMatchObject({ kind: 'needs', asks: [{ label: 'a' }, { label: 'b' }] });
  });

  it('a round that comes before anybody waits for it is given once, and an end to everybody who asks', async () => {
    const run = new Run<unknown>(async r => [await ask(r, 'a'), await ask(r, 'b')]);
    for (const label of ['a', 'b']) {
      const outcome = await run.next();
      const asks = outcome.kind === 'needs' ? outcome.asks : [];
      expect(asks.map(each => each.label)).toEqual([label]);
      run.settle(new Map(asks.map(each => [each.id, `${label}!`])));
      for (let n = 0; n < 5; n += 1) await turn();
    }
    for (let n = 0; n < 2; n += 1) expect(await run.next()).toEqual({ kind: 'done', result: ['a!', 'b!'] });
  });

  it('a run that has failed is not failed again, nor does it become cancelled', async () => {
    const run = new Run<unknown>(r => ask(r, 'a'));
    await round(run);
    void run.fail(new Error('first'));
    void run.fail(new Error('second'));
    await run.cancel('gone');
    expect(await run.next()).toMatchObject({ kind: 'failed', error: { message: 'first' } });
  });
});

describe('run-E9: the journal is nobody’s to change', () => {
  type Held = { list: number[] };
  const held = (): Held => ({ list: [1] });
  const journalOf = (run: Run<unknown>) => run.journal.map(entry => entry.value);
  const elicit = (run: Run<unknown>, instead?: Json | (() => Promise<Json>)) =>
    typeof instead === 'function'
      ? run.find({ kind: 'elicit', identity: 'a', label: 'a' }, instead)
      : run.ask({ kind: 'elicit', identity: 'a', label: 'a', detail: undefined }, instead);
  const change = ({ value }: { readonly value: unknown }) => {
    (value as Held).list.push(2);
    return value as Json;
  };

  it('an answer that an earlier run recorded is given as a copy', async () => {
    const first = new Run<unknown>(elicit);
    const outcome = await first.next();
    if (outcome.kind !== 'needs') throw new Error('no round');
    await first.suspend();
    const journal: Entry[] = [
      { id: outcome.asks[0]!.id, kind: 'elicit', label: 'a', value: held() as unknown as Json },
    ];
    const run = new Run<unknown>(r => elicit(r).then(change), journal);
    expect(await run.next()).toEqual({ kind: 'done', result: { list: [1, 2] } });
    expect([journal[0]!.value, ...journalOf(run)]).toEqual([held(), held()]);
  });

  it('an answer that settles in place is given as a copy, and so is the value the driver holds', async () => {
    const run = new Run<unknown>(r => elicit(r).then(change));
    const outcome = await run.next();
    if (outcome.kind !== 'needs') throw new Error('no round');
    const given = held();
    run.settle(new Map([[outcome.asks[0]!.id, given as unknown as Json]]));
    expect(await run.next()).toEqual({ kind: 'done', result: { list: [1, 2] } });
    expect([given, ...journalOf(run)]).toEqual([held(), held()]);
  });

  it.each([
    ['told', (value: Json) => value],
    ['found out', (value: Json) => async () => value],
  ] as const)('what is recorded without asking anybody is given as a copy: %s', async (_, instead) => {
    const given = held();
    const run = new Run<unknown>(r => elicit(r, instead(given as unknown as Json)).then(change));
    expect(await run.next()).toEqual({ kind: 'done', result: { list: [1, 2] } });
    expect([given, ...journalOf(run)]).toEqual([held(), held()]);
  });

  it('what a step returned is given as a copy, in this run and in the next', async () => {
    const made = held();
    const handler = (r: Run<unknown>) => step(r, 's', () => made).then(value => change({ value }));
    const first = new Run<unknown>(handler);
    await first.next();
    const second = new Run<unknown>(handler, first.journal);
    await second.next();
    expect([made, ...journalOf(first), ...journalOf(second)]).toEqual([held(), held(), held()]);
  });
});

describe('cancelling', () => {
  it('run-E7: a cancelled run fires its signal while no ask is open', async () => {
    const run = new Run<unknown>(r =>
      step(
        r,
        's',
        () => new Promise((_, reject) => r.signal.addEventListener('abort', () => reject(new Error('stopped')))),
      ),
    );
    const next = run.next();
    await turn();
    await run.cancel('gone');
    expect(run.signal.aborted).toBe(true);
    expect((await next).kind).toBe('cancelled');
  });

  it.each<[string, (run: Run<unknown>) => Promise<unknown>, (run: Run<unknown>) => Promise<unknown>, string]>([
    ['gives its result', async () => 1, async () => {}, 'done'],
    ['throws', async () => Promise.reject(new Error('no')), async () => {}, 'failed'],
    ['waits for the person', r => ask(r, 'a'), r => r.suspend(), 'suspended'],
    ['is cancelled', r => ask(r, 'a'), r => r.cancel('gone'), 'cancelled'],
    ['is ended from outside', r => ask(r, 'a'), r => r.fail(new Error('no')).catch(() => {}), 'failed'],
  ])(
    'a function given to defer is told how the run ended: one that %s, also where it comes late',
    async (_, handler, end, how) => {
      const ends: string[] = [];
      const run = new Run<unknown>(async r => {
        r.defer(each => void ends.push(each));
        return handler(r);
      });
      await run.next();
      void end(run);
      for (let n = 0; n < 3; n += 1) await turn();
      run.defer(each => void ends.push(`${each}, late`));
      await turn();
      expect(ends).toEqual([how, `${how}, late`]);
    },
  );

  it('what the client was told is told once in a run, and never after its end', async () => {
    const told: boolean[] = [];
    const run = new Run<unknown>(async r => {
      for (const what of ['a', 'a', 'b']) told.push(r.say(what));
    });
    await run.next();
    told.push(run.say('c'));
    // Each time it is said is a time of its own; a run that replays says none of them again.
    expect(told).toEqual([true, true, true, false]);
    const again: boolean[] = [];
    const next = new Run<unknown>(async r => {
      for (const what of ['a', 'a', 'b', 'c']) again.push(r.say(what));
    }, run.journal);
    await next.next();
    expect(again).toEqual([false, false, false, true]);
  });

  it('run-E7: a cancelled run keeps its signal silent while an ask is open, and runs what defer was given once', async () => {
    const ran: string[] = [];
    const run = new Run<unknown>(async r => {
      r.defer(() => void ran.push('deferred'));
      try {
        await Promise.all([ask(r, 'a'), new Promise((_, reject) => r.signal.addEventListener('abort', reject))]);
      } catch {
        ran.push('catch');
        await step(r, 'undo', () => ran.push('undo'));
      }
    });
    expect((await run.next()).kind).toBe('needs');
    await run.cancel('gone');
    await run.cancel('gone again');
    await turn();
    expect(run.signal.aborted).toBe(false);
    expect(ran).toEqual(['deferred']);
  });

  it('run-E4: nothing starts after a cancel, not even where the handler swallows the abort', async () => {
    const ran: string[] = [];
    const run = new Run<unknown>(async r => {
      await step(r, 'work', () => new Promise(resolve => r.signal.addEventListener('abort', () => resolve(1))));
      ran.push('after');
      await step(r, 'charge', () => ran.push('charged'));
    });
    void run.next();
    await turn();
    await run.cancel('gone');
    await turn();
    await turn();
    expect(ran).toEqual([]);
  });
});

describe('a step and a question that wait for each other', () => {
  /** A timer that runs when it is told to. */
  function manual() {
    const due: { fn: () => void; ms: number }[] = [];
    const after = (ms: number, fn: () => void) => {
      const each = { fn, ms };
      due.push(each);
      return () => void due.splice(due.indexOf(each), 1);
    };
    return { due, clock: { ...systemClock, after } };
  }

  const crossed = (run: Run<unknown>) => {
    const answer = ask(run, 'Go on?');
    return step(run, 'wait', () => answer);
  };

  it('run-E3: the call ends with an error that names both, and with no timer left', async () => {
    const { due, clock } = manual();
    const run = new Run<unknown>(crossed, [], new Set(), { clock, stallMs: 5 });
    const next = run.next();
    for (let n = 0; n < 5; n++) await turn();
    expect(due.map(each => each.ms)).toEqual([5]);
    due[0]!.fn();
    const outcome = await next;
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ask/nested' } });
    const { message } = (outcome as { error: Error }).error;
    expect(message).toContain("elicit 'Go on?' could not be asked, because step 'wait' did not end");
    expect(due.length).toBeLessThanOrEqual(1);
  });

  it('run-E3: a step that ends in time lets the question go, and takes the timer along', async () => {
    const { due, clock } = manual();
    let end = (): void => {};
    const run = new Run<unknown>(
      r => Promise.all([ask(r, 'a'), step(r, 's', () => new Promise<void>(resolve => (end = resolve)))]),
      [],
      new Set(),
      { clock },
    );
    const next = run.next();
    for (let n = 0; n < 5; n++) await turn();
    expect(due).toHaveLength(1);
    end();
    expect((await next).kind).toBe('needs');
    expect(due).toHaveLength(0);
    await run.suspend();
  });

  it('run-E4: a run that is cancelled meanwhile falls quiet when its time is up, so nobody waits for it for ever', async () => {
    const { due, clock } = manual();
    const run = new Run<unknown>(crossed, [], new Set(), { clock, stallMs: 5 });
    void run.next();
    for (let n = 0; n < 5; n++) await turn();
    await run.cancel('gone');
    let quiet = false;
    const wait = run.quiet().then(() => {
      quiet = true;
    });
    await turn();
    expect(quiet).toBe(false);
    due.at(-1)!.fn();
    await wait;
  });

  it('run-E4: a step that comes to a file operation after the cancel has no end, and nobody waits for it', async () => {
    let go = (): void => {};
    let touched = 0;
    const run = new Run<unknown>(r =>
      step(r, 's', async () => {
        await new Promise<void>(resolve => (go = resolve));
        await r.guarded(async () => ++touched);
      }),
    );
    void run.next();
    await turn();
    await run.cancel('gone');
    go();
    await run.quiet();
    expect(touched).toBe(0);
  });
});

describe('what defer was given', () => {
  it.each(['ask', 'step', 'file operation'] as const)(
    'run-E7: a function given to defer may start no %s, and the call still ends',
    async what => {
      const errors: unknown[] = [];
      const run = new Run<unknown>(
        async r => {
          r.defer(async () => {
            await turn();
            if (what === 'ask') await ask(r, 'a');
            else if (what === 'step') await step(r, 's', () => {});
            else await r.guarded(async () => {});
          });
          return 'result';
        },
        [],
        new Set(),
        { onDeferError: error => errors.push(error) },
      );
      expect(await run.next()).toEqual({ kind: 'done', result: 'result' });
      expect(errors).toMatchObject([{ code: 'ask/nested' }]);
    },
  );
});

describe('divergence', () => {
  it('run-E5: the error of a divergence names what was recorded and what this run asked instead', async () => {
    let n = 0;
    const { outcome } = await replay(
      async run => ask(run, `Delete ${++n} notes?`),
      () => 1,
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'ask/diverged' } });
    const { message } = (outcome as { error: Error }).error;
    expect(message).toContain("elicit 'Delete 1 notes?'");
    expect(message).toContain("elicit 'Delete 2 notes?' instead");
  });

  it('run-E5: an answer is for the kind of question it was given to, though another is worded the same', async () => {
    const identity = { message: 'Sure?' };
    const ids: string[] = [];
    const run = new Run<unknown>(async r => {
      expect(r.foresees({ kind: 'url', identity })).toBe(false);
      const asks = (['elicit', 'url', 'sample'] as const).map(kind =>
        r.ask({ kind, identity, label: 'Sure?', detail: undefined }),
      );
      return Promise.all(asks);
    });
    const outcome = await run.next();
    if (outcome.kind !== 'needs') throw new Error('no round');
    ids.push(...outcome.asks.map(({ id }) => id));
    expect(new Set(ids).size).toBe(3);
    const url = new Run<unknown>(
      async r => r.foresees({ kind: 'url', identity }),
      [{ id: ids[0]!, kind: 'elicit', label: 'Sure?', value: 1 }],
    );
    await url.next();
    expect(url.journal).toHaveLength(1);
    const foreseen = new Run<unknown>(
      async r => {
        const seen = [r.foresees({ kind: 'url', identity }), r.foresees({ kind: 'elicit', identity })];
        await r.ask({ kind: 'elicit', identity, label: 'Sure?', detail: undefined });
        return seen;
      },
      [{ id: ids[0]!, kind: 'elicit', label: 'Sure?', value: 1 }],
    );
    expect(await foreseen.next()).toEqual({ kind: 'done', result: [false, true] });
  });

  it('run-E5: only what the last round added is new to a handler', async () => {
    const seen: boolean[] = [];
    const handler: Handler<unknown> = async run => {
      for (const label of ['a', 'b']) {
        const { fresh } = await run.ask({ kind: 'elicit', identity: label, label, detail: undefined });
        seen.push(fresh);
      }
    };
    await replay(handler, () => 1);
    expect(seen).toEqual([true, false, true]);
  });

  it('run-E5: the error of a divergence names as asked instead only what has no answer', async () => {
    const run = new Run<unknown>(
      async r => void (await ask(r, 'answered')),
      [{ id: 'x', kind: 'step', label: 'find', value: 1 }],
    );
    const outcome = await run.next();
    if (outcome.kind !== 'needs') throw new Error('no round');
    run.settle(new Map([[outcome.asks[0]!.id, 1]]));
    const ended = (await run.next()) as { readonly error: Error };
    expect(ended.error.message).toContain("step 'find'");
    expect(ended.error.message).not.toContain('answered');
  });

  it('run-E5: a recorded entry that a finished run did not use is an error', async () => {
    const run = new Run<unknown>(async () => 'done', [{ id: 'x', kind: 'step', label: 'find', value: 1 }]);
    expect(await run.next()).toMatchObject({ kind: 'failed', error: { code: 'ask/diverged' } });
  });

  it('run-E5: questions that come back late are waited for, not called diverged', async () => {
    const later = async (ms: number) => {
      for (let n = 0; n < ms; n++) await turn();
    };
    const { outcome } = await replay(
      run =>
        Promise.all([
          step(run, 'slow', () => later(20)).then(() => ask(run, 'b')),
          later(5).then(() => ask(run, 'a')),
        ]).then(async both => [...both, await ask(run, 'c')]),
      each => each.label,
    );
    expect(outcome).toEqual({ kind: 'done', result: ['b', 'a', 'c'] });
  });
});
