/**
 * The lines of the SDK's stdio transport, read before it judges them by schemas and written without the promise, the listeners and
 * the schemas that it has for each. Where anybody has put something of theirs between, they see every frame: there are no
 * lines for us then.
 *
 * - lines-L1 What is sent, by us or by the SDK, leaves in the order in which it was sent.
 * - lines-L2 A frame never overtakes one that came before it and was left to the SDK.
 *
 * What of the SDK this stands on is held by test/server/short-way.test.ts.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import { isOfSdk } from './tapped-transport.ts';

/** As much of the SDK's stdio transport as lines take. */
interface StdioWire extends Transport {
  readonly _readBuffer: { _buffer: Buffer | undefined; readMessage(): JSONRPCMessage | null };
  readonly _stdout: { write(text: string): boolean };
  readonly _closed: boolean;
}

/** Frames longer than this many bytes are left to the SDK: they would be parsed twice where they are not for us. */
const LONGEST = 65_536;

/** By their wire: the SDK serves a probe and what follows it with two servers. */
const linesOf = new WeakMap<Transport, StdioLines>();

export class StdioLines {
  readonly #wire: StdioWire;
  #unsent = '';
  /** True while the SDK may have frames that it has not given to its server. */
  #isBehind = false;
  /** What was there when these began: whoever puts something in its place wants to see every frame. */
  readonly #receive: Transport['onmessage'];
  readonly #send: Transport['send'];
  #take: (frame: unknown) => boolean = () => false;

  /**
   * @param transport - connected to a server, which listens to it by then
   * @returns undefined where it has no lines, or somebody has put something of theirs between
   */
  static of(transport: Transport): StdioLines | undefined {
    const wire = ((transport as { readonly _wire?: Transport })._wire ?? transport) as Partial<StdioWire> & Transport;
    const known = linesOf.get(wire);
    if (known) return known;
    const { _readBuffer: buffer, _stdout: stdout } = wire;
    const isStdio = typeof buffer?.readMessage === 'function' && typeof stdout?.write === 'function';
    if (!isStdio || Object.hasOwn(buffer, 'readMessage') || !isOfSdk(wire, 'onmessage') || !isOfSdk(wire, 'send'))
      return undefined;
    const lines = new StdioLines(wire as StdioWire);
    linesOf.set(wire, lines);
    return lines;
  }

  private constructor(wire: StdioWire) {
    this.#wire = wire;
    this.#receive = wire.onmessage;
    const send = wire.send.bind(wire);
    this.#send = (message, options) => {
      this.#flush();
      return send(message, options);
    };
    wire.send = this.#send;
    const close = wire.close.bind(wire);
    wire.close = () => {
      this.#flush();
      return close();
    };
    const buffer = wire._readBuffer;
    const readMessage = buffer.readMessage.bind(buffer);
    buffer.readMessage = () => {
      while (this.#takeLine());
      return readMessage();
    };
  }

  /** @param take - given each frame, parsed; false leaves it to the SDK. Must not throw */
  listen(take: (frame: unknown) => boolean): void {
    this.#take = take;
  }

  /** Sends a message, with all that is sent in the same turn. @returns false where it is the SDK's to send */
  write(message: JSONRPCMessage): boolean {
    if (!this.#isOpen) return false;
    const line = `${JSON.stringify(message)}\n`;
    if (this.#unsent === '') process.nextTick(this.#flush);
    this.#unsent += line;
    return true;
  }

  get #isOpen(): boolean {
    const wire = this.#wire;
    return !wire._closed && wire.send === this.#send && wire.onmessage === this.#receive;
  }

  readonly #flush = (): void => {
    const unsent = this.#unsent;
    this.#unsent = '';
    if (unsent !== '' && !this.#wire._closed) this.#wire._stdout.write(unsent);
  };

  /** @returns true where the next line was taken, false where it is the SDK's, or is not there yet */
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

const sent = Promise.resolve();

/** Sends what needs no judgement: by the lines of a transport, where it has any that nobody listens to, and else by itself. */
export function sendBy(transport: Transport, message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
  const wire = (transport as { readonly _wire?: Transport })._wire;
  const lines = linesOf.get(wire ?? transport);
  try {
    if (lines && !(wire && Object.hasOwn(transport, 'send')) && lines.write(message)) return sent;
  } catch (error) {
    return Promise.reject(error);
  }
  return transport.send(message, options);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
