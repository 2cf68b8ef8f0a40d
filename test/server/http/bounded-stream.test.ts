/** Event streams of clients that read slowly, or not at all. */
import { describe, expect, it } from 'vitest';
import { boundedStream } from '../../../packages/server/src/http/bounded-stream.ts';

const events = { headers: { 'content-type': 'text/event-stream' } };
const chunk = new Uint8Array(1_000);

/** A stream that writes so many chunks at once, whoever reads; and whether it was told to stop. */
function stream(chunks: number, ends = true) {
  const cancelled: unknown[] = [];
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let n = 0; n < chunks; n += 1) controller.enqueue(chunk);
      if (ends) controller.close();
    },
    cancel: reason => void cancelled.push(reason),
  });
  return { body, cancelled };
}

const turns = async (): Promise<void> => {
  for (let n = 0; n < 200; n += 1) await new Promise(setImmediate);
};

describe('the event stream of a client', () => {
  it('passes whole where the host reads', async () => {
    const cuts: number[] = [];
    const { body } = stream(8);
    const response = boundedStream(new Response(body, { ...events, status: 200 }), {
      mostBytes: 10_000,
      onCut: () => cuts.push(1),
    });
    expect((await response.arrayBuffer()).byteLength).toBe(8_000);
    expect([response.status, response.headers.get('content-type'), cuts]).toEqual([200, 'text/event-stream', []]);
  });

  it('passes one message that is larger than what is kept', async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(50_000));
        controller.close();
      },
    });
    const response = boundedStream(new Response(body, events), {
      mostBytes: 10_000,
      onCut: () => expect.unreachable(),
    });
    await turns();
    expect((await response.arrayBuffer()).byteLength).toBe(50_000);
  });

  it('the event stream of a client is cut where the client does not read, and whoever writes is told', async () => {
    const cuts: number[] = [];
    const { body, cancelled } = stream(100, false);
    const response = boundedStream(new Response(body, events), { mostBytes: 10_000, onCut: () => cuts.push(1) });
    await turns();
    expect([cuts, cancelled.length]).toEqual([[1], 1]);
    await expect(response.text()).rejects.toThrow('The client reads too slowly.');
  });

  it('bounded-stream-B1: gives what it has kept before it breaks off', async () => {
    const { body } = stream(100, false);
    const response = boundedStream(new Response(body, events), { mostBytes: 10_000, onCut: () => {} });
    await turns();
    const reader = response.body!.getReader();
    for (let n = 0; n < 10; n += 1) expect((await reader.read()).value?.byteLength).toBe(1_000);
    await expect(reader.read()).rejects.toThrow('The client reads too slowly.');
  });

  it('the event stream of a client ends for whoever writes when its client goes', async () => {
    const { body, cancelled } = stream(1, false);
    await boundedStream(new Response(body, events), { mostBytes: 10_000, onCut: () => {} }).body!.cancel('gone');
    expect(cancelled).toEqual(['gone']);
  });

  it('the event stream of a client is the only kind of response that is looked at', () => {
    const json = Response.json({});
    expect(boundedStream(json, { mostBytes: 1, onCut: () => {} })).toBe(json);
  });
});
