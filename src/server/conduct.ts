/** Conducts one request from its arrival to its result: who and what it is, which driver runs it, and what becomes of it. */
import {
  type InputRequiredResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { MidcallError } from '../errors.ts';
import type { Unstamped } from './audit.ts';
import type { Call } from './call.ts';
import type { Config } from './config.ts';
import type { Run } from './engine.ts';
import { fileAccess } from './file-access.ts';
import { makeCall } from './handle.ts';
import { passageOf } from './intercept.ts';
import { stepLedger } from './ledger.ts';
import { runByPush } from './push.ts';
import { auditor, type Registered, readRequest } from './request.ts';
import { type Arrival, arrive, claimTtl, runByRounds } from './rounds.ts';
import type { EngineOptions, StepLedger } from './seam.ts';

export interface Conduct {
  run<R>(
    server: McpServer,
    ctx: ServerContext,
    registered: Registered,
    handler: (call: Call) => R | Promise<R>,
  ): Promise<R | InputRequiredResult>;
  close(): Promise<void>;
}

export function conductor(config: Config): Conduct {
  const inFlight = new Set<Promise<unknown>>();
  const access = fileAccess(config);
  let closed = false;

  const warnOfLoss = (ctx: ServerContext) => {
    if (ctx.http !== undefined && config.keys.ephemeral) config.warnOnce('key', keyWillBeLost);
  };

  async function conduct<R>(
    server: McpServer,
    ctx: ServerContext,
    registered: Registered,
    handler: (call: Call) => R | Promise<R>,
  ): Promise<R | InputRequiredResult> {
    warnOfLoss(ctx);
    const passage = passageOf(ctx);
    const request = await readRequest(server, ctx, passage.params, registered, config);
    const rounds = request.client.asks === 'rounds';
    let arrival: Arrival;
    try {
      arrival = rounds
        ? await arrive(request, config, event => auditor(request, '', config)(event))
        : { flow: config.id(), round: 0, journal: [], fresh: new Set(), stillOut: [] };
    } catch (error) {
      if (error instanceof ProtocolError) passage.error = error;
      throw error;
    }
    if (arrival.earlier !== undefined) {
      passage.earlier = arrival.earlier as NonNullable<typeof passage.earlier>;
      return { resultType: 'input_required', requestState: '' };
    }
    const { nonce } = arrival;
    if (nonce !== undefined)
      passage.settled = outcome => config.claims.answer(nonce, storable(outcome), claimTtl(config));

    const audit = auditor(request, arrival.flow, config);
    const files = access(request);
    const engine: EngineOptions = { ledger: auditedLedger(arrival.flow, config, audit) };
    const body = (run: Run<R>) =>
      handler(makeCall(run as Run<unknown>, { config, request, flow: arrival.flow, audit, files }));
    const outcome = rounds
      ? await runByRounds<R>(body, arrival, request, config, engine, audit)
      : await runByPush<R>(body, request, config, engine, audit);
    switch (outcome.kind) {
      case 'done':
      case 'input-required':
        return outcome.result;
      case 'failed':
        if (outcome.error instanceof MissingRequiredClientCapabilityError) passage.error = outcome.error;
        throw outcome.error;
      case 'cancelled':
        throw new MidcallError(
          'call/interrupted',
          'The client cancelled this call, or is gone. Nothing of it goes on.',
        );
    }
  }

  return {
    async run(server, ctx, registered, handler) {
      if (closed) throw new MidcallError('call/closed', 'This server is closing and takes no new calls.');
      const running = conduct(server, ctx, registered, handler);
      inFlight.add(running);
      try {
        return await running;
      } finally {
        inFlight.delete(running);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled([...inFlight]);
    },
  };
}

const keyWillBeLost =
  'midcall: no key is configured, so calls in flight are lost when this process restarts, and no other replica can go on ' +
  'with them. Set MIDCALL_KEY (openssl rand -base64 32) or the key option.';

/** Writes the audit before the effect, so that a step begun and never ended shows even where no retry comes. */
function auditedLedger(flow: string, config: Config, audit: (event: Unstamped) => void): StepLedger {
  const stored = config.durable ? stepLedger(config.store, flow, claimTtl(config)) : undefined;
  return {
    async begin(step) {
      const begun = (await stored?.begin(step)) ?? { state: 'run' as const };
      if (begun.state === 'in-doubt') audit({ kind: 'step-in-doubt', step: step.name });
      else if (begun.state !== 'done') audit({ kind: 'step-begun', step: step.name });
      return begun;
    },
    async end(entry) {
      await stored?.end(entry);
      audit({ kind: 'step-ended', step: entry.label, failed: entry.error !== undefined });
    },
  };
}

/** What a duplicate of a retry is given: the same result, or the same error. */
function storable(outcome: { readonly result: unknown } | { readonly error: unknown }): unknown {
  if ('result' in outcome) return outcome;
  const error = outcome.error as { code?: unknown; message?: unknown; data?: unknown };
  return { error: { message: String(error.message ?? outcome.error), code: error.code, data: error.data } };
}
