/** Steps that are tried again, steps with a time limit, and values that are drawn once per call. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type Call, type MidcallOptions, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, type Era, pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

const yes = { action: 'accept' as const, content: { value: true } };

/** A clock that stands still but for the waits below a second, which are over at once and noted. */
function clock() {
  let time = 1_000_000;
  const waits: number[] = [];
  return {
    waits,
    now: () => time,
    after(ms: number, fn: () => void) {
      if (ms >= 1_000) return () => {};
      const turn = setImmediate(() => {
        waits.push(ms);
        time += ms;
        fn();
      });
      return () => clearImmediate(turn);
    },
  };
}

async function call(
  era: Era,
  carrier: 'memory' | 'http',
  handler: (call: Call) => Promise<unknown>,
  options: MidcallOptions = {},
  answers: readonly Scripted[] = [yes, yes],
) {
  const events: AuditEvent[] = [];
  const time = clock();
  const audit = (event: AuditEvent) => void events.push(event);
  const mid = midcall({ suspectBelowMs: 0, warn: () => {}, clock: time, audit, ...options });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_args, call) => JSON.stringify((await handler(call)) ?? null));
    return server;
  };
  await using pair = await connectPair(factory, { era, carrier, person: scriptedPerson(answers) });
  const { content, isError } = await pair.client.callTool({ name: 'act' });
  const { text } = content[0] as { text: string };
  return { said: isError ? text : (JSON.parse(text) as unknown), steps: events.filter(isStep), waits: time.waits };
}

const isStep = ({ kind }: AuditEvent) => kind === 'step-begun' || kind === 'step-ended';
const ask = (call: Call) => call.elicit({ message: 'Go on?', form: Boolean });
const codeOf = (error: unknown) => (error as { code?: string }).code ?? String(error);

describe.each(pairings)('%s over %s', (era, carrier) => {
  it('take-step-1, take-step-2: a step is tried again after growing waits, each attempt once and under one key', async () => {
    const keys: string[] = [];
    const { said, steps, waits } = await call(era, carrier, async each => {
      const paid = await each.step(
        'pay',
        ({ key }) => {
          if (keys.push(key) < 4) throw new Error('busy');
          return `paid at attempt ${keys.length}`;
        },
        { retry: { attempts: 5, delayMs: 11, factor: 3, maxDelayMs: 50 } },
      );
      await ask(each);
      return paid;
    });
    expect(said).toBe('paid at attempt 4');
    expect([keys.length, new Set(keys).size]).toEqual([4, 1]);
    expect(waits).toEqual([11, 33, 50]);
    expect(steps.map(each => ('failed' in each ? each.failed : 'begun'))).toEqual(
      [true, true, true, false].flatMap(failed => ['begun', failed]),
    );
  });

  it('take-step-4: steps of one name beside each other keep their own attempts, in whatever order they fail', async () => {
    const keys: Record<string, Set<string>> = { slow: new Set(), fast: new Set() };
    const { said } = await call(era, carrier, async each => {
      const pay = (name: string, turns: number) => {
        let ran = 0;
        const retry = { attempts: 3, delayMs: 1 };
        const work = async ({ key }: { readonly key: string }) => {
          keys[name]!.add(key);
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          if (ran++ === 0) throw new Error(`${name} is busy`);
          return name;
        };
        return each.step('pay', work, { retry });
      };
      const paid = await Promise.all([pay('slow', 20), pay('fast', 0)]);
      await ask(each);
      return paid;
    });
    expect(said).toEqual(['slow', 'fast']);
    expect([keys['slow']!.size, keys['fast']!.size]).toEqual([1, 1]);
    expect([...keys['slow']!]).not.toEqual([...keys['fast']!]);
  });

  it('a step gives up after its last attempt, and where a failure is not worth another', async () => {
    let runs = 0;
    const busy = () => {
      runs++;
      throw Object.assign(new Error('busy'), { code: 'EBUSY' });
    };
    const { said } = await call(era, carrier, async each => {
      const last = await each.step('last', busy, { retry: { attempts: 3, delayMs: 1 } }).catch(codeOf);
      const when = (error: { readonly code?: string | number }) => error.code !== 'EBUSY';
      const first = await each.step('first', busy, { retry: { attempts: 3, when } }).catch(codeOf);
      await ask(each);
      return [last, first];
    });
    expect(said).toEqual(['EBUSY', 'EBUSY']);
    expect(runs).toBe(4);
  });

  it('take-step-3: an attempt whose time is up is ended, and tried again only where that is safe', async () => {
    const ran: string[] = [];
    const hangs =
      (name: string) =>
      ({ signal }: { signal: AbortSignal }) => {
        ran.push(name);
        return new Promise<string>(() => signal.addEventListener('abort', () => ran.push(codeOf(signal.reason))));
      };
    const retry = { attempts: 2, delayMs: 1 };
    const { said } = await call(era, carrier, async each => {
      const options = { timeoutMs: 70, retry };
      const unsafe = await each.step('unsafe', hangs('unsafe'), options).catch(codeOf);
      const safe = await each.step('safe', hangs('safe'), { ...options, idempotent: true }).catch(codeOf);
      const found = await each.step('found', hangs('found'), { ...options, check: () => 'it was done' });
      await ask(each);
      return [unsafe, safe, found];
    });
    expect(said).toEqual(['step/timeout', 'step/timeout', 'it was done']);
    const late = 'step/timeout';
    expect(ran).toEqual(['unsafe', late, 'safe', late, 'safe', late, 'found', late]);
  });

  it('a call draws the time, a number and a UUID once, and waits once', async () => {
    const seen: unknown[] = [];
    const { said, waits } = await call(era, carrier, async each => {
      const drawn = [await each.now(), await each.random(), await each.uuid(), await each.uuid()];
      await each.sleep(33);
      await each.sleep(new Date(1_000_050));
      seen.push(drawn);
      await ask(each);
      return [...drawn, (await each.now()) - (drawn[0] as number)];
    });
    expect(said).toEqual([...(seen[0] as unknown[]), 50]);
    expect(new Set(seen.map(each => JSON.stringify(each))).size).toBe(1);
    expect(seen).toHaveLength(era === '2026-07-28' ? 2 : 1);
    expect((seen[0] as unknown[])[2]).not.toBe((seen[0] as unknown[])[3]);
    expect(waits).toEqual([33, 17]);
  });

  it('the option strict runs the handler again after each round in both eras, so that a fault of replays shows', async () => {
    let runs = 0;
    const sound = async (each: Call) => {
      runs++;
      return (await ask(each)).action;
    };
    expect((await call(era, carrier, sound, { strict: true })).said).toBe('accept');
    expect(runs).toBe(2);
    const faulty = (each: Call) => each.elicit({ message: `Number ${runs++}?`, form: Boolean });
    const { said } = await call(era, carrier, faulty, {
      strict: true,
      clock: { ...systemClock, after: (ms, fn) => (ms > 1_000 ? () => {} : clock().after(1, fn)) },
    });
    expect(said).toContain('Number');
    expect(said).toContain('elicit');
  });

  it('a replay without strict settles in place on 2025-11-25', async () => {
    let runs = 0;
    await call(era, carrier, async each => {
      runs++;
      return ask(each);
    });
    expect(runs).toBe(era === '2026-07-28' ? 2 : 1);
  });
});

