/** Metrics of calls, seen by a meter of the test's own. */
import { systemClock } from '@midcall/core/time';
import { type Call, midcall } from '@midcall/server';
import { connectPair, eras, pairings, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { type Attributes, type Meter, metrics } from '@opentelemetry/api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

interface Measured {
  readonly name: string;
  readonly value: number;
  readonly attributes: Attributes;
}

const all: Measured[] = [];
const made: string[] = [];
const instrument = (name: string) => {
  made.push(name);
  const note = (value: number, attributes: Attributes = {}) => void all.push({ name, value, attributes });
  return { add: note, record: note };
};
const meter = { createCounter: instrument, createHistogram: instrument, createUpDownCounter: instrument };

beforeAll(() => {
  metrics.disable();
  metrics.setGlobalMeterProvider({ getMeter: () => meter as unknown as Meter });
});
afterAll(() => metrics.disable());
beforeEach(() => {
  all.length = 0;
});

function factory(handler: (call: Call) => Promise<unknown>, now?: () => number) {
  const mid = midcall({ suspectBelowMs: 0, warn: () => {}, ...(now && { clock: { ...systemClock, now } }) });
  return () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    mid.tool(server, 'act', {}, async (_, call) => String(await handler(call)));
    mid.tool(server, 'fails', {}, () => ({ content: [], isError: true }));
    return server;
  };
}

const tool = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'act' };
const of = (name: string) =>
  all.filter(each => each.name === name).map(({ value, attributes }) => ({ value, ...attributes }));

describe.each(pairings)('%s over %s', (era, carrier) => {
  it('metrics count what is asked and answered, by channel and outcome, and how long people take; never contents', async () => {
    let time = 1_000_000;
    const person = scriptedPerson([
      () => {
        time += 42_000;
        return { action: 'accept', content: { value: 'canary-metric-answer' } };
      },
      { action: 'cancel' },
    ]);
    const serve = factory(
      async call => {
        await call.elicit({ message: 'canary-metric-question?', form: ['canary-metric-answer', 'other'] });
        return (await call.elicit({ message: 'And?', form: Boolean })).action;
      },
      () => time,
    );
    await using pair = await connectPair(serve, { era, carrier, person });
    await pair.client.callTool({ name: 'act' });
    const native = { ...tool, 'midcall.channel': 'native' };
    expect(of('midcall.asks')).toEqual([
      { value: 1, ...native },
      { value: 1, ...native },
    ]);
    expect(of('midcall.answers')).toEqual([
      { value: 1, ...native, 'midcall.action': 'accept' },
      { value: 1, ...native, 'midcall.action': 'cancel', 'midcall.reason': 'dismissed' },
    ]);
    expect(of('midcall.answer.duration')).toEqual([{ value: 42, ...native, 'midcall.action': 'accept' }]);
    const operations = of('mcp.server.operation.duration');
    expect(operations).toHaveLength(era === '2026-07-28' ? 3 : 1);
    expect(operations.at(-1)).toMatchObject(tool);
    expect(of('midcall.asks.open').map(({ value }) => value)).toEqual(era === '2025-11-25' ? [1, -1, 1, -1] : []);
    expect(JSON.stringify(all)).not.toContain('canary-metric');
  });
});

it.each(eras)(
  '%s: a metric names an error by its code, and one that the tool tells by the word of the conventions',
  async era => {
    const thrown = factory(() => Promise.reject(Object.assign(new Error('no'), { code: 'EBUSY' })));
    await using pair = await connectPair(thrown, { era });
    await pair.client.callTool({ name: 'act' });
    await pair.client.callTool({ name: 'fails' });
    expect(of('mcp.server.operation.duration').map(each => each['error.type' as never])).toEqual([
      'EBUSY',
      'tool_error',
    ]);
  },
);

it('metrics-1: a meter keeps so many names and no more', async () => {
  const mid = midcall({ warn: () => {} });
  const serve = () => {
    const server = new McpServer({ name: 'test', version: '1.0.0' });
    server.server.registerCapabilities({ tools: {} });
    mid.handle(server, 'tools/call', () => ({ content: [] }));
    return server;
  };
  await using pair = await connectPair(serve, { era: '2025-11-25' });
  for (let n = 0; n < 230; n += 1) await pair.client.request({ method: 'tools/call', params: { name: `tool-${n}` } });
  const named = new Set(all.map(({ attributes }) => attributes['gen_ai.tool.name']));
  expect(named.size).toBeLessThanOrEqual(201);
  expect(named).toContain(undefined);
});
