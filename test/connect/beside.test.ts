/** A page that is asked for beside work: the person's time begins when they are asked. */

import { systemClock } from '@midcall/core/time';
import type { Call } from '@midcall/server';
import { confirm } from '@midcall/server/connect';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { fixture, textOf, told } from './fixture.ts';
import { codeIn, visitor } from './visitor.ts';

const gate = () => {
  let open = (): void => {};
  const until = new Promise<void>(resolve => {
    open = resolve;
  });
  return { until, open };
};

describe.each(eras)('%s', era => {
  it('the link of a page is made when the step beside it has ended, and has all of its time then', async () => {
    const [begun, work] = [gate(), gate()];
    const later = { ms: 0 };
    const made = await fixture({
      era,
      midcall: { clock: { ...systemClock, now: () => Date.now() + later.ms } },
      handler: async call => {
        const [, answer] = await Promise.all([
          call.step('long', async () => {
            begun.open();
            await work.until;
          }),
          call.elicitUrl({ message: 'Sure?', page: confirm(), timeoutMs: 60_000 }),
        ]);
        return told(answer);
      },
    });
    const result = made.call();
    await begun.until;
    later.ms = 10 * 60_000;
    expect([...made.store.keys()].filter(key => key.startsWith('page:'))).toEqual([]);
    work.open();
    const { params } = await made.whenAsked(1);
    const person = visitor(params['url'] as string);
    expect((await person.get()).title).toBe('Enter your code');
    await person.send({ do: 'code', code: codeIn(params['message'] as string) });
    expect((await person.send({})).title).toBe('This is done');
    expect(await result).toBe('accept {"approved":true} page out-of-band');
  });

  it('a call whose step waits for its page ends and says so; no page was made and no browser opened', async () => {
    const opened: string[] = [];
    const stalls: (() => void)[] = [];
    const armed = gate();
    const made = await fixture({
      era,
      capabilities: {},
      connect: {
        reach: { kind: 'here', browser: true },
        openBrowser: async url => {
          opened.push(url);
          return true;
        },
      },
      midcall: {
        clock: {
          ...systemClock,
          after: (ms, fn) => {
            if (ms >= 15 * 60_000) {
              stalls.push(fn);
              armed.open();
            }
            return () => {};
          },
        },
      },
      handler: async (call: Call) => {
        const answer = call.elicitUrl({ message: 'Sure?', page: confirm(), assurance: 'in-band' });
        await call.step('waits', async () => (await answer).action);
        return 'never';
      },
    });
    const result = made.callTool('act', {});
    await armed.until;
    stalls[0]!();
    const text = textOf(await result);
    expect(text).toContain("'Sure?' could not be asked");
    expect(text).toContain("step 'waits'");
    expect(opened).toEqual([]);
    expect([...made.store.keys()].filter(key => key.startsWith('page:'))).toEqual([]);
  });
});
