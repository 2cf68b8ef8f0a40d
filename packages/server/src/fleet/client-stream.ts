/**
 * A connection on which a client receives one or more streams (2025-11-25, basic/transports, "Streamable HTTP"). Every message
 * is written to Redis first, by whichever replica, and read from there: immediately when this replica is woken, and
 * periodically as well.
 *
 * - client-stream-V1 Of all connections that read a stream, only the latest one gets it; earlier ones end.
 * - client-stream-V2 A stream that has lost events after the one that a client names is not resumed.
 * - client-stream-V3 Events are read from Redis when the client has read those before them, so that what a client does not read
 *   waits there.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Reply } from './commands.ts';
import { type CallKeys, eventId, listenerId, nameOfCall, type SessionKeys, STANDALONE, streamName } from './keys.ts';
import { type Member, openAt } from './member.ts';
import { readEvents } from './scripts.ts';

/** The position of a stream, for whoever continues its call. */
export interface Standing {
  readonly call: CallKeys;
  /** The replica that runs it; empty if it was released. */
  readonly holder: string;
  readonly count: string;
}

export interface ClientStreamOptions {
  /** Called at each check with a call that another replica runs, or none. */
  readonly standing: (standing: Standing) => void;
  readonly ended: () => void;
}

interface Part {
  readonly call: CallKeys;
  readonly hash: string;
  readonly stopListening: () => void;
  cursor: string;
  state: 'open' | 'over';
  standing: Standing | undefined;
}

const encoder = new TextEncoder();

export class ClientStream {
  readonly #member: Member;
  readonly #session: SessionKeys;
  readonly #options: ClientStreamOptions;
  /** The id of this connection, for those who write what it reads. */
  readonly listener: string;
  readonly #parts: Part[] = [];
  readonly #body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #ended = false;
  /** True if the client has read all that it was given, and waits for more. */
  #isWanted = false;
  /** The reading that is under way. */
  #reading: Promise<void> | undefined;
  /** True if there may be events that were not read. */
  #mayHaveMore = false;

  constructor(member: Member, session: SessionKeys, options: ClientStreamOptions) {
    this.#member = member;
    this.#session = session;
    this.#options = options;
    this.listener = listenerId(member.replica.id, member.id().slice(0, 8));
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller;
        },
        pull: () => {
          this.#isWanted = true;
          this.look();
        },
        cancel: () => this.#end(),
      },
      { highWaterMark: 0 },
    );
  }

  response(sessionId: string): Response {
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'mcp-session-id': sessionId,
    };
    return new Response(this.#body, { headers });
  }

  /**
   * Takes a stream over from wherever it was read before.
   * @param cursor - the last event that the client has; empty for all of them
   * @param primes - true if the client is sent its cursor first: if it loses this connection too, before receiving anything, it
   *   may have forgotten the cursor
   * @returns why it cannot be resumed, if so
   * @throws MidcallError `store/unavailable`
   */
  async add(call: CallKeys, cursor: string, primes = false): Promise<'gone' | 'forgotten' | undefined> {
    const name = streamName(nameOfCall(this.#session, call));
    const part: Part = {
      call,
      hash: call.name === STANDALONE ? this.#session.session : call.call,
      stopListening: this.#member.replica.on(name, () => this.look()),
      cursor,
      state: 'open',
      standing: undefined,
    };
    if (primes) this.#write(this.#prime(eventId(call.name, cursor)));
    const outcome = await this.#read(part, true);
    if (outcome === 'gone' || outcome === 'forgotten') {
      part.stopListening();
      return outcome;
    }
    this.#parts.push(part);
    return undefined;
  }

  /** Reads new events, when the client wants more. */
  look(): void {
    this.#mayHaveMore = true;
    // If Redis is unavailable, it is read again later.
    if (!this.#isWanted || this.#reading) return;
    this.#reading = this.#pump()
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined;
      });
  }

  /** Its calls that another replica runs. */
  get standings(): readonly Standing[] {
    return this.#parts.flatMap(({ state, standing }) => (state !== 'over' && standing ? [standing] : []));
  }

  keepAlive(): void {
    if (this.#isWanted) this.#write(': keepalive\n\n');
  }

  /** Ends the connection once its client has been sent what it waits for; if a call is not over, it comes back after `retryMs`. */
  async handOn(retryMs: number): Promise<void> {
    this.look();
    await this.#reading;
    if (this.#ended) return;
    this.#write(`retry: ${retryMs}\n\n`);
    this.close();
  }

  close(): void {
    this.#end();
    try {
      this.#controller?.close();
    } catch {
      // The client has closed it.
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const part of this.#parts) part.stopListening();
    this.#options.ended();
  }

  async #pump(): Promise<void> {
    while (this.#mayHaveMore && this.#isWanted && !this.#ended) {
      this.#mayHaveMore = false;
      for (const part of this.#parts) {
        if (part.state === 'over') continue;
        if (!this.#isWanted) {
          this.#mayHaveMore = true;
          break;
        }
        const outcome = await this.#read(part, false);
        if (outcome === 'gone' || outcome === 'moved') return this.close();
        if (outcome === 'more') this.#mayHaveMore = true;
      }
    }
    if (!this.#ended && this.#parts.length > 0 && this.#parts.every(({ state }) => state === 'over')) this.close();
  }

  async #read(part: Part, attach: boolean): Promise<'gone' | 'forgotten' | 'moved' | 'more' | undefined> {
    const { commands, replica, onError } = this.#member;
    const reply = (await commands.run(
      readEvents,
      ...[part.hash, part.call.events, this.listener, part.cursor, attach ? 1 : 0],
    )) as readonly Reply[];
    const [status, entries, holder, count, over, before, more] = reply;
    if (status !== 'read') return status as 'gone' | 'forgotten' | 'moved';
    if (attach && before !== '' && before !== this.listener) {
      replica.wakeListener(String(before), nameOfCall(this.#session, part.call)).catch(onError);
    }
    const read = entries as readonly (readonly [string, readonly string[]])[];
    const text = read.map(([entry, fields]) => this.#event(part, entry, fields)).join('');
    // All that was read is one chunk, so that nothing waits here but what the client is being sent.
    if (text !== '') this.#write(text);
    const last = more !== '1';
    if (over === '1' && last) part.state = 'over';
    const standing = { call: part.call, holder: String(holder), count: String(count) };
    part.standing = part.call.name === STANDALONE || over === '1' || holder === replica.id ? undefined : standing;
    if (part.standing) this.#options.standing(standing);
    return last ? undefined : 'more';
  }

  /** @returns the event as the client gets it; empty if it cannot be read */
  #event(part: Part, entry: string, [kind, text]: readonly string[]): string {
    part.cursor = entry;
    const id = eventId(part.call.name, entry);
    if (kind === 'p') return this.#prime(id);
    if (kind === 'f') part.state = 'over';
    const message = openAt<JSONRPCMessage>(this.#member, part.call.events, text);
    if (message) return `event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`;
    this.#member.onError(new Error('An event in Redis was not written with the key of this fleet; it is left out.'));
    return '';
  }

  /** An event that says nothing but its id. */
  #prime(id: string): string {
    return `id: ${id}\nretry: ${this.#member.limits.retryMs}\ndata: \n\n`;
  }

  #write(text: string): void {
    this.#isWanted = false;
    try {
      this.#controller?.enqueue(encoder.encode(text));
    } catch {
      this.#end();
    }
  }
}
