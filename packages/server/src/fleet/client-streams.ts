/**
 * The connections on which clients listen at this replica. Calls on them that no living replica runs are continued here
 * (fleet-sessions-F2).
 */
import type { Sender } from '../http/index.ts';
import { ClientStream, type Standing } from './client-stream.ts';
import type { CallKeys, SessionKeys } from './keys.ts';
import type { LocalSession, SessionRecord } from './local-session.ts';
import type { Member } from './member.ts';
import type { Takeovers } from './takeovers.ts';

/** The owner of the connection. */
export interface Listener {
  readonly keys: SessionKeys;
  readonly record: SessionRecord;
  readonly sender: Sender;
}

export class ClientStreams {
  readonly #member: Member;
  readonly #takeovers: Takeovers;
  readonly #streams = new Map<ClientStream, Listener>();

  constructor(member: Member, takeovers: Takeovers) {
    this.#member = member;
    this.#takeovers = takeovers;
  }

  /** @param session - kept alive while the connection is open; absent if the connection ends with its calls */
  open(listener: Listener, session?: LocalSession): ClientStream {
    const stream = new ClientStream(this.#member, listener.keys, {
      standing: standing => void this.#takeovers.takeIfDead(callOf(listener, standing)).catch(this.#member.onError),
      ended: () => {
        this.#streams.delete(stream);
        if (session) session.streams -= 1;
      },
    });
    if (session) session.streams += 1;
    this.#streams.set(stream, listener);
    return stream;
  }

  /** The id of the last event of a stream; earlier messages are not for a client that starts to listen. */
  async newest({ events }: CallKeys): Promise<string> {
    const reply = await this.#member.commands.send('XREVRANGE', events, '+', '-', 'COUNT', '1');
    return (reply as readonly (readonly [string])[])[0]?.[0] ?? '';
  }

  /** Reads events for which nobody woke this replica. */
  look(): void {
    for (const stream of this.#streams.keys()) {
      stream.look();
      stream.keepAlive();
    }
  }

  /** Continues the calls of dead replicas. */
  takeOver(): void {
    const alive = new Map<string, Promise<boolean>>();
    const isAlive = (holder: string): Promise<boolean> => {
      const check = alive.get(holder) ?? this.#member.replica.isAlive(holder);
      alive.set(holder, check);
      return check;
    };
    for (const [stream, listener] of this.#streams) {
      for (const standing of stream.standings) {
        isAlive(standing.holder)
          .then(lives => (lives ? undefined : this.#takeovers.take(callOf(listener, standing))))
          .catch(this.#member.onError);
      }
    }
  }

  /** Ends all of them; their clients reconnect after a while, to whichever replica they are routed to. */
  async handOn(): Promise<void> {
    await Promise.all([...this.#streams.keys()].map(stream => stream.handOn(this.#member.limits.retryMs)));
  }

  close(): void {
    for (const stream of [...this.#streams.keys()]) stream.close();
  }
}

const callOf = ({ keys, record, sender }: Listener, standing: Standing) => ({ keys, record, standing, sender });
