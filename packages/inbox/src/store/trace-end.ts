/** An OpenTelemetry span for each question that has ended, from when it was asked, with what the record says and no contents. */
import { SpanStatusCode, trace } from '@opentelemetry/api';
import type { EndedRow } from './questions.ts';

export function traceEnd({ principal, server, host, kind, how, via, askedAt, endedAt }: EndedRow): void {
  const span = trace.getTracer('midcall').startSpan('midcall.inbox.question', { startTime: askedAt });
  span.setAttributes({
    'midcall.principal': principal,
    'midcall.server': server,
    ...(host !== null && { 'midcall.host': host }),
    'midcall.kind': kind,
    'midcall.how': how,
    ...(via !== undefined && { 'midcall.via': via }),
  });
  if (how === 'in-doubt') span.setStatus({ code: SpanStatusCode.ERROR, message: how });
  span.end(endedAt);
}
