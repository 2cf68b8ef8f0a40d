/** A step and its ledger: what is begun, asked after, withdrawn and audited, and what is never started. */
import { MidcallError } from '@midcall/core/errors';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { Run } from '../../../packages/server/src/engine/run.ts';
import type { EngineOptions, StepLedger, StepWork } from '../../../packages/server/src/engine/seam.ts';
import { withSteps } from '../../../packages/server/src/eras/driver-outcome.ts';
import { interrupted } from '../../../packages/server/src/eras/open-retry.ts';
import type { Unstamped } from '../../../packages/server/src/state/audit.ts';
import type { Attempt } from '../../../packages/server/src/state/claims.ts';
import { AuditedLedger, flowSteps, stepLedger } from '../../../packages/server/src/state/ledger.ts';

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve = (_: T): void => {};
  const promise = new Promise<T>(settle => (resolve = settle));
  return { promise, resolve: value => resolve(value) };
}

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

type Begun = Awaited<ReturnType<StepLedger['begin']>>;
type Step = Parameters<StepLedger['begin']>[0];

/** A ledger that says what it is told to say, and what it was told. */
function ledger(begun: Begun | Promise<Begun>) {
  const calls: string[] = [];
  const steps: Step[] = [];
  const made: StepLedger = {
    async begin(step) {
      calls.push('begin');
      steps.push(step);
      return begun;
    },
    async end({ value, error }) {
      calls.push(`end ${error ? error.message : JSON.stringify(value)}`);
    },
    async withdraw() {
      calls.push('withdraw');
    },
  };
  return { made, calls, steps };
}

const runOf = (work: Partial<StepWork<unknown>>, options: EngineOptions) =>
  new Run<unknown>(
    run => run.step('charge', () => ({ run: () => 'charged', idempotent: false, ...work })),
    [],
    new Set(),
    options,
  );

describe('a step that was begun before', () => {
  it('a step that was begun before is first asked whether it took effect, and what its check finds is its result', async () => {
    const ran: string[] = [];
    const { made, calls } = ledger({ state: 'again' });
    const work = { run: () => void ran.push('run'), check: () => 'found' };
    expect(await runOf(work, { ledger: made }).next()).toEqual({ kind: 'done', result: 'found' });
    expect(ran).toEqual([]);
    expect(calls).toEqual(['begin', 'end "found"']);
  });

  it('a step that was begun before runs where its check finds nothing, and where it is idempotent and has none', async () => {
    for (const work of [{ check: () => undefined }, { idempotent: true }]) {
      const { made } = ledger({ state: 'again' });
      expect(await runOf(work, { ledger: made }).next()).toEqual({ kind: 'done', result: 'charged' });
    }
  });

  it('a step that was begun before fails as its check fails, and nothing runs', async () => {
    const ran: string[] = [];
    const work = {
      run: () => void ran.push('run'),
      check: () => {
        throw new Error('no connection');
      },
    };
    const outcome = await runOf(work, { ledger: ledger({ state: 'again' }).made }).next();
    expect(outcome).toMatchObject({ kind: 'failed', error: { message: 'no connection' } });
    expect(ran).toEqual([]);
  });

  it('a step that was begun before is in doubt where nothing makes it safe: it does not run, whatever the handler catches', async () => {
    const ran: string[] = [];
    const { made, calls } = ledger({ state: 'in-doubt' });
    const run = new Run<unknown>(
      r => r.step('charge', () => ({ run: () => void ran.push('run'), idempotent: false })).catch(() => 'caught'),
      [],
      new Set(),
      { ledger: made },
    );
    expect(await run.next()).toMatchObject({ kind: 'failed', error: { code: 'step/in-doubt' } });
    expect({ ran, calls }).toEqual({ ran: [], calls: ['begin'] });
  });

  it('a step that ended before gives what was recorded, and has it in the journal', async () => {
    const entry = { id: 'x', kind: 'step', label: 'charge', value: 'as recorded' } as const;
    const run = runOf({}, { ledger: ledger({ state: 'done', entry }).made });
    expect(await run.next()).toEqual({ kind: 'done', result: 'as recorded' });
    expect(run.journal).toEqual([entry]);
  });
});

