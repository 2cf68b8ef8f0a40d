/** The size of a picture, from the head of its file. */
import { expect, it } from 'vitest';
import { pictureSize } from '../../packages/host/src/web/pages/picture-size.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const zeros = (count: number): readonly number[] => new Array<number>(count).fill(0);

const files = {
  png: bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 1, 0x2c, 0, 0, 0, 200]),
  gif: bytes('GIF89a', [0x2c, 1, 200, 0]),
  // The first table is not a frame; the frame's header is padded.
  jpeg: bytes([0xff, 0xd8, 0xff, 0xc4, 0, 4, 9, 9, 0xff, 0xff, 0xc2, 0, 11, 8, 0, 200, 1, 0x2c]),
  'webp, lossy': bytes('RIFF', zeros(4), 'WEBPVP8 ', zeros(10), [0x2c, 0x41, 200, 0x40]),
  'webp, lossless': bytes('RIFF', zeros(4), 'WEBPVP8L', zeros(4), [0x2f, 0x2b, 0xc1, 0x31, 0], zeros(5)),
  'webp, extended': bytes('RIFF', zeros(4), 'WEBPVP8X', zeros(8), [0x2b, 1, 0, 199, 0, 0]),
};

it.each(Object.entries(files))(
  'the size of a picture is read from %s, and nothing where the file ends too early',
  (_, file) => {
    expect(pictureSize(file)).toEqual({ width: 300, height: 200 });
    const early = Array.from({ length: file.length }, (_, at) => pictureSize(file.subarray(0, at)));
    expect(new Set(early)).toEqual(new Set([undefined]));
  },
);

it('a file of another kind has no size', () => {
  for (const file of [Buffer.alloc(0), Buffer.from('<svg/>'), Buffer.alloc(64, 0xff)])
    expect(pictureSize(file)).toBeUndefined();
});
