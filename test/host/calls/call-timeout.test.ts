import { describe, expect, it } from 'vitest';
import { callTimeout } from '../../../packages/host/src/calls/call-timeout.ts';
import { RootsGate } from '../../../packages/host/src/roots/announced-roots.ts';
import { handClock } from '../clock.ts';

describe('the timeout of a call', () => {
  it('the timeout of a call counts the time of the server and not that of the person; pauses nest', () => {
    const clock = handClock();
    let expired = 0;
    const limit = callTimeout(1_000, clock, () => expired++);
    clock.move(900);
    const first = limit.pause();
    const second = limit.pause();
    clock.move(1_000_000);
    first();
    first();
    clock.move(1_000_000);
    expect(expired).toBe(0);
    second();
    clock.move(99);
    expect(expired).toBe(0);
    clock.move(1);
    expect(expired).toBe(1);
    limit.renew();
    clock.move(5_000);
    expect([expired, clock.waiting]).toEqual([1, 0]);
  });

  it('the timeout of a call starts anew when the server shows life, and ends with the call', () => {
    const clock = handClock();
    let expired = 0;
    const limit = callTimeout(1_000, clock, () => expired++);
    clock.move(900);
    limit.renew();
    clock.move(900);
    limit.stop();
    clock.move(900);
    expect([expired, clock.waiting]).toEqual([0, 0]);
    callTimeout(Number.POSITIVE_INFINITY, clock, () => expired++);
    clock.move(1e12);
    expect(expired).toBe(0);
  });
});

describe('calls of a connection with roots', () => {
  const turns = () => new Promise(resolve => setImmediate(resolve));

  /** A gate, with the round trips that have no answer yet, and whether it is open. */
  function gated() {
    const clock = handClock();
    const pings: (() => void)[] = [];
    const gate = new RootsGate(clock, () => new Promise<void>(resolve => pings.push(resolve)));
    const isOpen = async () => {
      let open = false;
      void gate.opened().then(() => {
        open = true;
      });
      await turns();
      return open;
    };
    const answerPings = async () => {
      while (pings.length > 0) {
        for (const pong of pings.splice(0)) pong();
        await turns();
      }
    };
    return { clock, gate, isOpen, answerPings };
  }

  describe.each(['after initialized', 'after a change of the list'])('%s', when => {
    /** A server that was told to read the list, for the first time or again. */
    const told = async () => {
      const on = gated();
      on.gate.announced();
      if (when === 'after initialized') return on;
      on.gate.note('asked');
      on.gate.note('answered');
      await turns();
      await on.answerPings();
      expect(await on.isOpen()).toBe(true);
      on.gate.announced();
      return on;
    };

    it('calls wait for the answer to roots/list and for round trips after it, however long the person thinks', async () => {
      const { clock, gate, isOpen, answerPings } = await told();
      gate.note('asked');
      await answerPings();
      clock.move(60_000);
      expect(await isOpen()).toBe(false);
      gate.note('answered');
      expect(await isOpen()).toBe(false);
      await answerPings();
      expect(await isOpen()).toBe(true);
      expect(clock.waiting).toBe(0);
    });

    it('calls go out where the server has read the notice and not asked for half a second', async () => {
      const { clock, isOpen, answerPings } = await told();
      clock.move(4_999);
      expect(await isOpen()).toBe(false);
      await answerPings();
      clock.move(499);
      expect(await isOpen()).toBe(false);
      clock.move(1);
      expect(await isOpen()).toBe(true);
      expect(clock.waiting).toBe(0);
    });

    it('calls go out past a server that answers nothing', async () => {
      const { clock, isOpen } = await told();
      clock.move(5_000);
      expect(await isOpen()).toBe(false);
      clock.move(500);
      expect(await isOpen()).toBe(true);
    });
  });

  it('calls of a connection with roots wait for the last of several changes', async () => {
    const { gate, isOpen, answerPings } = gated();
    gate.announced();
    gate.note('asked');
    gate.announced();
    gate.note('answered');
    await answerPings();
    expect(await isOpen()).toBe(false);
    gate.note('asked');
    gate.note('answered');
    await turns();
    await answerPings();
    expect(await isOpen()).toBe(true);
  });
});