describe('a step that begins', () => {
  it('a step that begins is not asked whether it took effect', async () => {
    const asked: string[] = [];
    const run = runOf({ check: () => void asked.push('check') }, { ledger: ledger({ state: 'run' }).made });
    expect(await run.next()).toEqual({ kind: 'done', result: 'charged' });
    expect(asked).toEqual([]);
  });

  it.each([
    ['nothing makes it safe', {}, false],
    ['it is idempotent', { idempotent: true }, true],
    ['it can be checked', { check: () => undefined }, true],
  ] as const)(
    'a step that begins is written as safe to begin again only where something makes it so: %s',
    async (_, work, safe) => {
      const { made, steps } = ledger({ state: 'run' });
      await runOf(work, { ledger: made }).next();
      expect(steps).toMatchObject([{ name: 'charge', safe }]);
    },
  );

  it('a step that begins has a key of its own each time, the same in every run', async () => {
    const keys = async () => {
      const seen: string[] = [];
      const run = new Run<unknown>(async r => {
        for (let n = 0; n < 2; n++) {
          await r.step('charge', key => {
            seen.push(key);
            return { run: () => n, idempotent: true };
          });
        }
      });
      await run.next();
      return seen;
    };
    const [first, second] = [await keys(), await keys()];
    expect(new Set(first).size).toBe(2);
    expect(second).toEqual(first);
  });

  it.each(['run', 'again'] as const)(
    'a step starts nothing where its call is cancelled as its beginning is written (%s), and takes back only its own',
    async state => {
      const ran: string[] = [];
      const written = deferred<Begun>();
      const { made, calls } = ledger(written.promise);
      const work = { run: () => void ran.push('run'), check: () => void ran.push('check') };
      const run = runOf(work, { ledger: made });
      void run.next();
      await turn();
      await run.cancel('gone');
      written.resolve({ state });
      await run.quiet();
      expect(ran).toEqual([]);
      expect(calls).toEqual(state === 'run' ? ['begin', 'withdraw'] : ['begin']);
    },
  );

  it('a step that begins gives its result only once its end is written', async () => {
    const written = deferred<void>();
    let told = false;
    const { made } = ledger({ state: 'run' });
    const run = runOf({}, { ledger: { ...made, end: () => written.promise } });
    const next = run.next().then(outcome => {
      told = true;
      return outcome;
    });
    for (let n = 0; n < 5; n++) await turn();
    expect(told).toBe(false);
    expect(run.journal).toEqual([]);
    written.resolve(undefined);
    expect(await next).toEqual({ kind: 'done', result: 'charged' });
  });

  it.each(['begin', 'end'] as const)(
    'a step that begins ends the call where its %s cannot be written, whatever the handler catches',
    async at => {
      const { made } = ledger({ state: 'run' });
      const broken = { ...made, [at]: () => Promise.reject(new Error('no room')) };
      const run = new Run<unknown>(
        r => r.step('charge', () => ({ run: () => 1, idempotent: false })).catch(() => 'caught'),
        [],
        new Set(),
        { ledger: broken },
      );
      expect(await run.next()).toMatchObject({ kind: 'failed', error: { message: 'no room' } });
    },
  );

  it('a step throws a copy of what its function threw: name, message and code, and the rest for the log alone', async () => {
    const thrown = Object.assign(new RangeError('no disk'), { code: 'ENOSPC', path: '/secret' });
    const caught: unknown[] = [];
    const run = new Run<unknown>(r =>
      r
        .step('charge', () => ({ run: () => Promise.reject(thrown), idempotent: false }))
        .catch((error: Error) => {
          caught.push(error);
          error.message = 'changed';
          return null;
        }),
    );
    await run.next();
    const [error] = caught as (Error & { code?: string; path?: string })[];
    expect(error).not.toBe(thrown);
    expect({ name: error!.name, code: error!.code, path: error!.path }).toEqual({
      name: 'RangeError',
      code: 'ENOSPC',
      path: undefined,
    });
    expect(error!.cause).toBe(thrown);
    expect(thrown.message).toBe('no disk');
    expect(run.journal).toMatchObject([{ error: { name: 'RangeError', message: 'no disk', code: 'ENOSPC' } }]);
  });
});

