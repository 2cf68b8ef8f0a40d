import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readLines, widestLine } from '../../../packages/host/src/connection/read-lines.ts';
import { eventually } from '../../fixtures/grown.ts';
import { handClock } from '../clock.ts';

const linesOf = (...chunks: readonly (string | Buffer)[]): Promise<readonly string[]> =>
  new Promise(resolve => {
    const lines: string[] = [];
    const stream = Readable.from(chunks.map(chunk => Buffer.from(chunk)));
    readLines(stream, line => lines.push(line));
    stream.once('end', () => resolve(lines));
  });

it('the beginning of a line that does not end is held, and the next line is read', async () => {
  const chunk = 'x'.repeat(1_500);
  expect(await linesOf('a\n', ...Array<string>(50).fill(chunk), '\nb\n')).toEqual(['a', 'x'.repeat(widestLine), 'b']);
  expect(await linesOf(...Array<string>(50).fill(chunk))).toEqual(['x'.repeat(widestLine)]);
});

it('a line, a break and a character that chunks divide are joined', async () => {
  const euro = Buffer.from('€');
  expect(
    await linesOf('on', 'e\r', '\ntwo\rthr', 'ee\n\r\n', 'f', euro.subarray(0, 1), euro.subarray(1), '\r'),
  ).toEqual(['one', 'two', 'three', '', 'f€']);
  expect(await linesOf('a\r', 'b\r', '\r', '\nc')).toEqual(['a', 'b', '', 'c']);
});

it('a last line without a break is read, and so is a character that is cut short', async () => {
  expect(await linesOf('a\nb')).toEqual(['a', 'b']);
  expect(await linesOf(Buffer.from('€').subarray(0, 2))).toEqual(['\ufffd']);
  expect(await linesOf()).toEqual([]);
});

it('a flood is read in pieces, and nothing between them, so that whoever writes it waits', async () => {
  const chunk = Buffer.from(`${'x'.repeat(63)}\n`.repeat(256));
  let taken = 0;
  const flood = new Readable({
    read() {
      taken += 1;
      this.push(chunk);
    },
  });
  const clock = handClock();
  let lines = 0;
  const counted = () => {
    lines += 1;
  };
  readLines(flood, counted, clock);
  for (const piece of [1, 2, 3]) {
    await eventually(() => clock.left.length === 1);
    // Time in which a stream that is not paused goes on.
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(lines).toBe(piece * 8 * 256);
    expect(taken).toBeLessThanOrEqual(piece * 8 + 8);
    clock.move(50);
  }
  flood.destroy();
});
