/** Moves bytes between a descriptor and memory: short reads and writes are continued until they are complete. */
import * as fs from 'node:fs';
import { type Steps, settled } from './steps.ts';
import { direct, type System, smallest } from './system.ts';

/** The maximum read into memory at once. */
const most = 2 ** 31 - 1;

/** A byte range: `position` from the start, `length` at most; to the end if absent. */
export interface Range {
  readonly position?: number;
  readonly length?: number;
}

/** Why a range is unusable, or undefined. */
export function rangeFault(range: Range | undefined): string | undefined {
  for (const [name, value] of Object.entries({ position: range?.position, length: range?.length })) {
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 0))
      return `cannot be read: ${name} must be a whole number of bytes, 0 or more.`;
  }
  return undefined;
}

/** Why a file of `size` bytes, or the range asked of it, does not fit into memory, or undefined. */
export const sizeFault = (size: number, range?: Range): string | undefined =>
  Math.min(range?.length ?? Number.POSITIVE_INFINITY, size - (range?.position ?? 0)) > most
    ? 'is larger than 2 GiB; read a range of it, or stream it.'
    : undefined;

/** Reads a range. `size` is the file's size when it was opened; a file that reports 0 is read until it ends. */
export function* readRange(system: System, fd: number, size: number, range?: Range): Steps<Buffer> {
  const position = range?.position ?? 0;
  const length = Math.min(range?.length ?? Number.POSITIVE_INFINITY, Math.max(0, size - position));
  if (size === 0) return yield* readUntilEnd(system, fd, position, range?.length ?? most);
  const into = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = yield* settled(system.read(fd, into, done, length - done, position + done));
    if (count === 0) break;
    done += count;
  }
  return done === length ? into : into.subarray(0, done);
}

/** A buffer through which small texts become strings; used within one step, never across two. */
let scratch: Buffer | undefined;

/** Reads a whole file as UTF-8. A small one on a local disk costs no buffer of its own. */
export function* readUtf8(system: System, fd: number, size: number): Steps<string> {
  scratch ??= Buffer.allocUnsafeSlow(smallest);
  if (system === direct && size > 0 && size <= smallest) {
    const count = fs.readSync(fd, scratch, 0, size, 0);
    if (count === size) return scratch.toString('utf8', 0, size);
  }
  const bytes = yield* readRange(system, fd, size);
  return bytes.toString('utf8');
}

function* readUntilEnd(system: System, fd: number, position: number, limit: number): Steps<Buffer> {
  const chunks: Buffer[] = [];
  let done = 0;
  while (done < limit) {
    const chunk = Buffer.allocUnsafe(Math.min(16_384, limit - done));
    const count = yield* settled(system.read(fd, chunk, 0, chunk.length, position + done));
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    done += count;
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Writes all of `data`; at `position`, or at the descriptor's position (the end, when appending). */
export async function writeAll(system: System, fd: number, data: Uint8Array, position?: number): Promise<void> {
  let done = 0;
  while (done < data.length) {
    const at = position === undefined ? null : position + done;
    done += await system.write(fd, data, done, data.length - done, at);
  }
}

/** Text as UTF-8 bytes; bytes as they are. */
export const bytesOf = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? Buffer.from(data) : data);
