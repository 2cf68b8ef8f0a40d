/**
 * The lines of the SDK's stdio transport, read before it checks them by schemas and written without its promise, listeners and
 * schemas for each. If anybody has wrapped the transport, their wrapper sees every frame: then there are no lines for us.
 *
 * - lines-L1 Messages of ours and of the SDK are written in the order in which they were sent.
 * - lines-L2 A frame never overtakes an earlier one that was left to the SDK.
 *
 * What this relies on in the SDK is tested in test/server/short-way.test.ts.
 */
import type { Writable } from 'node:stream';
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import { sendPlainly } from './plainly-sent.ts';
import { isOfSdk } from './tapped-transport.ts';

/** The part of the SDK's stdio transport that lines need. */
interface StdioWire extends Transport {
  readonly _readBuffer: { _buffer: Buffer | undefined; readMessage(): JSONRPCMessage | null };
  readonly _stdout: Writable;
  readonly _closed: boolean;
}

/** Frames longer than this many bytes are left to the SDK: they would be parsed twice if they are not for us. */
const LONGEST = 65_536;

/** By wire: the SDK serves a probe and the messages after it with two servers. */
const linesOf = new WeakMap<Transport, StdioLines>();

export class StdioLines {
  readonly #wire: StdioWire;
  /** True while the SDK may have frames that it has not yet passed to its server. */
  #isBehind = false;
  /** The original function: whoever replaces it wants to see every frame. */
  readonly #receive: Transport['onmessage'];
  #take: (frame: unknown) => boolean = () => false;

  /**
   * @param transport - connected to a server, which listens to it by then
   * @returns undefined if it has no lines, or somebody has wrapped it
   */
  static of(transport: Transport): StdioLines | undefined {
    const wire = ((transport as { readonly _wire?: Transport })._wire ?? transport) as Partial<StdioWire> & Transport;
    const known = linesOf.get(wire);
    if (known) return known;
    const { _readBuffer: buffer, _stdout: stdout } = wire;
    const isStdio = typeof buffer?.readMessage === 'function' && typeof stdout?.cork === 'function';
    if (!isStdio || Object.hasOwn(buffer, 'readMessage') || !isOfSdk(wire, 'onmessage') || !isOfSdk(wire, 'send'))
      return undefined;
    const lines = new StdioLines(wire as StdioWire);
    linesOf.set(wire, lines);
    return lines;
  }

  private constructor(wire: StdioWire) {
    this.#wire = wire;
    this.#receive = wire.onmessage;
    const buffer = wire._readBuffer;
    const readMessage = buffer.readMessage.bind(buffer);
    buffer.readMessage = () => {
      while (this.#takeLine());
      return readMessage();
    };
  }

  /** @param take - called with each parsed frame; returning false leaves it to the SDK. Must not throw */
  listen(take: (frame: unknown) => boolean): void {
    this.#take = take;
  }

  /** Sends a message, together with all others of the same turn. @returns false if the SDK must send it */
  write(message: JSONRPCMessage): boolean {
    if (!this.#isOpen) return false;
    const line = `${JSON.stringify(message)}\n`;
    const { _stdout: stdout } = this.#wire;
    // As `writeTogether` of @midcall/core/node, which loads more than every server needs.
    if (stdout.writableCorked === 0) {
      stdout.cork();
      process.nextTick(() => stdout.uncork());
    }
    stdout.write(line);
    return true;
  }

  get #isOpen(): boolean {
    const wire = this.#wire;
    return !wire._closed && isOfSdk(wire, 'send') && wire.onmessage === this.#receive;
  }

  /** @returns true if the next line was taken, false if it must be left to the SDK, or is not there yet */
  #takeLine(): boolean {
    const buffer = this.#wire._readBuffer;
    const bytes = buffer._buffer;
    const end = bytes ? bytes.indexOf(10) : -1;
    if (!bytes || end === -1) return false;
    if (!this.#isBehind && end <= LONGEST && this.#isOpen && this.#take(parsed(bytes.toString('utf8', 0, end)))) {
      buffer._buffer = end + 1 < bytes.length ? bytes.subarray(end + 1) : undefined;
      return true;
    }
    if (!this.#isBehind) {
      this.#isBehind = true;
      setImmediate(() => {
        this.#isBehind = false;
      });
    }
    return false;
  }
}

/** Of a message that was sent by lines. */
export const sent: Promise<void> = Promise.resolve();

/**
 * Sends a message that needs no checks: by the lines of a transport if it has any that nobody listens to, otherwise through the
 * transport.
 */
export function sendBy(transport: Transport, message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
  const wire = (transport as { readonly _wire?: Transport })._wire;
  const lines = linesOf.get(wire ?? transport);
  try {
    if (lines && !(wire && Object.hasOwn(transport, 'send')) && lines.write(message)) return sent;
  } catch (error) {
    return Promise.reject(error);
  }
  return sendPlainly(transport, message, options);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
