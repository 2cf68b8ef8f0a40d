/**
 * The 2025-11-25 driver: each question of a round is a real request, tied to the call, under its own timeout; the run
 * settles in place; a `requestState` on this wire is nobody's and is not looked at. A handler that went on while its question was open is run again with the answers, so that both eras
 * mean the same.
 */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { Unstamped } from './audit.ts';
import type { Config } from './config.ts';
import type { Json } from './digest.ts';
import { Run } from './engine.ts';
import { isNative, push, wireOf } from './era.ts';
import type { Entry, Journal } from './journal.ts';
import { received } from './received.ts';
import type { CallRequest } from './request.ts';
import type { EngineOptions, OpenAsk, Outcome } from './seam.ts';

/** No question of the round can be put to the client; see relay.ts. */
export interface Relayed {
  readonly kind: 'relayed';
  readonly asks: readonly OpenAsk[];
  readonly journal: Journal;
}

type Handler<R> = (run: Run<R>) => Promise<R> | R;

/** Runs a handler to its end. Never settles on `cancelled`: there is nobody left to answer. */
export async function runByPush<R>(
  handler: Handler<R>,
  arrival: { readonly journal: Journal; readonly fresh: ReadonlySet<string> },
  request: CallRequest,
  config: Config,
  engine: EngineOptions,
  audit: (event: Unstamped) => void,
): Promise<Exclude<Outcome<R>, { kind: 'needs' }> | Relayed> {
  const { signal } = request.ctx.mcpReq;
  let run = new Run<R>(handler, arrival.journal, arrival.fresh, engine);
  let open = 0;
  const gone = () => {
    audit({ kind: 'disconnected', openAsks: open });
    void run.cancel(signal.reason);
  };
  if (signal.aborted) gone();
  else signal.addEventListener('abort', gone, { once: true });
  try {
    for (;;) {
      const outcome = await run.next();
      if (outcome.kind !== 'needs') return outcome;
      const asks = outcome.asks.filter(isNative);
      if (asks.length === 0) {
        await run.suspend();
        return { kind: 'relayed', asks: outcome.asks, journal: run.journal };
      }
      open = asks.length;
      const answers = await askAll(asks, request, config, audit);
      open = 0;
      if (answers === 'disconnected') {
        await run.cancel(signal.reason);
        return { kind: 'cancelled' };
      }
      if (!run.outran) {
        run.settle(answers);
        continue;
      }
      const entries = asks.map<Entry>(ask => ({
        id: ask.id,
        kind: ask.kind,
        label: ask.label,
        value: answers.get(ask.id) ?? null,
      }));
      const journal = [...run.journal, ...entries];
      await run.suspend();
      run = new Run<R>(handler, journal, new Set(entries.map(entry => entry.id)), engine);
    }
  } finally {
    // The SDK's signal also fires after every normal result.
    signal.removeEventListener('abort', gone);
  }
}

async function askAll(
  asks: readonly OpenAsk[],
  request: CallRequest,
  config: Config,
  audit: (event: Unstamped) => void,
): Promise<ReadonlyMap<string, Json> | 'disconnected'> {
  const answers = await Promise.all(asks.map(ask => askOne(ask, request, config, audit)));
  if (request.ctx.mcpReq.signal.aborted || answers.includes('disconnected')) return 'disconnected';
  return new Map(asks.map((ask, index) => [ask.id, answers[index] as Json]));
}

async function askOne(
  ask: OpenAsk,
  request: CallRequest,
  config: Config,
  audit: (event: Unstamped) => void,
): Promise<Json | 'disconnected'> {
  const wire = wireOf(ask);
  const left = config.now();
  const elapsed = () => config.now() - left;
  const wait = new AbortController();
  const { signal } = request.ctx.mcpReq;
  const stop = () => wait.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  let late = false;
  const clear = config.timer(() => {
    late = true;
    wait.abort(new Error('The person did not answer in time.'));
  }, wire.timeoutMs);
  if (ask.kind === 'elicit') audit({ kind: 'asked', ask: ask.id, channel: 'native' });
  try {
    const answer = received(await push(request.ctx, wire, wait.signal));
    return answer ? { got: answer.value, ms: elapsed() } : { none: 'error', ms: elapsed() };
  } catch (error) {
    if (late) return { none: 'timeout', ms: elapsed() };
    if (signal.aborted || isDisconnect(error)) return 'disconnected';
    return { none: 'error', ms: elapsed(), code: (error as { code?: number }).code };
  } finally {
    clear();
    signal.removeEventListener('abort', stop);
  }
}

const isDisconnect = (error: unknown): boolean =>
  error instanceof SdkError &&
  (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected);
