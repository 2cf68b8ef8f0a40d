/** How long a host keeps a call open, told apart by how it gives up. */
import { pairings } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { type Clinic, clinic, outcomesOf, said } from './fixture.ts';

/** Timers that the test lets pass, in order. */
function timers() {
  const waiting: { readonly due: number; readonly fn: () => void }[] = [];
  let onSet = (): void => {};
  let host: Clinic;
  return {
    of: (given: Clinic) => {
      host = given;
    },
    after(ms: number, fn: () => void) {
      const one = { due: (host?.clock.now ?? 0) + ms, fn };
      waiting.push(one);
      onSet();
      return () => void (waiting.includes(one) && waiting.splice(waiting.indexOf(one), 1));
    },
    /** Resolves when something waits. */
    set: () =>
      new Promise<void>(resolve => {
        onSet = resolve;
        if (waiting.length > 0) resolve();
      }),
    pass(ms: number) {
      const until = host.clock.now + ms;
      for (;;) {
        const next = waiting.filter(each => each.due <= until).sort((a, b) => a.due - b.due)[0];
        if (!next) break;
        waiting.splice(waiting.indexOf(next), 1);
        host.clock.now = next.due;
        next.fn();
      }
      host.clock.now = until;
    },
  };
}

describe.each(pairings)('%s over %s', (era, carrier) => {
  const setUp = async () => {
    const time = timers();
    const host = await clinic({ era, carrier, capabilities: { elicitation: {} }, after: time.after });
    time.of(host);
    return { host, time };
  };

  it('the doctor holds the call for as long as was said, and ends it by itself', async () => {
    const { host, time } = await setUp();
    const report = host.report('doctor_timeout', { seconds: 90 });
    await time.set();
    time.pass(90_000);
    expect(outcomesOf(await report)).toMatchObject({
      timeout: 'works',
      'timeout.progress': 'not-tried',
      form: 'not-tried',
    });
    expect(said(await report, 'timeout')).toBe('The call was held for 90.0 s, and the host did not cancel it.');
    expect((await report).next).toContain('continues with form');
  });

  it('the doctor tells of progress while it holds the call', async () => {
    const { host, time } = await setUp();
    const heard: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void heard.push(progress);
    const report = host.report('doctor_timeout', { seconds: 12, progress: true }, { onprogress });
    await time.set();
    time.pass(12_000);
    expect(outcomesOf(await report)['timeout.progress']).toBe('works');
    expect(heard).toEqual([1, 2, 3]);
  });

  it('the doctor does not try with progress where the host does not ask for it', async () => {
    const { host } = await setUp();
    const report = await host.report('doctor_timeout', { progress: true });
    expect(outcomesOf(report)['timeout.progress']).toBe('not-declared');
    expect(report.hearsProgress).toBe(false);
  });

  it('the doctor says after how long the host cancelled', async () => {
    const { host, time } = await setUp();
    const stop = new AbortController();
    const cut = host.report('doctor_timeout', {}, { signal: stop.signal });
    await time.set();
    time.pass(60_000);
    stop.abort(new Error('Request timed out'));
    await expect(cut).rejects.toThrow();
    await expect
      .poll(async () => said(await host.report('doctor_report'), 'timeout'))
      .toMatch(/^The host (cancelled the call after 60\.0 s|called again after 60\.0 s)/);
  });

  it('the doctor notices a host that gives up without a word, and calls again', async () => {
    const { host, time } = await setUp();
    const cut = host.report('doctor_timeout');
    await time.set();
    time.pass(60_000);
    const report = await host.report('doctor_report');
    expect(outcomesOf(report)['timeout']).toBe('dropped');
    expect(said(report, 'timeout')).toContain('given up without saying so');
    time.pass(60_000);
    expect(said(await cut, 'timeout')).toContain('called again after 60.0 s');
  });
});
