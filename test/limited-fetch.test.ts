/** How much is read of a response, whoever sends it. */
import { limitedFetch } from '@midcall/core/fetch';
import { expect, it } from 'vitest';

/** A response in pieces, as a limited fetch gives it, and how often it was found too large. */
async function fetched(pieces: readonly string[], type: string, mostBytes: number, isInEvents = false) {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  let tooLarge = 0;
  const limited = limitedFetch(async () => new Response(body, { status: 201, headers: { 'content-type': type } }), {
    mostBytes,
    isInEvents: () => isInEvents,
    onTooLarge: () => {
      tooLarge += 1;
    },
  });
  const response = await limited('http://x');
  const text = await response.text().catch((error: Error) => error.message);
  return { status: response.status, text, tooLarge };
}

const events = 'text/event-stream; charset=utf-8';

it('a body of the most bytes is read, and of one with a byte more nothing is used', async () => {
  expect(await fetched(['123', '45'], 'text/plain', 5)).toEqual({ status: 201, text: '12345', tooLarge: 0 });
  expect(await fetched(['123', '456'], 'text/plain', 5)).toEqual({
    status: 201,
    text: 'More than 5 bytes in one message.',
    tooLarge: 1,
  });
});

it('the limit of a response counts each event of a stream by itself, however it is cut and ends its lines', async () => {
  const isTooLarge = async (pieces: readonly string[], most: number): Promise<boolean> =>
    (await fetched(pieces, events, most, true)).tooLarge > 0;
  for (const end of ['\n', '\r\n', '\r']) {
    const event = `data: 1234${end}${end}`;
    expect(await isTooLarge(Array(100).fill(event), event.length)).toBe(false);
    expect(await isTooLarge([...event.repeat(100)], event.length + 1)).toBe(false);
    expect(await isTooLarge([event, `data: 1234${end}data: 5678${end}${end}`], event.length + 1)).toBe(true);
    expect(await isTooLarge([...`data: 1234${end}data: 5678`], event.length + 1)).toBe(true);
  }
});

it('the limit of a response counts a stream of events as a whole for a caller that reads it as a whole', async () => {
  expect((await fetched(Array(100).fill('data: 1\n\n'), events, 100)).tooLarge).toBe(1);
});
