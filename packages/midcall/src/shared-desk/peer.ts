/**
 * One end of a connection between a desk and another process of its person: messages are lines of JSON, each with the version of
 * the protocol. Either end may ask the other, and is answered.
 *
 * - peer-P1 A version is part of every message, so that an end can tell that the other is of another time. The words `hello`,
 *   `hand-over` and `stop`, and their answers, are the same in every version.
 * - peer-P2 What cannot be read ends the connection: the other end is a process of the same person, and nothing else is.
 */
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { isMidcallError, MidcallError, type MidcallErrorCode, messageOf } from '@midcall/core/errors';
import { fromJson, isRecord } from '@midcall/core/json';

/** The version that this program speaks; counts up with every change that an older end would not understand. */
export const protocolVersion = 2;

/** What a message says. */
export type Body = Readonly<Record<string, unknown>>;

/** The longest line, in characters: a result may contain pictures. */
const longestLine = 100_000_000;

/** Answers a request, or hears a statement. */
export type Hear = (word: string, body: Body, peer: Peer) => unknown;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One end. */
export class Peer {
  readonly #socket: Socket;
  readonly #hear: Hear;
  readonly #version: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onClosed = new Set<() => void>();
  #last = 0;
  #closed = false;

  /** @param version - of the messages that are sent; another one only in tests */
  constructor(socket: Socket, hear: Hear, version = protocolVersion) {
    this.#socket = socket;
    this.#hear = hear;
    this.#version = version;
    const decoder = new StringDecoder('utf8');
    let begun = '';
    socket.on('data', chunk => {
      const lines = (begun + decoder.write(chunk)).split('\n');
      begun = lines.pop()!;
      if (begun.length > longestLine) socket.destroy();
      for (const line of lines) this.#received(line);
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#close());
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Calls `listener` when the connection has ended; at once if it has. */
  onClosed(listener: () => void): void {
    if (this.#closed) listener();
    else this.#onClosed.add(listener);
  }

  /**
   * Asks the other end.
   * @throws MidcallError as the other end did; `host/server-gone` if it is gone
   */
  ask(word: string, body: Body = {}): Promise<unknown> {
    if (this.#closed) return Promise.reject(gone());
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, word, body });
    });
  }

  /** Tells the other end, without an answer. */
  tell(word: string, body: Body = {}): void {
    this.#send({ word, body });
  }

  /** Ends the connection once everything has been sent. */
  close(): void {
    this.#socket.end();
  }

  #send(message: Body): void {
    if (!this.#closed) this.#socket.write(`${JSON.stringify({ v: this.#version, ...message })}\n`);
  }

  #received(line: string): void {
    const message = fromJson(line);
    if (!isRecord(message)) return void this.#socket.destroy();
    const { id, re, word, body, value, error } = message;
    if (typeof re === 'number') this.#answered(re, value, error);
    else if (typeof word !== 'string' || !isRecord(body)) this.#socket.destroy();
    else void this.#answer(word, body, typeof id === 'number' ? id : undefined);
  }

  async #answer(word: string, body: Body, id: number | undefined): Promise<void> {
    try {
      const value = await this.#hear(word, body, this);
      if (id !== undefined) this.#send({ re: id, value });
    } catch (error) {
      if (id === undefined) return;
      const code = isMidcallError(error) ? error.code : 'host/refused';
      this.#send({ re: id, error: { code, message: messageOf(error) } });
    }
  }

  #answered(id: number, value: unknown, error: unknown): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (!isRecord(error)) waiting?.resolve(value);
    else waiting?.reject(new MidcallError(error['code'] as MidcallErrorCode, String(error['message'])));
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(gone());
    this.#waiting.clear();
    for (const listener of this.#onClosed) listener();
  }
}

const gone = (): MidcallError => new MidcallError('host/server-gone', 'The other process has ended.');
