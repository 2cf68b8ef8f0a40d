/**
 * The 2025-11-25 driver: each question of a round is a real request, tied to the call, under its own timeout; the run settles
 * in place; a `requestState` on this wire is ignored. A handler that continued while its question was open is run again with
 * the answers, so that both eras behave the same.
 */
import type { CallRequest } from '../call/request.ts';
import type { SharedCall } from '../call/shared-call.ts';
import { type ApartAsk, type CallRun, leavingTo, type OpenQuestion, type Outgoing } from '../channels/outgoing.ts';
import type { Recording } from '../channels/recording.ts';
import type { Config } from '../config.ts';
import type { Json } from '../digest.ts';
import { Run } from '../engine/run.ts';
import type { EngineOptions, Outcome } from '../engine/seam.ts';
import type { Unstamped } from '../observe/audit.ts';
import { measureOpen } from '../observe/metrics.ts';
import { again } from './again.ts';
import { awaitApart } from './await-apart.ts';
import type { GoesOnElsewhere, Parked, Relayed } from './endings.ts';
import type { OpenedCall } from './open-retry.ts';
import { OutAsk } from './out-ask.ts';
import { signsOfLife } from './signs-of-life.ts';
import { isGone, reasonGone, whenGone } from './when-gone.ts';

type Handler<R> = (run: CallRun<R>) => Promise<R> | R;

/** Runs a handler to its end, which is `cancelled` if the client is gone and nobody is left to answer. */
export async function runByPush<R>(
  handler: Handler<R>,
  opened: Pick<OpenedCall, 'journal' | 'fresh' | 'resumed' | 'shared'>,
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<Exclude<Outcome<R, Outgoing>, { kind: 'needs' }> | Relayed | Parked | GoesOnElsewhere> {
  const { ctx } = request;
  const { shared } = opened;
  let run = new Run<R, Outgoing>(handler, opened.journal, opened.fresh, engine);
  let open = 0;
  let out: readonly OutAsk[] = [];
  const unwatch = whenGone(ctx, reason => {
    for (const each of out) each.left();
    audit({ kind: 'disconnected', openAsks: open });
    void run.cancel(reason);
    for (const each of out) each.cancel(reason);
  });
  try {
    for (;;) {
      const outcome = await run.next();
      // The work of a cancelled run finishes first, so that we know what took effect.
      if (outcome.kind === 'cancelled') await run.quiet();
      if (outcome.kind !== 'needs') return outcome;
      const asks = leavingTo('client', outcome.asks);
      const waits = asks.length === 0 ? leavingTo('apart', outcome.asks) : [];
      if (waits.length > 0) {
        const ms = holdMs(waits, opened.resumed ?? false, request, config);
        const recordings = await awaitApart(waits, ms, request, config);
        for (const { id, detail } of waits) if (recordings.has(id)) await detail.finished?.();
        if (shared && !(await recorded(waits, recordings, shared))) {
          await run.suspend();
          return { kind: 'handed-over' };
        }
        if (isGone(ctx)) {
          await Promise.all(waits.map(({ detail }) => detail.withdraw()));
          await run.cancel(reasonGone(ctx));
          return { kind: 'cancelled' };
        }
        if (recordings.size === 0) {
          await run.suspend();
          return { kind: 'parked', asks: waits, journal: run.journal };
        }
        if (run.outran || config.strict) run = await again(handler, engine, run, waits, recordings);
        else run.settle(recordings);
        continue;
      }
      if (asks.length === 0) {
        await run.suspend();
        return { kind: 'relayed', asks: leavingTo('model', outcome.asks), journal: run.journal };
      }
      open = asks.length;
      out = asks.map(ask => new OutAsk(ask, audit));
      const sent = out.map(ask => (shared ? ask.putTogether(shared, config) : ask.put(request, config)));
      const quiet = signsOfLife(request, config, { message: 'Waiting for the person’s answer.' });
      measureOpen(asks.length);
      const answers = sent.length === 1 ? [await sent[0]!] : await Promise.all(sent);
      measureOpen(-asks.length);
      quiet();
      open = 0;
      out = [];
      if (answers.includes('handed-over')) {
        await run.suspend();
        return { kind: 'handed-over' };
      }
      if (isGone(ctx) || answers.includes('disconnected')) {
        await Promise.all(asks.map(({ detail }) => detail.withdraw?.()));
        await run.cancel(reasonGone(ctx));
        return { kind: 'cancelled' };
      }
      const answersById = new Map(asks.map((ask, index) => [ask.id, answers[index] as Recording]));
      if (shared && !(await recorded(asks, answersById, shared))) {
        await run.suspend();
        return { kind: 'handed-over' };
      }
      if (run.outran || config.strict) run = await again(handler, engine, run, asks, answersById);
      else run.settle(answersById);
    }
  } finally {
    unwatch();
  }
}

/**
 * Milliseconds a request is held for answers that do not come through its client: without limit if the person has the question
 * already, none otherwise, or as for a resumed call.
 */
function holdMs(
  waits: readonly OpenQuestion<ApartAsk>[],
  resumed: boolean,
  request: CallRequest,
  config: Config,
): number {
  if (resumed) return config.holdMs;
  if (waits.some(({ detail }) => detail.words.passOn !== undefined)) return 0;
  // A client that gets progress waits; another may give up, so its call ends with a ticket if possible.
  const hears = request.ctx.mcpReq._meta?.progressToken !== undefined;
  const resumable = request.registered.method === 'tools/call';
  return hears || !resumable ? Number.MAX_SAFE_INTEGER : config.holdMs;
}

/** Stores the answers to questions where another process finds them. @returns false if this one has lost the call */
const recorded = (
  asks: readonly OpenQuestion[],
  recordings: ReadonlyMap<string, Recording>,
  shared: SharedCall,
): Promise<boolean> =>
  shared.record(
    asks.flatMap(({ id, kind, label }) =>
      recordings.has(id) ? [{ id, kind, label, value: recordings.get(id) as Json }] : [],
    ),
  );
