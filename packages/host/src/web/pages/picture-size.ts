/** The size of a picture, read from the head of its file, so that a page can say it before the browser has loaded it. Pure. */

/** The size of a picture, in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The frame headers of JPEG; the codes between them are other tables. */
const isJpegFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(data: Buffer): Size | undefined {
  let at = 2;
  while (at + 9 <= data.length && data[at] === 0xff) {
    const marker = data[at + 1]!;
    if (isJpegFrame(marker)) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
    // A marker may be padded with bytes of its own kind.
    at += marker === 0xff ? 1 : 2 + Math.max(2, data.readUInt16BE(at + 2));
  }
  return undefined;
}

function webpSize(data: Buffer): Size | undefined {
  if (data.length < 30) return undefined;
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = data.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** How wide and high a picture is; undefined if its file does not say. */
export function pictureSize(data: Buffer): Size | undefined {
  const head = data.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG') && data.length >= 24)
    return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  if (/^GIF8[79]a/.test(head) && data.length >= 10)
    return { width: data.readUInt16LE(6), height: data.readUInt16LE(8) };
  if (head.startsWith('\xff\xd8')) return jpegSize(data);
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? webpSize(data) : undefined;
}
