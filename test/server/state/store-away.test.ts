/** A store that never answers, at any of its operations: every call ends, with `store/unavailable` and what it has done. */

import { systemClock } from '@midcall/core/time';
import { midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { connectPair, pairings, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../packages/core/src/store/store.ts';

const key = Buffer.alloc(32, 9);
const whole = 'accept 1 3';

/** Timers that run when they are told to. */
function timers() {
  const set = new Map<() => void, number>();
  return {
    after(ms: number, fn: () => void) {
      set.set(fn, ms);
      return () => void set.delete(fn);
    },
    /** Runs those that are due within so many milliseconds. */
    pass(ms: number) {
      for (const [fn, due] of [...set]) {
        if (due > ms || !set.delete(fn)) continue;
        fn();
      }
    },
  };
}

interface Operation {
  /** Counted from 1. */
  readonly n: number;
  readonly method: string;
  readonly key: string;
  readonly value: string;
}

/** A store that never answers some operations. */
function stuckAt(isStuck: (operation: Operation) => boolean) {
  const memory = memoryStore();
  let operations = 0;
  let stuck = (): void => {};
  const reached = new Promise<void>(resolve => {
    stuck = resolve;
  });
  const through =
    <A extends unknown[], T>(method: string, operate: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      operations += 1;
      const [key, value] = args.map(String);
      if (!isStuck({ n: operations, method, key: key ?? '', value: value ?? '' })) return operate(...args);
      stuck();
      return new Promise(() => {});
    };
  const store: Store = {
    timeoutMs: 7_000,
    get: through('get', memory.get),
    set: through('set', memory.set),
    delete: through('delete', memory.delete),
    take: through('take', memory.take),
    sortedSets: {
      add: through('add', memory.sortedSets.add),
      remove: through('remove', memory.sortedSets.remove),
      range: through('range', memory.sortedSets.range),
    },
  };
  return { store, reached, operations: () => operations };
}

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function call(isStuck: (operation: Operation) => boolean, by: 'native' | 'relay', steps?: 'no steps') {
    const { store, reached, operations } = stuckAt(isStuck);
    const done: string[] = [];
    const { pass, after } = timers();
    const mid = midcall({
      key,
      store,
      clock: { ...systemClock, after },
      channels: [by],
      suspectBelowMs: 0,
      warn: () => {},
    });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_, call) => {
        if (steps === 'no steps') {
          const { action } = await call.elicit({ message: 'Go on?', form: Boolean, channels: [by] });
          return { content: [{ type: 'text' as const, text: `${action} ${done.push('charged')}` }] };
        }
        const before = await call.step('before', () => done.push('before'));
        const answer = await call.elicit({ message: 'Go on?', form: Boolean, channels: [by] });
        const after = await call.step('after', () => before + done.push('after'));
        return { content: [{ type: 'text' as const, text: `${answer.action} ${before} ${after}` }] };
      });
      return server;
    };
    const person = scriptedPerson([{ action: 'accept', content: { value: true } }], { repeat: true });
    await using pair = await connectPair(factory, {
      era,
      carrier,
      person,
      capabilities: by === 'native' ? { elicitation: {} } : {},
    });
    const text = (name: string, args: Record<string, unknown>) =>
      pair.client.callTool({ name, arguments: args }).then(
        ({ content }) => (content[0] as { text: string }).text,
        (error: Error) => error.message,
      );
    let resumed = (): Promise<string> | undefined => undefined;
    const result = text('act', {}).then(first => {
      const ticket = /ticket "([^"]+)"/.exec(first)?.[1];
      if (ticket !== undefined) resumed = () => text('resume', { ticket, action: 'accept', content: { value: true } });
      return resumed() ?? first;
    });
    let ended = false;
    const over = result.finally(() => {
      ended = true;
    });
    const first = await Promise.race([reached.then(() => 'stuck' as const), over.then(() => 'over' as const)]);
    // The bound is the store's own, and no other timer of the call.
    if (first === 'stuck') pass(7_000);
    // A call whose own work was done when the store fell silent may leave its tidying to be given up by itself.
    while (!ended) {
      await new Promise(resolve => setImmediate(resolve));
      pass(7_000);
    }
    const came = { text: await result, operations: operations(), first, done: [...done] };
    return { ...came, again: came.text.includes('did not answer within 7 seconds') ? await resumed() : undefined };
  }

  // A call that is pushed its answers within one request has nothing in the store.
  const channels = era === '2025-11-25' ? (['relay'] as const) : (['native', 'relay'] as const);

  it.each(channels)(
    'whichever operation of a call is never answered, the call ends and says what it has done, %s',
    { tags: 'thorough' },
    async by => {
      const { text, operations } = await call(() => false, by);
      expect(text).toBe(whole);
      expect(operations).toBeGreaterThan(0);
      const texts = new Set<string>();
      for (let n = 1; n <= operations; n++) {
        const { text, first, done, again = whole } = await call(operation => operation.n === n, by);
        // A ticket works again, as the text says.
        expect(again).toBe(whole);
        if (first !== 'stuck' || text === whole) continue;
        texts.add(text);
        // A client that was in a round makes a new call.
        if (by === 'relay' && text.includes('did not answer within 7 seconds')) expect(done).toEqual(['before']);
        else
          expect(text).toBe(
            `The server's store failed before the end of this call was stored. Done: ${done.join(', ')}. Find out what took effect before calling again.`,
          );
      }
      expect(texts.size).toBeGreaterThan(0);
    },
  );

  it.each(channels)('the result of a call is its end where only what it leaves cannot be tidied, %s', async by => {
    const { text } = await call(({ method, key }) => method === 'delete' && key.startsWith('step'), by);
    expect(text).toBe(whole);
  });

  it.each(channels)(
    'a call that ran to its end without steps is not said to try again where its end cannot be stored, %s',
    async by => {
      const isEnd = ({ method, key, value }: Operation) =>
        method === 'set' && /^claim:/.test(key) && /"d":true/.test(value);
      expect((await call(isEnd, by, 'no steps')).text).toBe(
        "The server's store failed before the end of this call was stored. What it did is in doubt. Find out what took effect before calling again.",
      );
    },
  );
});
