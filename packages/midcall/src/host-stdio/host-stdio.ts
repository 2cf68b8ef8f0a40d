/**
 * A host on standard input and output. Lines that are not messages are answered too, and little is buffered for a host that
 * does not read.
 *
 * - stdio-H1 A line that is not a message gets a JSON-RPC error. A batch is answered as one on 2025-03-26, and refused on the
 *   revisions that have none.
 * - stdio-H2 {@link HostStdio.onfull} is called when the host reads more slowly than the bridge writes, and {@link
 *   HostStdio.ondrain} once it has read all.
 * - stdio-H3 Of two requests with one id, the second is refused while the first is in progress: an answer could belong to
 *   either.
 * - stdio-H4 A host that leaves more than 64 MiB unread is disconnected: it may still send requests, whose answers need no
 *   upstream server.
 */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { asError } from '@midcall/core/errors';
import { isRecord, nests, own, tooDeeply } from '@midcall/core/json';
import { writeTogether } from '@midcall/core/node';
import { isJsonRpcMessage, wholeResponse, withClientVersion, withoutByteOrderMark } from '@midcall/core/sdk-seam';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** The revision that has batches. */
const withBatches = '2025-03-26';
/** The most characters of one line; large, since results contain files. */
const longestLine = 64 * 1024 * 1024;
/** The most messages of a batch. */
const largestBatch = 100;
/** The most bytes that may wait for the host; one message may be larger. */
const mostUnread = 64 * 1024 * 1024;

/** A batch of which some answers are missing. */
interface Batch {
  readonly waiting: Set<unknown>;
  readonly answers: JSONRPCMessage[];
}

