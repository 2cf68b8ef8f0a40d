/** The embedded queue of jobs: in memory, over a store, and over one that fails. */
import { systemClock } from '@midcall/core/time';
import { memoryStore } from '@midcall/server/stores/memory';
import { describe, expect, it } from 'vitest';
import { embeddedJobs } from '../../../packages/server/src/jobs/embedded-jobs.ts';
import { TimeList } from '../../../packages/server/src/state/time-list.ts';
import { grown } from '../../fixtures/grown.ts';
import { jobsContract } from './jobs-contract.ts';

const over = (store?: ReturnType<typeof memoryStore>) => embeddedJobs({ store, clock: systemClock, warn: () => {} });

describe('jobs in memory', () => jobsContract(() => ({ jobs: over() })));

describe('jobs over a store', () => {
  jobsContract(() => {
    const store = memoryStore();
    return { jobs: over(store), again: () => over(store) };
  });

  it('jobs over a store are taken over, once nobody has run them for a minute', async () => {
    const store = memoryStore();
    let now = 1_800_000_000_000;
    const timers: { readonly at: number; readonly fn: () => void }[] = [];
    const byHand = (ms: number, fn: () => void) => {
      const each = { at: now + ms, fn };
      timers.push(each);
      return () => void timers.splice(timers.indexOf(each), 1);
    };
    const other = embeddedJobs({ store, clock: { now: () => now, after: byHand }, warn: () => {} });
    const run: string[] = [];
    other.start(async name => void run.push(name));
    await grown(timers, list => list.length >= 1);
    const gone = over(store);
    await gone.add('left/1');
    await new TimeList(store, 'jobs').put('left/1', now);
    now += 60_001;
    timers.shift()!.fn();
    await grown(run, list => list.length >= 1);
    expect(run).toEqual(['left/1']);
  });

  it('jobs over a store that are put off for more than a minute take no timer and no memory, and run when they are due', async () => {
    let now = 1_800_000_000_000;
    const timers = new Set<{ readonly at: number; readonly fn: () => void }>();
    const byHand = (ms: number, fn: () => void) => {
      const each = { at: now + ms, fn };
      timers.add(each);
      return () => void timers.delete(each);
    };
    const pass = async (ms: number): Promise<void> => {
      now += ms;
      for (const each of [...timers]) if (each.at <= now && timers.delete(each)) each.fn();
      await new Promise(resolve => setImmediate(resolve));
    };
    for (const store of [memoryStore(), undefined]) {
      const jobs = embeddedJobs({ store, clock: { now: () => now, after: byHand }, warn: () => {} });
      const run: string[] = [];
      jobs.start(async name => void run.push(name));
      await new Promise(resolve => setImmediate(resolve));
      for (let job = 0; job < 50; job += 1) await jobs.add(`later${job}/1/due`, 150_000);
      await jobs.add('taken-back/1/due', 150_000);
      await jobs.remove('taken-back/1/due');
      expect(timers.size).toBe(1);
      await pass(60_000);
      expect(timers.size).toBe(1);
      await pass(60_000);
      expect([run, timers.size]).toEqual([[], store ? 51 : 50]);
      await pass(30_000);
      expect(run).toHaveLength(50);
      await jobs.close();
      timers.clear();
    }
  });

  it('jobs over a store are not lost where two processes add and end many at once', async () => {
    const store = memoryStore();
    const [one, two] = [new TimeList(store, 'jobs'), new TimeList(store, 'jobs')];
    const names = Array.from({ length: 300 }, (_, n) => `job${n}/1`);
    await Promise.all(names.map((name, n) => (n % 2 ? one : two).put(name, n)));
    expect((await one.read()).size).toBe(300);
    for (const [n, name] of names.entries()) if (n % 3 === 0) (n % 2 ? two : one).drop(name);
    await Promise.all([one.flush(), two.flush()]);
    expect([...(await two.read()).keys()].sort()).toEqual(names.filter((_, n) => n % 3 !== 0).sort());
  });

  it('jobs over a store are not added where the store cannot be written, and can be added once it can', async () => {
    const store = memoryStore();
    let away = true;
    const sets = store.sortedSets;
    const add: typeof sets.add = (...args) => (away ? Promise.reject(new Error('away')) : sets.add(...args));
    const failing = { ...store, sortedSets: { ...sets, add } };
    const jobs = over(failing);
    await expect(jobs.add('lost/1')).rejects.toThrow('away');
    away = false;
    await jobs.add('kept/1');
    expect([...(await new TimeList(store, 'jobs').read()).keys()]).toEqual(['kept/1']);
    await jobs.close();
  });
});
