/** Calls whose client is gone before it is told that they are tasks: nobody could ask after one, so nothing of it goes on. */
import { systemClock } from '@midcall/core/time';
import { type AuditEvent, type Call, type Midcall, type MidcallOptions, midcall } from '@midcall/server';
import { memoryStore } from '@midcall/server/stores/memory';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { grown } from '../../fixtures/grown.ts';
import { type Reply, rawClient } from '../raw-client.ts';

const key = 'q7Zb1uYt3nXw5Kd8Rf0LmHs2Vg4Jc6PeAo9iTyBkQzE=';
const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
const yes = { action: 'accept', content: { value: true } };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** A promise, and what resolves it. */
function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(done => {
    resolve = done;
  });
  return { promise, resolve };
}

const turn = () => new Promise<void>(resolve => setImmediate(resolve));

/** A store that holds back what is written of a task until it is let go, or refuses it. */
function slowStore() {
  const held = memoryStore();
  const [writing, gate] = [[] as string[], deferred()];
  const slow = {
    writing,
    isSlow: false,
    isAway: false,
    release: gate.resolve,
    store: {
      ...held,
      async set(...args: Parameters<typeof held.set>) {
        if (args[0].startsWith('task:') && slow.isAway) throw new Error('connection lost');
        if (args[0].startsWith('task:') && slow.isSlow) {
          writing.push(args[0]);
          await gate.promise;
        }
        return held.set(...args);
      },
    },
  };
  return slow;
}

async function served(
  carrier: 'memory' | 'http',
  handler: (call: Call) => Promise<string>,
  { task = 'when-needed', ...options }: MidcallOptions & { readonly task?: 'always' | 'when-needed' } = {},
) {
  const slow = slowStore();
  const ended: AuditEvent[] = [];
  const audit = (event: AuditEvent): void => void (event.kind === 'ended' && ended.push(event));
  /** What fires at the server when a request is given up, in the order of requests. */
  const signals: AbortSignal[] = [];
  const principal: MidcallOptions['principal'] = ctx => {
    signals.push(ctx.mcpReq.signal);
    return undefined;
  };
  const mid: Midcall = midcall({
    key,
    suspectBelowMs: 0,
    warn: () => {},
    store: slow.store,
    audit,
    principal,
    ...options,
  });
  open.push({ [Symbol.asyncDispose]: () => mid.stop() });
  const client = await rawClient(() => {
    const server = new McpServer({ name: 'notes', version: '1.0.0' });
    mid.tool(server, 'act', { task }, async (_, call) => ({ content: [{ type: 'text', text: await handler(call) }] }));
    return server;
  }, carrier);
  open.push(client);
  const given = new AbortController();
  const call = (params: object = {}, signal?: AbortSignal): Promise<Reply> =>
    client.act({ ...params }, { capabilities, ...(signal && { signal }) });
  return {
    slow,
    ended,
    call,
    waiting: () => mid.calls(),
    /** Calls, and is gone while the task is being written. */
    async giveUp(params: object = {}): Promise<void> {
      slow.isSlow = true;
      void call(params, given.signal).catch(() => {});
      await grown(slow.writing, list => list.length === 1);
      given.abort();
      // Messages over one transport are taken in order.
      await (carrier === 'http' ? fired(signals.at(-1)!) : client.send('tools/list', {}));
      slow.release();
    },
  };
}

/** Resolves when a signal has fired. */
const fired = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

describe.each(['memory', 'http'] as const)(
  'tasks-5: a call over %s that its client gives up before it hears of a task',
  carrier => {
    it('a call that is given up runs nothing, where it was to be a task at once', async () => {
      let runs = 0;
      const { ended, giveUp, waiting } = await served(
        carrier,
        async () => {
          runs += 1;
          return 'done';
        },
        { task: 'always' },
      );
      await giveUp();
      await grown(ended, list => list.length > 0);
      expect(ended).toMatchObject([{ outcome: 'cancelled' }]);
      expect(runs).toBe(0);
      expect(await waiting()).toEqual([]);
    });

    it('a call that its client gives up before it hears of a task is told so in its step, where it ran long', async () => {
      const due = deferred<() => void>();
      const steps: string[] = [];
      const { giveUp, waiting, ended } = await served(
        carrier,
        async call => {
          await call.step('long', async ({ signal }) => {
            (await due.promise)();
            await fired(signal);
            steps.push('stopped');
            return null;
          });
          await call.step('next', () => steps.push('next'));
          return 'done';
        },
        {
          clock: {
            ...systemClock,
            after(ms, fn) {
              if (ms === 20_000) due.resolve(fn);
              return () => {};
            },
          },
        },
      );
      await giveUp();
      await grown(steps, list => list.length === 1);
      await grown(ended, list => list.length > 0);
      expect(steps).toEqual(['stopped']);
      // The call has ended; its task is taken off the list with what is written of that.
      while ((await waiting()).length > 0) await turn();
    });

    it('a call that its client gives up before it hears of a task ends with its question, where its rounds were used up', async () => {
      const { call, giveUp, waiting, ended } = await served(
        carrier,
        async asking => {
          for (let n = 0; n < 3; n += 1) await asking.elicit({ message: `Question ${n}?`, form: Boolean });
          return 'done';
        },
        { maxRounds: 1 },
      );
      const { result } = await call();
      const [asked] = Object.keys(result?.inputRequests ?? {});
      await giveUp({ inputResponses: { [asked!]: yes }, requestState: result?.requestState });
      await grown(ended, list => list.length > 0);
      expect(ended).toMatchObject([{ outcome: 'cancelled' }]);
      expect(await waiting()).toEqual([]);
    });

    it('a call that its client gives up goes on as the request it was, where no task can be kept of it', async () => {
      const due = deferred<() => void>();
      const tried = deferred();
      const { slow, call, waiting } = await served(
        carrier,
        async asking => {
          await asking.step('long', async () => {
            (await due.promise)();
            await tried.promise;
            return null;
          });
          return 'done';
        },
        {
          clock: {
            ...systemClock,
            after(ms, fn) {
              if (ms === 20_000) due.resolve(fn);
              return () => {};
            },
          },
        },
      );
      slow.isAway = true;
      const { set } = slow.store;
      slow.store.set = (...args) =>
        set(...args).catch((error: unknown) => {
          tried.resolve();
          throw error;
        });
      expect((await call()).result?.content?.[0]?.text).toBe('done');
      expect(await waiting()).toEqual([]);
    });
  },
);
