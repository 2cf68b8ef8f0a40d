/**
 * A connection on which a client receives one or more streams (2025-11-25, basic/transports, "Streamable HTTP"). Every message
 * is written to Redis first, by whichever replica, and read from there: immediately when this replica is woken, and
 * periodically as well.
 *
 * - client-stream-V1 Of all connections that read a stream, only the latest one gets it; earlier ones end.
 * - client-stream-V2 A stream that has lost events after the one that a client names is not resumed.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Reply } from './commands.ts';
import { type CallKeys, eventId, nameOfCall, type SessionKeys, STANDALONE, streamName } from './keys.ts';
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
  state: 'new' | 'open' | 'over';
  busy: boolean;
  again: boolean;
  standing: Standing | undefined;
}

const encoder = new TextEncoder();
/** How many bytes may wait for a slow client before reading pauses. */
const MOST_WAITING = 1_048_576;

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

  constructor(member: Member, session: SessionKeys, options: ClientStreamOptions) {
    this.#member = member;
    this.#session = session;
    this.#options = options;
    this.listener = `${member.replica.id}/${member.id().slice(0, 8)}`;
    this.#body = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller;
        },
        pull: () => this.look(),
        cancel: () => this.#end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
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
      stopListening: this.#member.replica.on(name, () => this.#pump(part)),
      cursor,
      state: 'new',
      busy: false,
      again: false,
      standing: undefined,
    };
    if (primes) this.#prime(eventId(call.name, cursor));
    const outcome = await this.#read(part, true);
    if (outcome === 'gone' || outcome === 'forgotten') {
      part.stopListening();
      return outcome;
    }
    this.#parts.push(part);
    return undefined;
  }

  /** Reads new events. */
  look(): void {
    for (const part of this.#parts) this.#pump(part);
  }

  /** Its calls that another replica runs. */
  get standings(): readonly Standing[] {
    return this.#parts.flatMap(({ state, standing }) => (state !== 'over' && standing ? [standing] : []));
  }

  keepAlive(): void {
    if (this.#isRead) this.#write(': keepalive\n\n');
  }

  /** Ends the connection; the client comes back after `retryMs`. */
  handOn(retryMs: number): void {
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

  /** False while the buffer for its client is full. */
  get #isRead(): boolean {
    const { desiredSize } = this.#controller ?? {};
    return desiredSize === undefined || desiredSize === null || desiredSize > 0;
  }

  #pump(part: Part): void {
    if (this.#ended || part.state === 'over') return;
    if (part.busy) {
      part.again = true;
      return;
    }
    if (!this.#isRead) return;
    part.busy = true;
    const pump = async (): Promise<void> => {
      do {
        part.again = false;
        const outcome = await this.#read(part, false);
        if (outcome === 'gone' || outcome === 'moved') return this.close();
        if (outcome === 'more') part.again = true;
      } while (part.again && !this.#ended && part.state !== 'over');
    };
    // If Redis is unavailable, it is read again later.
    void pump()
      .catch(() => {})
      .finally(() => {
        part.busy = false;
        if (!this.#ended && this.#parts.length > 0 && this.#parts.every(({ state }) => state === 'over')) this.close();
      });
  }

  async #read(part: Part, attach: boolean): Promise<'gone' | 'forgotten' | 'moved' | 'more' | undefined> {
    const { commands, replica, onError } = this.#member;
    const reply = (await commands.run(
      readEvents,
      ...[part.hash, part.call.events, this.listener, part.cursor, attach ? 1 : 0],
    )) as readonly Reply[];
    const [status, entries, holder, count, over, before] = reply;
    if (status !== 'read') return status as 'gone' | 'forgotten' | 'moved';
    if (attach && before !== '' && before !== this.listener) {
      const name = streamName(nameOfCall(this.#session, part.call));
      replica.wake(String(before).split('/')[0] ?? '', name).catch(onError);
    }
    part.state = 'open';
    for (const [entry, fields] of entries as readonly (readonly [string, readonly string[]])[])
      this.#event(part, entry, fields);
    const last = (entries as readonly unknown[]).length < 100;
    if (over === '1' && last) part.state = 'over';
    const standing = { call: part.call, holder: String(holder), count: String(count) };
    part.standing = part.call.name === STANDALONE || over === '1' || holder === replica.id ? undefined : standing;
    if (part.standing) this.#options.standing(standing);
    return last ? undefined : 'more';
  }

  #event(part: Part, entry: string, [kind, text]: readonly string[]): void {
    part.cursor = entry;
    const id = eventId(part.call.name, entry);
    if (kind === 'p') {
      this.#prime(id);
      return;
    }
    const message = openAt<JSONRPCMessage>(this.#member, part.call.events, text);
    if (message) this.#write(`event: message\nid: ${id}\ndata: ${JSON.stringify(message)}\n\n`);
    else
      this.#member.onError(new Error('An event in Redis was not written with the key of this fleet; it is left out.'));
    if (kind === 'f') part.state = 'over';
  }

  #prime(id: string): void {
    this.#write(`id: ${id}\nretry: ${this.#member.limits.retryMs}\ndata: \n\n`);
  }

  #write(text: string): void {
    try {
      this.#controller?.enqueue(encoder.encode(text));
    } catch {
      this.#end();
    }
  }
}