describe('a ledger in a store', () => {
  const step = { id: 'a.1', kind: 'step', name: 'charge', safe: false } as const;
  const entry = { id: 'a.1', kind: 'step', label: 'charge', value: 1 } as const;

  it('a step in a store begins once: if it did not end it is in doubt, or may begin again where it is safe', async () => {
    const store = memoryStore();
    expect(await stepLedger(store, 'f', 1000).begin(step)).toEqual({ state: 'run' });
    expect(await stepLedger(store, 'f', 1000).begin(step)).toEqual({ state: 'in-doubt' });
    expect(await stepLedger(store, 'f', 1000).begin({ ...step, safe: true })).toEqual({ state: 'again' });
    expect(await stepLedger(store, 'g', 1000).begin(step)).toEqual({ state: 'run' });
    await stepLedger(store, 'f', 1000).end(entry);
    expect(await stepLedger(store, 'f', 1000).begin(step)).toEqual({ state: 'done', entry });
  });

  it('a ledger in a store knows how far a flow got, each step once and each as what it is', async () => {
    const store = memoryStore();
    const first = stepLedger(store, 'f', 1000);
    await Promise.all([first.begin(step), first.begin({ id: 'b.1', kind: 'step', name: 'mail', safe: true })]);
    expect(await flowSteps(store, 'f')).toEqual({ done: [], inDoubt: ['charge'], failedOrSafe: ['mail'] });
    const again = stepLedger(store, 'f', 1000);
    await again.begin(step);
    await again.begin({ id: 'c.1', kind: 'step', name: 'find', safe: false });
    await again.end({ ...entry, id: 'c.1' });
    expect(await flowSteps(store, 'f')).toEqual({ done: ['find'], inDoubt: ['charge'], failedOrSafe: ['mail'] });
    await again.withdraw({ id: 'a.1', kind: 'step', name: 'charge' });
    expect(await flowSteps(store, 'f')).toEqual({ done: ['find'], inDoubt: [], failedOrSafe: ['mail'] });
    const error = { name: 'Error', message: 'no network' };
    await again.end({ id: 'b.1', kind: 'step', label: 'mail', error });
    expect(await flowSteps(store, 'f')).toEqual({ done: ['find'], inDoubt: [], failedOrSafe: ['mail'] });
  });

  it('a ledger in a store lists a step before it begins, so that none that began is missing from the list', async () => {
    const store = memoryStore();
    const order: string[] = [];
    const noted = {
      ...store,
      set(...args: Parameters<typeof store.set>) {
        order.push(args[0]);
        return store.set(...args);
      },
    };
    await stepLedger(noted, 'f', 1000).begin(step);
    expect(order).toEqual(['steps:f', 'step:f:a.1']);
  });

  it('a ledger in a store is gone without a trace once it is forgotten', async () => {
    const store = memoryStore();
    const made = stepLedger(store, 'f', 1000);
    await made.begin(step);
    await made.end(entry);
    await made.forget();
    expect([await store.get('steps:f'), await store.get('step:f:a.1')]).toEqual([undefined, undefined]);
  });
});

