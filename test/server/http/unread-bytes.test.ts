/** Responses of clients that read slowly, or not at all. */
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { UnreadBytes, type UnreadOptions } from '../../../packages/server/src/http/unread-bytes.ts';

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
  return { response: new Response(body, { ...events, status: 200 }), cancelled };
}

const turns = async (): Promise<void> => {
  for (let n = 0; n < 200; n += 1) await new Promise(setImmediate);
};

function unread(limits: UnreadOptions, tellsOwnersApart = true) {
  const cuts: string[] = [];
  const bytes = new UnreadBytes({ path: '/mcp', limits, tellsOwnersApart, onCut: reason => void cuts.push(reason) });
  return { bytes, cuts };
}

/** What sends a response, as Node's `ServerResponse` does. */
class Sending extends EventEmitter {
  headersSent = false;
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const json = (bytes: number): Response =>
  new Response('x'.repeat(bytes), { headers: { 'content-type': 'application/json' } });

describe('the event stream of a client', () => {
  const limits = { maxBytes: 10_000 };

  it('the event stream of a client passes whole if the client reads', async () => {
    const { bytes, cuts } = unread(limits);
    const one = bytes.of('a', undefined);
    const response = await one.send(one.buffer(stream(8).response));
    expect((await response.arrayBuffer()).byteLength).toBe(8_000);
    expect([response.status, response.headers.get('content-type'), cuts, bytes.bytes]).toEqual([
      200,
      'text/event-stream',
      [],
      0,
    ]);
  });

  it('unread-U3: the event stream of a client passes one message that is larger than the limit', async () => {
    const { bytes, cuts } = unread(limits);
    const one = bytes.of('a', undefined);
    const body = new Blob([new Uint8Array(150_000)]).stream();
    const response = await one.send(one.buffer(new Response(body, events)));
    await turns();
    expect([(await response.arrayBuffer()).byteLength, cuts]).toEqual([150_000, []]);
  });

  it('unread-U1: the event stream of a client that does not read is cut: what was buffered arrives, and whoever writes is told', async () => {
    const { bytes, cuts } = unread(limits);
    const one = bytes.of('a', undefined);
    const { response, cancelled } = stream(100, false);
    const sent = await one.send(one.buffer(response));
    await turns();
    expect([cuts, cancelled.length, bytes.bytes]).toEqual([
      ['More than 10000 bytes of one stream waited for a client of /mcp to read them. The stream was cut.'],
      1,
      10_000,
    ]);
    const reader = sent.body!.getReader();
    for (let n = 0; n < 10; n += 1) expect((await reader.read()).value?.byteLength).toBe(1_000);
    await expect(reader.read()).rejects.toThrow('The client reads too slowly.');
  });

  it('the event stream of a client that goes ends for whoever writes, and nothing of it is counted any more', async () => {
    const { bytes } = unread(limits);
    const one = bytes.of('a', undefined);
    const { response, cancelled } = stream(1, false);
    const sent = await one.send(one.buffer(response));
    await turns();
    await sent.body!.cancel('gone');
    expect([cancelled, bytes.bytes]).toEqual([['gone'], 0]);
  });
});

describe('the responses of many clients', () => {
  const limits = { maxBytesPerOwner: 250_000, maxBytesInAll: 600_000 };
  const reads = async (response: Response): Promise<number | string> =>
    response.arrayBuffer().then(
      ({ byteLength }) => byteLength,
      (error: Error) => error.message,
    );
  const slow = 'The client reads too slowly.';

  it('unread-U2: the responses of one owner make room for each other, and those of others stay', async () => {
    const { bytes, cuts } = unread(limits);
    const theirs = await bytes.of('b', undefined).send(json(200_000));
    const mine = [1, 2, 3].map(() => bytes.of('a', undefined).send(json(100_000)));
    expect(await Promise.all((await Promise.all(mine)).map(reads))).toEqual([slow, 100_000, 100_000]);
    expect(await reads(theirs)).toBe(200_000);
    expect([cuts, bytes.bytes]).toEqual([
      [
        'One owner left more than 250000 bytes of /mcp unread. The response whose client had read nothing for the longest time was cut.',
      ],
      0,
    ]);
  });

  it('the response whose client has read nothing for the longest time is cut first', async () => {
    const { bytes } = unread(limits);
    const [first, second] = await Promise.all([1, 2].map(() => bytes.of('a', undefined).send(json(100_000))));
    const reader = first!.body!.getReader();
    await reader.read();
    await bytes.of('a', undefined).send(json(100_000));
    expect([(await reader.read()).value?.byteLength, await reads(second!)]).toEqual([100_000 - 65_536, slow]);
  });

  it('unread-U2: a response of the owner with the most is cut where all owners together have too much', async () => {
    const { bytes, cuts } = unread(limits);
    const small = await bytes.of('small', undefined).send(json(50_000));
    const most = await Promise.all([1, 2].map(() => bytes.of('most', undefined).send(json(120_000))));
    for (const owner of ['c', 'd']) await bytes.of(owner, undefined).send(json(200_000));
    expect([await reads(small), ...(await Promise.all(most.map(reads)))]).toEqual([50_000, slow, 120_000]);
    expect(cuts).toEqual([
      'The clients of /mcp left more than 600000 bytes unread. The response whose client had read nothing for the longest time was cut.',
    ]);
  });

  it('unread-U3: a response that is larger than every limit arrives', async () => {
    const { bytes, cuts } = unread(limits);
    expect([await reads(await bytes.of('a', undefined).send(json(900_000))), cuts]).toEqual([900_000, []]);
  });

  it('callers that nobody tells apart are limited together only', async () => {
    const { bytes, cuts } = unread(limits, false);
    for (let n = 0; n < 3; n += 1) await bytes.of('', undefined).send(json(150_000));
    expect(cuts).toEqual([]);
    await bytes.of('', undefined).send(json(200_000));
    expect(cuts).toHaveLength(1);
  });

  it('a response given to a platform that says when it closes is counted until then, and a cut closes it', async () => {
    const { bytes } = unread({ maxBytesPerOwner: 5_000_000 });
    const sendings = [new Sending(), new Sending()];
    const [first] = await Promise.all(sendings.map(sending => bytes.of('a', sending).send(json(2_000_000))));
    await reads(first!);
    expect(bytes.bytes).toBe(4_000_000);
    await bytes.of('a', new Sending()).send(json(2_000_000));
    // The first was read later than the second was made.
    expect(sendings.map(({ destroyed }) => destroyed)).toEqual([false, true]);
    sendings[0]!.destroy();
    expect(bytes.bytes).toBe(2_000_000);
  });

  it('nothing is counted of a response whose client has gone', async () => {
    const { bytes } = unread(limits);
    const gone = new Sending();
    const one = bytes.of('a', gone);
    gone.destroy();
    await one.send(one.buffer(json(100_000)));
    await one.send(one.buffer(stream(10).response));
    expect(bytes.bytes).toBe(0);
  });
});