it('a step keeps what was drawn, how long it waited and how often it tried for the process that goes on with the call', async () => {
  const attempts: string[] = [];
  const seen: unknown[] = [];
  const [store, key, time] = [memoryStore(), randomBytes(32).toString('base64'), clock()];
  const process = () => midcall({ suspectBelowMs: 0, warn: () => {}, clock: time, store, key });
  let mid = process();
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_args, each) => {
      const drawn = [await each.now(), await each.random(), await each.uuid()];
      await each.sleep(33);
      const flaky = each.step('flaky', context => Promise.reject(new Error(String(attempts.push(context.key)))), {
        retry: { attempts: 3, delayMs: 10 },
      });
      seen.push([...drawn, await flaky.catch(error => (error as Error).message)]);
      await ask(each);
      return JSON.stringify(seen.at(-1));
    });
    return server;
  };
  const ends = async () => {
    await mid.stop();
    mid = process();
    return yes;
  };
  const person = scriptedPerson([ends]);
  await using pair = await connectPair(factory, { era: '2026-07-28', carrier: 'http', person });
  const { content } = await pair.client.callTool({ name: 'act' });
  expect(seen).toHaveLength(2);
  expect(new Set([...seen.map(each => JSON.stringify(each)), (content[0] as { text: string }).text]).size).toBe(1);
  expect([attempts.length, new Set(attempts).size, time.waits]).toEqual([3, 1, [33, 10, 20]]);
});

it('a call refuses retry policies, time limits and waits that make no sense', async () => {
  const mid = midcall({ warn: () => {} });
  const step = (options: object) => mid.withoutClient(each => each.step('x', () => 1, options as never));
  await expect(step({ retry: {} })).rejects.toThrow(/attempts/);
  await expect(step({ retry: { attempts: 2, delay: 5 } })).rejects.toThrow(/delayMs/);
  await expect(step({ timeoutMs: -1 })).rejects.toThrow(/timeoutMs/);
  await expect(step({ timeoutMs: 2 ** 31 })).rejects.toThrow(/at most 2147483647/);
  for (const until of [Number.NaN, -1, new Date('never'), Date.parse('2026-07-28')]) {
    await expect(mid.withoutClient(each => each.sleep(until))).rejects.toThrow(/call\.sleep/);
  }
});
