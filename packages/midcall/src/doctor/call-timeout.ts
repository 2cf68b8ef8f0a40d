/**
 * `doctor_timeout`: holds a call open to find out when the host abandons it. A plain tool of the SDK, since it asks nothing and
 * needs the request itself: whether progress was asked for, and whether it was cancelled.
 */
import { type Clock, systemClock } from '@midcall/core/time';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Chart } from './chart.ts';

const mostSeconds = 600;

export interface CallTimeoutOptions {
  readonly chartOf: (ctx: ServerContext) => Chart;
  readonly report: () => Promise<void>;
  readonly outputSchema: z.ZodType;
  readonly reported: (chart: Chart) => CallToolResult;
  /** The current time, and timers; this machine's clock if absent. */
  readonly clock?: Clock | undefined;
}

/** Registers the tool. */
export function registerCallTimeout(
  server: McpServer,
  { chartOf, report, reported, ...options }: CallTimeoutOptions,
): void {
  const { outputSchema, clock = systemClock } = options;
  server.registerTool(
    'doctor_timeout',
    {
      title: 'How long this host waits',
      description:
        'Holds this call open and does nothing else, to find out when the host gives up. If the call is cut off, call ' +
        'doctor_report.',
      inputSchema: z.strictObject({
        seconds: z
          .int()
          .min(1)
          .max(mostSeconds)
          .default(120)
          .describe(`How long, at most ${mostSeconds}. It ends by itself.`),
        progress: z.boolean().default(false).describe('Whether to tell of progress every five seconds.'),
      }),
      outputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async ({ seconds, progress }, ctx: ServerContext) => {
      const chart = chartOf(ctx);
      const { _meta, signal } = ctx.mcpReq;
      const progressToken = _meta?.progressToken;
      if (progress && progressToken === undefined) {
        chart.silent();
      } else {
        const tell = (done: number) =>
          ctx.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken: progressToken!, progress: done, message: 'Still holding the call open.' },
          });
        const ended = chart.hold(progress ? 'timeout.progress' : 'timeout');
        ended(await hold({ ms: seconds * 1_000, signal, clock, ...(progress && { progress: tell }) }));
      }
      await report();
      return reported(chart);
    },
  );
}

interface HoldOptions {
  readonly ms: number;
  /** Tells the client that the call is alive; the client is told nothing if absent. */
  readonly progress?: (done: number) => Promise<void>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'after'>;
}

/** Milliseconds between two signs of life. */
const EVERY_MS = 5_000;

/** Leaves a call open, with or without progress, until its time is up or its client cancels it. */
function hold({ ms, progress, signal, clock }: HoldOptions): Promise<'held' | 'cancelled'> {
  return new Promise(resolve => {
    let ticks = 0;
    let quiet = (): void => {};
    const tell = (): void => {
      ticks++;
      // That a client is gone shows in the signal.
      progress?.(ticks).catch(() => {});
      quiet = clock.after(EVERY_MS, tell);
    };
    const end = (how: 'held' | 'cancelled') => (): void => {
      quiet();
      stop();
      signal.removeEventListener('abort', cancelled);
      resolve(how);
    };
    const cancelled = end('cancelled');
    const stop = clock.after(ms, end('held'));
    if (progress) tell();
    if (signal.aborted) cancelled();
    else signal.addEventListener('abort', cancelled, { once: true });
  });
}
