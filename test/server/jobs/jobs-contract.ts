/** What every queue of jobs must do, whatever it stands on; for a driver's own test. */
import type { Jobs } from '@midcall/server';
import { afterEach, expect, it } from 'vitest';
import { grown } from '../../fixtures/grown.ts';

/** A place where jobs lie. */
export interface JobsUnderTest {
  /** Another process, so to speak, that has the same queue; undefined where jobs end with their process. */
  again?: () => Jobs | Promise<Jobs>;
  readonly jobs: Jobs;
}

/** @param make - an empty queue each time */
export function jobsContract(make: () => JobsUnderTest | Promise<JobsUnderTest>): void {
  const open: Jobs[] = [];
  afterEach(async () => {
    for (const jobs of open.splice(0)) await jobs.close();
  });
  const made = async (): Promise<JobsUnderTest> => {
    const under = await make();
    open.push(under.jobs);
    return under;
  };

  it('jobs-J1: a job that is added before the start or after it is run once where nothing fails', async () => {
    const { jobs } = await made();
    const run: string[] = [];
    await jobs.add('early/1');
    jobs.start(async name => void run.push(name));
    await jobs.add('late/1');
    await grown(run, list => list.length >= 2);
    expect(run.sort()).toEqual(['early/1', 'late/1']);
  });

  it('jobs-J1: a delayed job is run when its time has come', async () => {
    const { jobs } = await made();
    const run: number[] = [];
    jobs.start(async () => void run.push(performance.now()));
    const before = performance.now();
    await jobs.add('later/1/due', 100);
    await grown(run, list => list.length >= 1);
    // A timer may be a millisecond early.
    expect(run[0]! - before).toBeGreaterThanOrEqual(98);
  });

  it('jobs-J3: a job whose name waits or is being run is not added, and is added again once it has been run', async () => {
    const { jobs } = await made();
    const begun: string[] = [];
    const ended: string[] = [];
    let release = (): void => {};
    jobs.start(async name => {
      begun.push(name);
      if (begun.length === 1) await new Promise<void>(resolve => (release = resolve));
      ended.push(name);
    });
    await Promise.all([jobs.add('same'), jobs.add('same')]);
    await grown(begun, list => list.length >= 1);
    await jobs.add('same');
    release();
    await grown(ended, list => list.length >= 1);
    await jobs.add('other');
    await grown(ended, list => list.length >= 2);
    expect(begun).toEqual(['same', 'other']);
    await jobs.add('same');
    await grown(ended, list => list.length >= 3);
    expect(begun).toEqual(['same', 'other', 'same']);
  });

  it('jobs-J4: a run that rejects is repeated, and says how often it has been tried', async () => {
    const { jobs } = await made();
    const attempts: number[] = [];
    jobs.start(async (_, attempt) => {
      attempts.push(attempt);
      if (attempt === 1) throw new Error('The store is away.');
    });
    await jobs.add('failing');
    await grown(attempts, list => list.length >= 2);
    expect(attempts).toEqual([1, 2]);
  });

  it('a job that waits can be taken back, and no other is', async () => {
    const { jobs } = await made();
    const run: string[] = [];
    await jobs.add('back');
    await jobs.add('stays');
    await jobs.remove('back');
    await jobs.remove('unknown');
    jobs.start(async name => void run.push(name));
    await grown(run, list => list.length >= 1);
    expect(run).toEqual(['stays']);
  });

  it('jobs-J1: a job that waits, or did not end, is left to the next process', async () => {
    const { jobs, again } = await made();
    if (!again) return;
    const run: string[] = [];
    jobs.start(async name => {
      run.push(name);
      throw new Error('This server is closing.');
    });
    await jobs.add('waits/3/due', 60);
    await jobs.add('interrupted/2');
    await grown(run, list => list.length >= 1);
    await jobs.close();
    const next = await again();
    open.push(next);
    const taken: string[] = [];
    next.start(async name => void taken.push(name));
    await grown(taken, list => list.length >= 2);
    expect(taken.sort()).toEqual(['interrupted/2', 'waits/3/due']);
  });
}
