/**
 * OpenTelemetry spans of a call, made from its audit events, so that tracing sees what the audit sees and never contents.
 * One span for each round a call is run (`midcall.round`), and below it one for each answered ask and each step. Only the
 * API is used: without an SDK in the process nothing is recorded.
 */
import type { Clock } from '@midcall/core/time';
import type { Span } from '@opentelemetry/api';
import { errorCode, telemetry } from '../observe/index.ts';
import type { CallRequest } from '../request/index.ts';
import type { Unstamped } from '../state/index.ts';

export interface RoundTrace {
  /** Sees every audit event of the round. */
  saw(event: Unstamped): void;
  end(outcome: string, error?: unknown): void;
}

/**
 * @param round - 0 for the first request of a call
 * @returns nothing if tracing is off
 */
export function traceRound(
  request: CallRequest,
  flow: string,
  round: number,
  clock: Pick<Clock, 'now'>,
): RoundTrace | undefined {
  const api = telemetry();
  if (!api) return undefined;
  const { context, SpanStatusCode, trace } = api;
  const tracer = trace.getTracer('midcall');
  const span = tracer.startSpan('midcall.round', { startTime: clock.now() });
  if (!span.isRecording()) return undefined;
  span.setAttributes({
    'mcp.method.name': request.registered.method,
    'midcall.name': request.name,
    'midcall.flow': flow,
    'midcall.round': round,
    'midcall.asks': request.client.asks,
  });
  const within = trace.setSpan(context.active(), span);
  const steps = new Map<string, Span>();

  const answered = (event: Extract<Unstamped, { kind: 'answered' }>) => {
    const at = clock.now();
    const ask = tracer.startSpan('midcall.ask', { startTime: at - event.by.elapsedMs }, within);
    ask.setAttributes({
      'midcall.ask': event.ask,
      'midcall.action': event.action,
      'midcall.channel': event.by.channel,
      'midcall.assurance': event.by.assurance,
      ...(event.reason ? { 'midcall.reason': event.reason } : {}),
      ...(event.by.suspect ? { 'midcall.suspect': event.by.suspect } : {}),
    });
    ask.end(at);
  };

  return {
    saw(event) {
      if (event.kind === 'answered') answered(event);
      else if (event.kind === 'step-begun') {
        const attributes = { 'midcall.step': event.step };
        steps.set(event.step, tracer.startSpan('midcall.step', { startTime: clock.now(), attributes }, within));
      } else if (event.kind === 'step-ended') {
        const step = steps.get(event.step);
        if (event.failed) step?.setStatus({ code: SpanStatusCode.ERROR });
        step?.end(clock.now());
        steps.delete(event.step);
      } else span.addEvent(event.kind, clock.now());
    },
    end(outcome, error) {
      for (const step of steps.values()) step.end(clock.now());
      span.setAttribute('midcall.outcome', outcome);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: String(errorCode(error)) });
      span.end(clock.now());
    },
  };
}
