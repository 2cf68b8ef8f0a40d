/**
 * Jobs of several replicas on BullMQ, over the Redis of their fleet. A job is only its name there, used as its id, which keeps
 * it from being added twice; the work itself is described in the store.
 */
import { MidcallError, needed } from '@midcall/core/errors';
import { checkOptions, func, name, positive, required } from '@midcall/core/options';
import { type Clock, clockKind, inTime, systemClock } from '@midcall/core/time';
import { type Jobs, pauseAfter } from '../jobs/index.ts';
import { connectionKind, type FleetConnection, isClient } from './commands.ts';

/** The options of a job queue. */
export interface RedisJobsOptions {
  /** As in `redisFleet`. A client needs `maxRetriesPerRequest: null`. */
  readonly connection: FleetConnection;
  /** The prefix of every key, in braces so that a cluster keeps them together; `{midcall:jobs}` if absent. */
  readonly prefix?: string;
  /**
   * Milliseconds after which `add` fails if Redis does not answer, and `close` stops waiting for it once the runs in progress
   * have ended; 5,000 if absent.
   */
  readonly timeoutMs?: number;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock;
  /** Called with errors outside the jobs themselves. */
  readonly onError?: (error: Error) => void;
}

/** A job as BullMQ gives it to whoever runs it. */
interface QueuedJob {
  readonly id?: string;
  /** `n`: how often it has failed. */
  readonly data: { readonly n?: number };
  updateData(data: { readonly n: number }): Promise<void>;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
}

const QUEUE = 'tasks';
/** The BullMQ name of every job; the name it was added with is its id. */
const JOB = 'job';
/** Runs side by side: one may take as long as a person is on a page. */
const SIDE_BY_SIDE = 1_000;
/**
 * How long a process without a sign of life keeps a job, and the time between two searches for abandoned jobs, in milliseconds.
 */
const LOCK_MS = 15_000;
const STALLED_MS = 5_000;

/**
 * @returns a queue for the `jobs` of `midcall`
 * @throws MidcallError `server/setup` if `bullmq` or `ioredis` is not installed; TypeError for bad options
 * @example
 * ```ts
 * const mid = midcall({ key, store, jobs: await redisJobs({ connection: 'redis://redis:6379' }) });
 * ```
 */
export async function redisJobs(options: RedisJobsOptions): Promise<Jobs> {
  checkOptions('redisJobs', options, {
    connection: required(connectionKind),
    prefix: name,
    timeoutMs: positive,
    clock: clockKind,
    onError: func,
  });
  const { connection: configured, prefix = '{midcall:jobs}', timeoutMs = 5_000 } = options;
  const { clock = systemClock, onError = () => {} } = options;
  const packages = ['bullmq', 'ioredis'];
  const { DelayedError, Queue, Worker } = await needed('redisJobs', 'bullmq', () => import('bullmq'), packages);
  const { Redis } = await needed('redisJobs', 'ioredis', () => import('ioredis'), packages);
  const own = !isClient(configured);
  const connect = (): unknown =>
    typeof configured === 'string'
      ? new Redis(configured, { maxRetriesPerRequest: null })
      : new Redis({ ...(configured as Readonly<Record<string, unknown>>), maxRetriesPerRequest: null });
  const connection = (own ? connect() : configured) as never;
  // BullMQ writes events for each job, which nothing reads.
  const queue = new Queue(QUEUE, { connection, prefix, streams: { events: { maxLen: 0 } } });
  queue.on('error', onError);
  let worker: { close(force: boolean): Promise<void> } | undefined;
  const running = new Set<Promise<void>>();

  const bounded = <T>(work: Promise<T>): Promise<T> =>
    inTime(work, timeoutMs, clock, () => {
      throw away(`did not answer within ${timeoutMs / 1000} seconds`);
    });

  return {
    async add(job, delayMs = 0) {
      const settings = { jobId: job, delay: Math.max(0, Math.ceil(delayMs)) };
      try {
        await bounded(queue.add(JOB, {}, settings));
      } catch (error) {
        if (error instanceof MidcallError) throw error;
        throw away('did not take a job. Check that it runs and can be reached');
      }
    },
    async remove(job) {
      await bounded(queue.remove(job)).catch(() => {});
    },
    start(run) {
      const work = async (job: QueuedJob, token?: string) => {
        const { id = '', data } = job;
        const attempt = (data.n ?? 0) + 1;
        const under = run(id, attempt);
        running.add(under);
        try {
          await under;
        } catch {
          // With BullMQ's own attempts, each waiting job would store its retry settings.
          await job
            .updateData({ n: attempt })
            .then(() => job.moveToDelayed(Date.now() + pauseAfter(attempt), token))
            .catch(onError);
          // Also for one that could not be delayed: with any other error it would be dropped; this way it is run again as one
          // of a
          // process that died (jobs-J4).
          throw new DelayedError();
        } finally {
          running.delete(under);
        }
      };
      const started = new Worker(QUEUE, work, {
        connection,
        prefix,
        concurrency: SIDE_BY_SIDE,
        // Set here, so that it is not stored with every waiting job.
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_MS,
        // However many processes die during a job, it is run (jobs-J1).
        maxStalledCount: Number.MAX_SAFE_INTEGER,
      });
      started.on('error', onError);
      worker = started;
    },
    async close() {
      // If Redis is unavailable, BullMQ would wait for it. A job whose end it cannot record is run again, by any process
      // (jobs-J2).
      const isAway = await bounded(queue.count()).then(
        () => false,
        () => true,
      );
      const closing = worker?.close(isAway);
      closing?.catch(() => {});
      await Promise.allSettled(running);
      const closed = async (): Promise<void> => {
        await closing;
        await queue.close();
      };
      await bounded(closed()).catch(() => {});
      if (own) (connection as { disconnect(): void }).disconnect();
    },
  };
}

const away = (what: string): MidcallError => new MidcallError('store/unavailable', `The Redis of the jobs ${what}.`);
