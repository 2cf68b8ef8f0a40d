/**
 * OpenTelemetry metrics of calls, made from their audit events, so that they count what the audit sees and never contents. Only
 * the API is used: without an SDK in the process nothing is measured. Names and attributes follow the semantic conventions for
 * MCP if these define one, and otherwise begin with `midcall.`.
 *
 * - metrics-1 No attribute grows without bound: no flow, person or URI, and a limited number of tool and prompt names.
 */
import {
  type Attributes,
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
  metrics,
  type UpDownCounter,
} from '@opentelemetry/api';
import type { AuditEvent, CallRef } from '../state/index.ts';

interface Instruments {
  readonly operations: Histogram;
  readonly asked: Counter;
  readonly answered: Counter;
  readonly answering: Histogram;
  readonly open: UpDownCounter;
  readonly inDoubt: Counter;
}

/** Seconds; as the semantic conventions advise for MCP. */
const operationSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Seconds that people take: from a click to a day. */
const answerSeconds = [1, 2, 5, 10, 30, 60, 120, 300, 900, 3_600, 14_400, 86_400];
/** Names behind a gateway come from strangers; those beyond this number are omitted. */
const MOST_NAMES = 200;

const byMeter = new WeakMap<Meter, Instruments>();
const names = new Set<string>();

/** @returns undefined if metrics are not collected */
function instruments(): Instruments | undefined {
  const meter = metrics.getMeter('midcall');
  if (meter === createNoopMeter()) return undefined;
  const byOurMeter = byMeter.get(meter) ?? make(meter);
  byMeter.set(meter, byOurMeter);
  return byOurMeter;
}

const make = (meter: Meter): Instruments => ({
  operations: meter.createHistogram('mcp.server.operation.duration', {
    unit: 's',
    description: 'How long a request took, from its arrival to its result.',
    advice: { explicitBucketBoundaries: operationSeconds },
  }),
  asked: meter.createCounter('midcall.asks', { unit: '{question}', description: 'Questions that were sent.' }),
  answered: meter.createCounter('midcall.answers', { unit: '{question}', description: 'Questions that ended.' }),
  answering: meter.createHistogram('midcall.answer.duration', {
    unit: 's',
    description: 'How long people took to accept or decline.',
    advice: { explicitBucketBoundaries: answerSeconds },
  }),
  open: meter.createUpDownCounter('midcall.asks.open', {
    unit: '{question}',
    description: 'Questions that wait for an answer to a request of this process.',
  }),
  inDoubt: meter.createCounter('midcall.steps.in_doubt', {
    unit: '{step}',
    description: 'Steps that were begun by an attempt that died.',
  }),
});

/** Records what an audit event says. */
export function measure(event: AuditEvent): void {
  if (event.kind !== 'asked' && event.kind !== 'answered' && event.kind !== 'step-in-doubt') return;
  const to = instruments();
  if (!to) return;
  const call = attributesOf(event.call);
  if (event.kind === 'step-in-doubt') to.inDoubt.add(1, call);
  else if (event.kind === 'asked') to.asked.add(1, { ...call, 'midcall.channel': event.channel });
  else {
    const { action, reason, by } = event;
    const answer = { ...call, 'midcall.channel': by.channel, 'midcall.action': action };
    to.answered.add(1, { ...answer, ...(reason && { 'midcall.reason': reason }) });
    if (action !== 'cancel') to.answering.record(by.elapsedMs / 1_000, answer);
  }
}

/**
 * A request of a call has ended, a round of questions included.
 * @param ms - since it arrived
 * @param errorType - what went wrong, as a code; `tool_error` if the tool itself returned an error
 */
export function measureOperation(
  call: Pick<CallRef, 'method' | 'name'>,
  ms: number,
  errorType?: string | number,
): void {
  const to = instruments();
  if (!to) return;
  const error = errorType === undefined ? {} : { 'error.type': String(errorType) };
  to.operations.record(ms / 1_000, { ...attributesOf(call), ...error });
}

/** This process waits for more questions; or for fewer, if `change` is negative. */
export function measureOpen(change: number): void {
  instruments()?.open.add(change);
}

const nameKeys: Readonly<Record<CallRef['method'], string | undefined>> = {
  'tools/call': 'gen_ai.tool.name',
  'prompts/get': 'gen_ai.prompt.name',
  'resources/read': undefined,
};

function attributesOf({ method, name }: Pick<CallRef, 'method' | 'name'>): Attributes {
  const key = nameKeys[method];
  const listed = key !== undefined && (names.has(name) || (names.size < MOST_NAMES && names.add(name) !== undefined));
  return { 'mcp.method.name': method, ...(listed && { [key]: name }) };
}
