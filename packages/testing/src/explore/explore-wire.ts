/**
 * A client made of bare messages, in memory, for `explore`: it sends exactly what an outcome needs, answers twice, or
 * disappears. Only the wait for a silent server takes real time.
 */
import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { InMemoryTransport, type McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { VirtualClock } from './explore-clock.ts';

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
   * @param onPage - true while the server waits for one of its pages: nobody finishes it, so its time passes too
   */
  receive(onPage?: () => boolean): Promise<WireMessage | undefined>;
  /** All messages the server has sent by now. */
  drain(): Promise<WireMessage[]>;
  /** Puts messages back, to be received next. */
  unread(messages: readonly WireMessage[]): void;
  /** True if a timer that the server's code started itself is running. */
  timing(): boolean;
  close(): Promise<void>;
}

/** Milliseconds of silence after which the server may be waiting for a short timer of the library. */
const stallMs = 100;
/** The library's own grace for work beside an ask; a longer timer is a person's time and is moved by an outcome only. */
const graceMs = 2_000;
/** Short timers in a row that may be waited for: those with which a server maintains its tasks repeat forever. */
const mostGraces = 4;
/** Waits in a row that do not count as silence because the server was working; a server that works longer is not waited for. */
const mostAtWork = 100;
/** The timeout passed to the SDK for a request that has none. */
const noTimeout = 0x7fff_ffff;

/** Runs everything that needs no waiting. */
async function turns(): Promise<void> {
  for (let quiet = 0; quiet < 8; quiet++) await new Promise<void>(resolve => setImmediate(resolve));
}

interface OwnTimer {
  readonly hasRef: () => boolean;
  readonly _idleTimeout?: number;
}
/** The activity that one server's code has started. */
interface Begun {
  readonly timers: Set<OwnTimer>;
  /** The number of promises, timers and requests so far. */
  count: number;
}
const begunBy = new AsyncLocalStorage<Begun>();
/** Only tracks beginnings: to track ends, Node would have to watch every promise until it is collected. */
const watch = createHook({
  init(_id, type, _trigger, resource) {
    const begun = begunBy.getStore();
    if (!begun) return;
    begun.count += 1;
    if (type === 'Timeout') begun.timers.add(resource as OwnTimer);
  },
});

/**
 * Reports for each wait whether the server was working during it, in this thread or on files. Otherwise a machine without time
 * for the server would look like a silent server, and time would move on in the middle of its work. Other work in this process
 * does not count as the server's.
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

/** Watches what servers start, until the returned function is called. */
export function watchServers(): () => void {
  watch.enable();
  return () => void watch.disable();
}

/** Forgets those that ran or were cleared, which keep nothing alive. @returns true if one of the server's own timers is left */
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

/** How many operations on files the process waits for. */
const openFileWork = (): number => process.getActiveResourcesInfo().filter(name => name.startsWith('FSReq')).length;

/**
 * Watches operations on files, from now on.
 * @returns tells whether any is open now. Those that were open before do not count: one on a pipe that nobody writes to never ends
 */
export function watchFileWork(): () => boolean {
  let others = openFileWork();
  return () => {
    const now = openFileWork();
    others = Math.min(others, now);
    return now > others;
  };
}