describe('what is audited of a step', () => {
  const step = { id: 'a.1', kind: 'step', name: 'charge', safe: false } as const;
  const attempt = (holds: boolean): Attempt => ({
    first: true,
    holds: async () => holds,
    answer: async () => holds,
    abandon: async () => {},
    forget: async () => {},
  });
  const audited = (begun: Begun, holds = true) => {
    const events: Unstamped[] = [];
    const { made, calls } = ledger(begun);
    const audit = (event: Unstamped) => {
      calls.push('audit');
      events.push(event);
    };
    return { ledger: new AuditedLedger(made, attempt(holds), audit), events, calls };
  };
  const ended = { id: 'a.1', kind: 'step', label: 'charge' } as const;
  const failed = { ...ended, error: { name: 'Error', message: 'no disk' } };

  it.each([
    [{ state: 'run' }, { kind: 'step-begun', step: 'charge' }],
    [{ state: 'again' }, { kind: 'step-begun', step: 'charge' }],
    [{ state: 'in-doubt' }, { kind: 'step-in-doubt', step: 'charge' }],
    [
      { state: 'done', entry: ended },
      { kind: 'step-ended', step: 'charge', failed: false },
    ],
    [
      { state: 'done', entry: failed },
      { kind: 'step-ended', step: 'charge', failed: true },
    ],
  ] as const)('what is audited of a step says what its beginning came to: %j', async (begun, event) => {
    const { ledger: made, events, calls } = audited(begun);
    expect(await made.begin(step)).toEqual(begun);
    expect(events).toEqual([event]);
    expect(calls).toEqual(['begin', 'audit']);
  });

  it('what is audited of a step says how it ended, once that is written', async () => {
    const { ledger: made, events, calls } = audited({ state: 'run' });
    await made.end(ended);
    await made.end(failed);
    expect(events).toEqual([
      { kind: 'step-ended', step: 'charge', failed: false },
      { kind: 'step-ended', step: 'charge', failed: true },
    ]);
    expect(calls).toEqual(['end undefined', 'audit', 'end no disk', 'audit']);
  });

  it.each(['end', 'withdraw'] as const)('what is audited of a step is not said before it is written: %s', async at => {
    const written = deferred<undefined>();
    const events: Unstamped[] = [];
    const stored = { ...ledger({ state: 'run' }).made, [at]: () => written.promise };
    const made = new AuditedLedger(stored, undefined, event => events.push(event));
    const saying = at === 'end' ? made.end(ended) : made.withdraw(step);
    for (let n = 0; n < 5; n++) await turn();
    expect(events).toEqual([]);
    written.resolve(undefined);
    await saying;
    expect(events).toHaveLength(1);
  });

  it('what is audited of a step says that one was taken back, so that no beginning stands without an end', async () => {
    const { ledger: made, events, calls } = audited({ state: 'run' });
    await made.withdraw(step);
    expect(events).toEqual([{ kind: 'step-ended', step: 'charge', failed: true }]);
    expect(calls).toEqual(['withdraw', 'audit']);
  });

  it('a process that was away so long that another went on with its call starts no step, and takes back only its own', async () => {
    for (const [state, written] of [
      ['run', ['begin', 'withdraw']],
      ['again', ['begin']],
      ['in-doubt', ['begin']],
    ] as const) {
      const { ledger: made, events, calls } = audited({ state }, false);
      const message = expect.stringContaining('another went on with this call');
      await expect(made.begin(step)).rejects.toMatchObject({ code: 'call/interrupted', message });
      expect({ events, calls }).toEqual({ events: [], calls: written });
    }
  });

  it.each(['check', 'drawn'] as const)('a %s is no step, and nothing is audited of it', async kind => {
    const { ledger: made, events, calls } = audited({ state: 'run' });
    await made.begin({ ...step, kind });
    await made.end({ ...ended, kind });
    await made.withdraw({ ...step, kind });
    expect(events).toEqual([]);
    expect(calls).toEqual(['begin', 'end undefined', 'withdraw']);
  });

  it('a step outside any retry is begun and audited without a store', async () => {
    const events: Unstamped[] = [];
    const made = new AuditedLedger(undefined, undefined, event => events.push(event));
    expect(await made.begin(step)).toEqual({ state: 'run' });
    await made.end(ended);
    expect(events.map(({ kind }) => kind)).toEqual(['step-begun', 'step-ended']);
  });
});

