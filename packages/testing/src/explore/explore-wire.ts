/**
 * A client made of bare messages, in memory, for `explore`: it sends exactly what an outcome needs, answers twice, or
 * disappears. Only the wait for a silent server takes real time.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { InMemoryTransport, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { VirtualClock } from './explore-clock.ts';
import { watchFileWork } from './file-work.ts';

export interface WireMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Wire {
  send(message: Readonly<Record<string, unknown>>): void;
  /**
   * The next message of the server; undefined if it stays silent for `hangMs`.
   * @param onPage - true while a page of the server's is waited for: nobody finishes it, so its time is let pass too
   */
  receive(onPage?: () => boolean): Promise<WireMessage | undefined>;
  /** Everything the server has to say by now. */
  drain(): Promise<WireMessage[]>;
  /** Puts messages back, to be received next. */
  unread(messages: readonly WireMessage[]): void;
  /** True if a timer that the server's code started itself is running. */
  timing(): boolean;
  close(): Promise<void>;
}

/** Milliseconds of silence after which a short timer of the library may be what is waited for. */
const stallMs = 100;
/** The library's own grace for work beside an ask; a longer timer is a person's time and is moved by an outcome only. */
const graceMs = 2_000;
/** Short timers in a row that may be waited for: those by which a server looks after its tasks go on forever. */
const mostGraces = 4;
/** Waits in a row that do not count as silence because the server was at work; one that is at work for longer is not waited for. */
const mostAtWork = 100;
/** What the SDK is given as the timeout of a request that has none. */
const noTimeout = 0x7fff_ffff;

/** Runs everything that needs no waiting. */
async function turns(): Promise<void> {
  for (let quiet = 0; quiet < 8; quiet++) await new Promise<void>(resolve => setImmediate(resolve));
}

interface OwnTimer {
  readonly hasRef: () => boolean;
  readonly _idleTimeout?: number;
}
/** What the code of one server began. */
interface Begun {
  readonly timers: Set<OwnTimer>;
  /** Promises, timers and requests, so far. */
  count: number;
}
const begunBy = new AsyncLocalStorage<Begun>();
/** Hears of what begins only: to hear of what ends, Node would watch every promise until it is collected. */
const watch = createHook({
  init(_id, type, _trigger, resource) {
    const begun = begunBy.getStore();
    if (!begun) return;
    begun.count += 1;
    if (type === 'Timeout') begun.timers.add(resource as OwnTimer);
  },
});

/**
 * Tells of each wait whether the server was at work in it, in this thread or on files. A machine that has no time for the
 * server would be taken for a silent server otherwise, and time moved on in the middle of its work. What else is busy in
 * this process is no work of the server's.
 */
function observeWork(begun: Begun, onFiles: () => boolean): () => boolean {
  let last = performance.eventLoopUtilization();
  let { count } = begun;
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    const wentOn = begun.count > count;
    last = now;
    count = begun.count;
    return (wentOn && utilization > 0.2) || onFiles();
  };
}

/** Watches what servers begin, until the result is called. */
export function watchServers(): () => void {
  watch.enable();
  return () => void watch.disable();
}

/** Forgets those that ran or were cleared, which keep nothing alive. @returns true if a timer of the server's own is left */
function running(timers: Set<OwnTimer>): boolean {
  for (const timer of timers) if (!timer.hasRef()) timers.delete(timer);
  return [...timers].some(timer => timer._idleTimeout !== noTimeout);
}

/** @param hangMs - milliseconds of real silence after which the server counts as hanging */
export function openWire(factory: McpServerFactory, clock: VirtualClock, hangMs: number): Wire {
  const begun: Begun = { timers: new Set(), count: 0 };
  const onFiles = watchFileWork();
  const within = <T>(work: () => T): T => begunBy.run(begun, work);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const queue: WireMessage[] = [];
  let wake: (() => void) | undefined;
  near.onmessage = message => {
    queue.push(message as WireMessage);
    wake?.();
  };
  const handle = within(() => serveStdio(factory, { transport: far }));
  void near.start();
  const arrival = (ms: number): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return {
    send: message => within(() => void near.send({ jsonrpc: '2.0', ...message } as never)),
    async receive(onPage = () => false) {
      const wasAtWork = observeWork(begun, onFiles);
      for (let [silent, fired, atWork] = [0, 0, 0]; queue.length === 0; ) {
        if (onPage()) {
          await turns();
          if (queue.length > 0) break;
          if (within(() => clock.next())) continue;
        }
        const wait = Math.min(stallMs, hangMs - silent);
        await arrival(wait);
        wake = undefined;
        if (queue.length > 0) break;
        if (wasAtWork() && atWork++ < mostAtWork) continue;
        if (fired < mostGraces && within(() => clock.next(graceMs))) {
          fired += 1;
          continue;
        }
        silent += wait;
        if (silent >= hangMs) return undefined;
      }
      return queue.shift();
    },
    async drain() {
      await turns();
      return queue.splice(0);
    },
    unread: messages => void queue.unshift(...messages),
    timing: () => running(begun.timers),
    close: () => handle.close(),
  };
}