/** The host of one process. */
export class HostStdio implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onfull?: () => void;
  ondrain?: () => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #decoder = new StringDecoder('utf8');
  readonly #batches = new Set<Batch>();
  /** The ids of requests that are not answered yet. */
  readonly #open = new Set<unknown>();
  #parts: string[] = [];
  #length = 0;
  #revision: string | undefined;
  #isClosed = false;
  #isFull = false;

  constructor(input: Readable = process.stdin, output: Writable = process.stdout) {
    this.#input = input;
    this.#output = output;
  }

  async start(): Promise<void> {
    const close = (): void => void this.close();
    this.#input.on('data', (chunk: Buffer) => {
      try {
        this.#read(this.#decoder.write(chunk));
      } catch (error) {
        // What a message makes the other side throw must not end the process.
        this.onerror?.(asError(error));
      }
    });
    this.#input.on('end', close).on('close', close);
    this.#input.on('error', error => this.onerror?.(error));
    this.#output.on('error', error => {
      if (!this.#isClosed) this.onerror?.(error);
      close();
    });
    this.#output.on('drain', () => {
      this.#isFull = false;
      this.ondrain?.();
    });
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(close);
  }

  setProtocolVersion(revision: string): void {
    this.#revision = revision;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('The host has gone.');
    if ('method' in message) return this.#write(message);
    this.#open.delete(message.id);
    const batch = this.#batchOf(message.id);
    if (!batch) return this.#write(message);
    batch.answers.push(message);
    this.#settle(batch, own(message, 'id'));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.pause();
    this.onclose?.();
  }

  #read(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#parts.push(text.slice(from, end));
      this.#length += end - from;
      const line = this.#length > longestLine ? undefined : this.#parts.join('');
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
      if (line === undefined)
        this.#refuse(null, `A line has more than ${longestLine} characters, the most that is read.`);
      else if (line.trim() !== '') this.#line(line);
    }
    this.#length += text.length - from;
    if (this.#length > longestLine) this.#parts = [];
    else this.#parts.push(text.slice(from));
  }

  #line(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(withoutByteOrderMark(line));
    } catch {
      this.#answer(null, -32700, 'Parse error: the line is not JSON.');
      return;
    }
    if (Array.isArray(value)) this.#batch(value);
    else this.#message(value);
  }

  #message(value: unknown): void {
    if (isHostMessage(value)) {
      // A cancelled request is not answered.
      if ('method' in value && value.method === 'notifications/cancelled') {
        const id = own(value.params, 'requestId');
        this.#open.delete(id);
        const batch = this.#batchOf(id);
        if (batch) this.#settle(batch, id);
      }
      if ('method' in value && 'id' in value) {
        if (this.#open.has(value.id)) {
          this.#refuse(
            value.id as string | number,
            `The id ${JSON.stringify(value.id)} is used by a request that has not ended.`,
          );
          return;
        }
        const problem = requestProblem(value.id, value.params);
        if (problem !== undefined) {
          const error = { code: -32600, message: `Invalid request: ${problem}` };
          // Its batch is answered with it.
          this.send({ jsonrpc: '2.0', id: value.id as string | number, error }).catch(() => {});
          return;
        }
        this.#open.add(value.id);
      }
      this.onmessage?.(withClientVersion(withoutMore(value)));
      return;
    }
    const id = own(value, 'id');
    if (isRecord(value) && value['method'] === undefined && ('result' in value || 'error' in value)) {
      // End the wait for this answer. An answer without an id belongs to nothing that was sent.
      const whole = wholeResponse(value, 'host');
      if (isHostMessage(whole)) this.onmessage?.(whole);
      return;
    }
    this.#refuse(
      typeof id === 'string' || typeof id === 'number' ? id : null,
      'The line is not a JSON-RPC 2.0 message.',
    );
  }

  #batch(messages: readonly unknown[]): void {
    if (this.#revision !== withBatches) {
      const revision =
        this.#revision === undefined ? 'Before a revision is agreed on, there are' : `Revision ${this.#revision} has`;
      this.#refuse(null, `${revision} no batches. Send each message by itself.`);
      return;
    }
    if (messages.length === 0 || messages.length > largestBatch) {
      this.#refuse(null, `A batch must have 1 to ${largestBatch} messages; got ${messages.length}.`);
      return;
    }
    const ids = messages
      .filter(each => isJsonRpcMessage(each) && 'method' in each && 'id' in each)
      .map(each => own(each, 'id'));
    const batch: Batch = { waiting: new Set(ids), answers: [] };
    if (batch.waiting.size > 0) this.#batches.add(batch);
    for (const message of messages) this.#message(message);
  }

  #batchOf(id: unknown): Batch | undefined {
    for (const batch of this.#batches) if (batch.waiting.has(id)) return batch;
    return undefined;
  }

  #settle(batch: Batch, id: unknown): void {
    batch.waiting.delete(id);
    if (batch.waiting.size > 0) return;
    this.#batches.delete(batch);
    if (batch.answers.length > 0) this.#write(batch.answers);
  }

  #refuse(id: string | number | null, message: string): void {
    this.#answer(id, -32600, `Invalid request: ${message}`);
  }

  #answer(id: string | number | null, code: number, message: string): void {
    if (!this.#isClosed) this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #write(value: object): void {
    if (this.#output.writableLength > mostUnread) {
      this.onerror?.(new Error(`The host left more than ${mostUnread} bytes unread. It was disconnected.`));
      void this.close();
      return;
    }
    writeTogether(this.#output, `${JSON.stringify(value)}\n`, this.#written);
  }

  readonly #written = (): void => {
    const { writableLength, writableHighWaterMark } = this.#output;
    if (this.#isFull || writableLength < writableHighWaterMark) return;
    this.#isFull = true;
    this.onfull?.();
  };
}

/** Why a request would be dropped without an answer by what reads it; undefined if it is read. */
function requestProblem(id: unknown, params: unknown): string | undefined {
  if (typeof id === 'number' && !Number.isSafeInteger(id)) return 'The id is an integer too large to be read exactly.';
  if (nests(params)) return tooDeeply('request');
  const meta = own(params, '_meta');
  if (meta === undefined) return undefined;
  if (!isRecord(meta)) return 'params._meta must be an object.';
  const token = meta['progressToken'];
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token))
    return 'params._meta.progressToken must be a text or an integer.';
  const task = meta['io.modelcontextprotocol/related-task'];
  return task === undefined || typeof own(task, 'taskId') === 'string'
    ? undefined
    : 'params._meta.io.modelcontextprotocol/related-task must name a taskId.';
}

/** A message without members that JSON-RPC does not have, with which it would be dropped. */
function withoutMore(message: JSONRPCMessage): JSONRPCMessage {
  if (!('method' in message)) return message;
  const { jsonrpc, method, params } = message;
  const id = 'id' in message && { id: message.id };
  return { jsonrpc, ...id, method, ...(params && { params }) } as JSONRPCMessage;
}

const isHostMessage = (value: unknown): value is JSONRPCMessage => isJsonRpcMessage(value);
