/**
 * Splits the output of a process into messages. It replaces the SDK's buffer, which copies everything it holds with each chunk and
 * tries one schema after the other on each message. The members of a message are checked by its reader.
 */
import { isRecord } from '@midcall/core/json';
import { isJsonRpcMessage, withoutByteOrderMark } from '@midcall/core/sdk-seam';
import type { JSONRPCMessage, ReadBuffer } from '@modelcontextprotocol/client';

const lineFeed = 0x0a;

/** One message per line, or a batch of messages, as 2025-03-26 has them. */
export class MessageBuffer implements Pick<ReadBuffer, 'append' | 'readMessage' | 'clear'> {
  readonly #mostBytes: number;
  readonly #onStray: (line: string) => void;
  /** The beginning of a line, from earlier chunks. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  /** What follows, and where it is read on. */
  #chunk: Buffer = Buffer.alloc(0);
  #from = 0;
  /** The messages of a batch (2025-03-26) that are still to be read, the next one last. */
  #batch: unknown[] = [];

  /**
   * @param mostBytes - bytes of one message and what follows it in the same chunk
   * @param onStray - called with each line that is not a message, unless it is blank
   */
  constructor(mostBytes: number, onStray: (line: string) => void = () => {}) {
    this.#mostBytes = mostBytes;
    this.#onStray = onStray;
  }

  /** Call once {@link readMessage} has returned null. @throws Error with the SDK's text if the message is too large */
  append(chunk: Buffer): void {
    if (this.#begunBytes + chunk.length > this.#mostBytes) {
      this.clear();
      throw new Error(`ReadBuffer exceeded maximum size of ${this.#mostBytes} bytes`);
    }
    this.#chunk = chunk;
    this.#from = 0;
  }

  /**
   * @returns the next message; null if there is none yet. Lines that are not JSON are skipped, since some servers log to their
   *   standard output; of one that answers a request, the id alone is read, so that its reader can end the request
   * @throws Error for JSON that is not a message
   */
  readMessage(): JSONRPCMessage | null {
    for (;;) {
      if (this.#batch.length > 0) {
        const value = this.#batch.pop();
        return this.#messageOf(value, JSON.stringify(value));
      }
      const end = this.#chunk.indexOf(lineFeed, this.#from);
      if (end < 0) {
        this.#begin();
        return null;
      }
      const line = this.#lineUntil(end);
      let value: unknown;
      try {
        value = JSON.parse(withoutByteOrderMark(line));
      } catch {
        if (line.trim() !== '') this.#onStray(line);
        const id = answeredId(line);
        if (id === undefined) continue;
        return { jsonrpc: '2.0', id } as unknown as JSONRPCMessage;
      }
      if (Array.isArray(value) && value.length > 0) {
        this.#batch = value.reverse();
        continue;
      }
      return this.#messageOf(value, line);
    }
  }

  /** @throws Error for JSON that is not a message */
  #messageOf(value: unknown, line: string): JSONRPCMessage {
    const isMessage = isJsonRpcMessage(value);
    if (!isMessage) this.#onStray(line);
    if (!isMessage && !needsAnswer(value))
      throw new Error('The server wrote a line of JSON that is not a JSON-RPC 2.0 message.');
    return value as JSONRPCMessage;
  }

  clear(): void {
    this.#begun = [];
    this.#begunBytes = 0;
    this.#chunk = Buffer.alloc(0);
    this.#from = 0;
    this.#batch = [];
  }

  #lineUntil(end: number): string {
    const [chunk, from] = [this.#chunk, this.#from];
    this.#from = end + 1;
    if (this.#begun.length === 0) return chunk.toString('utf8', from, end);
    const line = Buffer.concat([...this.#begun, chunk.subarray(from, end)]).toString('utf8');
    this.#begun = [];
    this.#begunBytes = 0;
    return line;
  }

  /** The rest of the chunk begins a line. */
  #begin(): void {
    const rest = this.#chunk.subarray(this.#from);
    if (rest.length > 0) this.#begun.push(rest);
    this.#begunBytes += rest.length;
    this.#chunk = Buffer.alloc(0);
    this.#from = 0;
  }
}

/** True for what answers a request, however badly, and for a request with an id that is refused: its reader ends either. */
const needsAnswer = (value: unknown): boolean =>
  isRecord(value) &&
  (value['method'] === undefined || (value['jsonrpc'] === '2.0' && typeof value['method'] === 'string')) &&
  (typeof value['id'] === 'string' || typeof value['id'] === 'number');

const version = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const idMember = String.raw`"id"\s*:\s*(-?(?:0|[1-9]\d*)|"[^"\\]*")`;
const answer = '"(?:result|error)"';
/** The id is before the answer, or at the end of the line. */
const idBefore = new RegExp(
  String.raw`^\s*\{\s*(?:${version}\s*,\s*)?${idMember}\s*,\s*(?:${version}\s*,\s*)?${answer}\s*:`,
);
const beginsWithAnswer = new RegExp(String.raw`^\s*\{\s*(?:${version}\s*,\s*)?${answer}\s*:`);
const idAtEnd = new RegExp(String.raw`,\s*${idMember}\s*(?:,\s*${version}\s*)?\}\s*$`);
/** The most characters at the beginning and at the end of a line in which the id is looked for. */
const near = 300;

/** The id of the request that a line answers with what is not JSON, such as NaN; undefined for any other line. */
function answeredId(line: string): unknown {
  const head = line.slice(0, near);
  const found = idBefore.exec(head) ?? (beginsWithAnswer.test(head) ? idAtEnd.exec(line.slice(-near)) : null);
  return found ? JSON.parse(found[1]!) : undefined;
}
