/**
 * The names of everything that the fleet stores in Redis. All keys of one session share a hash tag, so that one script may act
 * on several of them in a cluster. A session is named by a digest of its id: being able to read Redis is not enough to use the
 * session. Pure.
 */
import { shortDigest } from '../base/index.ts';

export interface SessionKeys {
  /** Names the session within the fleet. */
  readonly name: string;
  /** Hash: the sealed record, and who holds the stream that belongs to no call. */
  readonly session: string;
  /** List: sealed messages that every server of this session must get. */
  readonly log: string;
  /** Set: calls in progress, by name. */
  readonly calls: string;
}

export interface CallKeys {
  /** Names the call within its session. */
  readonly name: string;
  /** Hash: who runs it, what was asked, what was answered. */
  readonly call: string;
  /** Stream: the messages to its client. */
  readonly events: string;
}

export class FleetKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  session(id: string): SessionKeys {
    return this.sessionNamed(shortDigest(['session', id]));
  }

  sessionNamed(name: string): SessionKeys {
    const base = `${this.#prefix}{${name}}`;
    return { name, session: base, log: `${base}:log`, calls: `${base}:calls` };
  }

  call({ session }: SessionKeys, name: string): CallKeys {
    return { name, call: `${session}:call:${name}`, events: `${session}:events:${name}` };
  }

  /** A replica shows here that it is alive. */
  alive = (replica: string): string => `${this.#prefix}alive:${replica}`;
  /** The names that a replica must check. */
  inbox = (replica: string): string => `${this.#prefix}inbox:${replica}`;
  /** Published to when there is something in the inbox. */
  wake = (replica: string): string => `${this.#prefix}wake:${replica}`;
  /** Calls that a replica has taken. */
  takenBy = (replica: string): string => `${this.#prefix}held:${replica}`;
  /** When each replica was last alive. */
  replicas = (): string => `${this.#prefix}replicas`;
  /** The address at which others reach a replica; sealed. */
  address = (replica: string): string => `${this.#prefix}at:${replica}`;
  /** The replica that has something. */
  owned = (name: string): string => `${this.#prefix}has:${name}`;
  /** The sessions of one owner, by when they were used. */
  owner = (owner: string): string => `${this.#prefix}owner:${shortDigest(['owner', owner])}`;
  /** The sessions of all owners, by when they were used. */
  everybody = (): string => `${this.#prefix}sessions`;
}

/** The name of a call: the same in whatever replica the request arrives again. */
export const callName = (requestId: unknown): string => shortDigest(['call', requestId]);

/** Names a call within the fleet. */
export const nameOfCall = (session: SessionKeys, call: CallKeys): string => `${session.name}/${call.name}`;

/** The name to wake when a stream has more. */
export const streamName = (name: string): string => `${name}/stream`;

/** The id of a connection on which a client listens at a replica. */
export const listenerId = (replica: string, connection: string): string => `${replica}/${connection}`;

/** The replica of a connection; empty for none. */
export const listenerAt = (listener: string): string => listener.split('/')[0] ?? '';

/** The place that an answer is sealed for. */
export const answerPlace = ({ call }: CallKeys, ask: string): string => `${call} a:${ask}`;

/** The stream that belongs to no call. */
export const STANDALONE = 'get';

/** The id of a request to a client; the same whichever replica sends it. */
export const questionId = (call: string, ask: string): string => `${call}.${ask}`;

/** @returns undefined for anything but one of our ids */
export function readQuestionId(id: unknown): { readonly call: string; readonly ask: string } | undefined {
  const [, call, ask] = (typeof id === 'string' && /^([\w~-]{1,64})\.([\w-]{1,64})$/.exec(id)) || [];
  return call === undefined || ask === undefined ? undefined : { call, ask };
}

/** The id of an event, as the client sees it. */
export const eventId = (stream: string, entry: string): string => `${stream}.${entry}`;

/** @returns undefined for anything but one of our ids */
export function readEventId(id: string): { readonly stream: string; readonly entry: string } | undefined {
  const [, stream, entry] = /^([\w~-]{1,64})\.(\d{1,16}-\d{1,16})$/.exec(id) ?? [];
  return stream === undefined || entry === undefined ? undefined : { stream, entry };
}
