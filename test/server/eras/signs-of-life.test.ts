/**
 * A client that gives a call up after a minute without a sign of it, as many do, and a person who thinks for longer. On
 * 2025-11-25 the call stays open meanwhile, so the client is told that it is alive; on 2026-07-28 nothing is open.
 */

import { type Call, midcall } from '@midcall/server';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';

/** Timers that run when they are told to. */
function clock() {
  let running: { readonly fn: () => void; readonly ms: number }[] = [];
  return {
    now: Date.now,
    after(ms: number, fn: () => void) {
      const timer = { fn, ms };
      running.push(timer);
      return () => {
        running = running.filter(each => each !== timer);
      };
    },
    /** Runs what is due every ten seconds, once. */
    tick() {
      const due = running.filter(each => each.ms === 10_000);
      running = running.filter(each => !due.includes(each));
      for (const { fn } of due) fn();
      return due.length;
    },
  };
}

describe.each(eras)('%s', era => {
  it.each(['memory', 'http'] as const)(
    'a call over %s shows by progress that it waits, on 2025-11-25 alone, and without the words of its questions',
    async carrier => {
      const time = clock();
      const mid = midcall({ suspectBelowMs: 0, warn: () => {}, clock: time });
      const factory = () => {
        const server = new McpServer({ name: 'test', version: '1.0.0' });
        mid.tool(server, 'act', {}, async (_: unknown, call: Call) => {
          const first = await call.elicit({ message: 'The secret plan?', form: Boolean });
          const second = await call.elicit({ message: 'Really?', form: Boolean });
          return { content: [{ type: 'text', text: `${first.action} ${second.action}` }] };
        });
        return server;
      };
      const heard: { progress: number; message?: string }[] = [];
      const waiting = new Set<() => void>();
      const told = (count: number) =>
        new Promise<void>(resolve => {
          const look = () => void (heard.length >= count && resolve());
          waiting.add(look);
          look();
        });
      let ticks = 0;
      const person = scriptedPerson([
        async () => {
          for (let n = 0; n < 3; n++) ticks += time.tick();
          if (era === '2025-11-25') await told(3);
          return { action: 'accept', content: { value: true } };
        },
        async () => {
          ticks += time.tick();
          if (era === '2025-11-25') await told(4);
          return { action: 'accept', content: { value: true } };
        },
      ]);
      await using pair = await connectPair(factory, { era, carrier, person });
      const call = (options: object) => pair.client.callTool({ name: 'act', arguments: {} }, options);
      const onprogress = (each: (typeof heard)[number]) => {
        heard.push(each);
        for (const look of waiting) look();
      };
      const result = await call({ onprogress });
      expect(result.content).toEqual([{ type: 'text', text: 'accept accept' }]);
      // The SDK's client reports each round of its own as progress, which the server has not sent.
      const sent = pair.frames.filter(({ message }) => message['method'] === 'notifications/progress');
      const params = sent.map(each => each.message['params'] as { progress: number });
      expect(params.map(each => each.progress)).toEqual(era === '2025-11-25' ? [1, 2, 3, 4] : []);
      expect(ticks).toBe(era === '2025-11-25' ? 4 : 0);
      expect(JSON.stringify(params)).not.toContain('secret plan');
      expect(time.tick()).toBe(0);
    },
  );
});

it('a client that did not ask for progress hears nothing, and no timer runs for it', async () => {
  const time = clock();
  const mid = midcall({ suspectBelowMs: 0, warn: () => {}, clock: time });
  let ticks = -1;
  const person = scriptedPerson([
    () => {
      ticks = time.tick();
      return { action: 'decline' };
    },
  ]);
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_: unknown, call: Call) => {
      await call.elicit({ message: 'Sure?', form: Boolean });
      return { content: [] };
    });
    return server;
  };
  await using pair = await connectPair(factory, { era: '2025-11-25', person });
  await pair.client.callTool({ name: 'act', arguments: {} });
  expect(ticks).toBe(0);
});
