/** Spans of a call, seen by a tracer provider of the test's own. */

import { midcall } from '@midcall/server';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { type Attributes, type Span, type SpanOptions, type Tracer, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';

interface Seen {
  readonly name: string;
  readonly attributes: Attributes;
  ended: boolean;
}

const seen: Seen[] = [];

const tracer = {
  startSpan(name: string, options: SpanOptions = {}) {
    const one: Seen = { name, attributes: { ...options.attributes }, ended: false };
    seen.push(one);
    const span = {
      isRecording: () => true,
      setAttribute: (key: string, value: never) => Object.assign(one.attributes, { [key]: value }),
      setAttributes: (more: Attributes) => Object.assign(one.attributes, more),
      setStatus: () => span,
      addEvent: () => span,
      end: () => {
        one.ended = true;
      },
    };
    return span as unknown as Span;
  },
} as unknown as Tracer;

beforeAll(() => {
  const provider = { getTracer: () => tracer };
  // A run that listens for secrets has a provider of its own already.
  if (trace.setGlobalTracerProvider(provider)) return;
  trace.disable();
  trace.setGlobalTracerProvider(provider);
});
afterAll(() => trace.disable());

it.each(eras)('%s: a call has a span for each round, ask and step, all ended, without contents', async era => {
  seen.length = 0;
  const mid = midcall({ suspectBelowMs: 0, warn: () => {} });
  const factory = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => {
      const answer = await call.elicit({ message: 'Secret question?', form: ['canary-answer', 'other'] });
      await call.step('work', () => 1);
      return { content: [{ type: 'text', text: answer.action }] };
    });
    return server;
  };
  const person = scriptedPerson([{ action: 'accept', content: { value: 'canary-answer' } }]);
  await using pair = await connectPair(factory, { era, person });
  await pair.client.callTool({ name: 'act' });

  const names = seen.map(span => span.name).sort();
  const rounds = era === '2026-07-28' ? 2 : 1;
  expect(names).toEqual(['midcall.ask', ...Array(rounds).fill('midcall.round'), 'midcall.step']);
  expect(seen.every(span => span.ended)).toBe(true);
  const ask = seen.find(span => span.name === 'midcall.ask');
  expect(ask?.attributes).toMatchObject({
    'midcall.action': 'accept',
    'midcall.channel': 'native',
    'midcall.assurance': 'in-band',
  });
  expect(JSON.stringify(seen)).not.toContain('canary-answer');
  expect(JSON.stringify(seen)).not.toContain('Secret question');
});