describe('the steps that an attempt has come to', () => {
  const steps = (stored: StepLedger) => new AuditedLedger(stored, undefined, () => {});
  const step = { id: 'a.1', kind: 'step', name: 'charge', safe: false } as const;
  const away = { ...ledger({ state: 'run' }).made, end: () => Promise.reject(new Error('no room')) };

  it('a step that was done is said to be done where its end cannot be stored, and one that failed is in doubt', async () => {
    const made = steps(away);
    await made.begin(step);
    expect(made.reached).toEqual({ done: [], inDoubt: ['charge'] });
    await expect(made.end({ id: 'a.1', kind: 'step', label: 'charge', value: 1 })).rejects.toThrow('no room');
    expect(made.reached).toEqual({ done: ['charge'], inDoubt: [] });
    await made.begin({ ...step, id: 'b.1', name: 'mail' });
    const error = { name: 'Error', message: 'no network' };
    await expect(made.end({ id: 'b.1', kind: 'step', label: 'mail', error })).rejects.toThrow('no room');
    expect(made.reached).toEqual({ done: ['charge'], inDoubt: ['mail'] });
  });

  it('a call whose earlier attempt may have done something is not said to try again where the store fails', () => {
    const nothing = { done: [], inDoubt: [] };
    const failed = new MidcallError('store/unavailable', 'The store did not answer. Try again.');
    expect(withSteps(failed, [], nothing, true)).toBe(failed);
    expect(withSteps(failed, [], nothing, false)).toMatchObject({
      message: expect.stringContaining('What it did is in doubt.'),
      cause: failed,
    });
    const other = new Error('of the handler');
    expect(withSteps(other, [], { ...nothing, done: ['charge'] }, false)).toBe(other);
  });

  it('an error of ours says what its call has done, unless nothing is done or it says so already', () => {
    const nothing = { done: [], inDoubt: [] };
    const charged = { ...nothing, done: ['charge'] };
    const full = new MidcallError('ask/unavailable', 'Nobody can be asked. Try again.');
    expect(withSteps(full, [], nothing, true)).toBe(full);
    expect(withSteps(full, [], charged, true)).toMatchObject({
      code: 'ask/unavailable',
      message: 'Nobody can be asked. Try again. Done: charge. Find out what took effect before calling again.',
      cause: full,
    });
    const stopped = new MidcallError('call/stopped', 'This server stopped. Done: charge.');
    expect(withSteps(stopped, [], charged, true)).toBe(stopped);
  });

  it('a step that failed is not said to be done, in whatever round it did', async () => {
    const made = steps(ledger({ state: 'run' }).made);
    const error = { name: 'MidcallError', message: 'The store of the vault did not answer.' };
    await made.begin({ ...step, id: 'b.1', name: 'import' });
    await made.end({ id: 'b.1', kind: 'step', label: 'import', error });
    expect(made.reached).toEqual({ done: [], inDoubt: ['import'] });
    const failed = new MidcallError('store/unavailable', 'The store did not answer. Try again.');
    const journal = [{ id: 'a.1', kind: 'step', label: 'look', error }] as const;
    expect(withSteps(failed, journal, made.reached, true)).toMatchObject({
      message: expect.stringContaining('No step of it is done. In doubt: look, import.'),
    });
  });

  it('a step that would be safe to begin again is in doubt where its call has ended for good', () => {
    const steps = { done: ['find'], inDoubt: [], failedOrSafe: ['charge'] };
    expect(interrupted(steps, false).message).toContain('Done: find. In doubt: charge.');
    const journal = [
      { id: 'a.1', kind: 'step', label: 'look', value: 1 },
      { id: 'b.1', kind: 'step', label: 'mail', error: { name: 'Error', message: 'no network' } },
    ] as const;
    expect(interrupted(steps, false, journal).message).toContain('Done: look, find. In doubt: mail, charge.');
  });
});
