/** The sessions that this replica serves now, each with its own server, which is released when nothing uses it. */
import { steadyNow } from '@midcall/core/time';
import type { JSONRPCMessage, McpServerFactory } from '@modelcontextprotocol/server';
import type { Sender } from '../http/index.ts';
import { type EndAbandoned, enderOf, makeServer } from '../request/index.ts';
import type { SessionKeys } from './keys.ts';
import { LocalSession, type SessionRecord } from './local-session.ts';
import { type Member, openAt } from './member.ts';
import type { SessionDirectory } from './session-directory.ts';

/** How long an unused server of a session is kept, in milliseconds. */
const UNUSED_MS = 60_000;

export class LocalSessions {
  readonly #member: Member;
  readonly #factory: McpServerFactory;
  readonly #sessions = new Map<string, Promise<LocalSession>>();
  #ender: EndAbandoned | undefined;

  constructor(member: Member, factory: McpServerFactory) {
    this.#member = member;
    this.#factory = factory;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session, which is served here from then on. @returns the server's answer to `initialize` */
  async open(keys: SessionKeys, record: SessionRecord, sender: Sender): Promise<JSONRPCMessage> {
    const { session, initialized } = await this.#build(keys, record, sender);
    if ('error' in initialized) await session.close();
    else {
      session.usedAt = steadyNow(this.#member.clock);
      this.#sessions.set(keys.name, Promise.resolve(session));
    }
    return initialized;
  }

  /** @returns the session if it is served here already */
  async get(name: string): Promise<LocalSession | undefined> {
    return this.#sessions.get(name)?.catch(() => undefined);
  }

  /**
   * The session, brought up to date with all that its client has told any replica.
   * @param entries - the messages since this replica's last check; looked up if absent
   */
  async here(
    keys: SessionKeys,
    record: SessionRecord,
    entries: readonly string[] | undefined,
    sender: Sender,
  ): Promise<LocalSession> {
    const { name } = keys;
    const current = this.#sessions.get(name);
    const opening = current ?? this.#build(keys, record, sender).then(({ session }) => session);
    if (!current) {
      this.#sessions.set(name, opening);
      opening.catch(() => this.#sessions.delete(name));
    }
    const session = await opening;
    session.usedAt = steadyNow(this.#member.clock);
    const member = this.#member;
    const texts =
      (current && entries) ??
      ((await member.commands.send('LRANGE', keys.log, String(session.logged), '-1')) as string[]);
    const messages = texts.flatMap(text => openAt<JSONRPCMessage>(member, keys.log, text) ?? []);
    if (messages.length > 0) await session.tell(messages);
    return session;
  }

  /**
   * Returns what ends calls that nobody waits for. The server they began at was made for somebody; none is made in that
   * person's name.
   * @returns undefined if the factory only makes servers for a particular person, and has made none here yet
   */
  async ender(): Promise<EndAbandoned | undefined> {
    if (this.#ender) return this.#ender;
    try {
      const request = new Request('http://localhost/', { method: 'POST' });
      const server = await makeServer(this.#factory, { era: 'legacy', requestInfo: request });
      this.#ender = enderOf(server);
      await server.close();
    } catch {
      // Such a factory makes servers for one person only.
    }
    return this.#ender;
  }

  async forget(name: string): Promise<void> {
    const session = await this.get(name);
    this.#sessions.delete(name);
    await session?.close().catch(this.#member.onError);
  }

  /** Releases the calls that only wait for their clients. @returns true if no call runs here any more */
  async release(): Promise<boolean> {
    const sessions = await Promise.all([...this.#sessions.keys()].map(name => this.get(name)));
    await Promise.all(sessions.map(session => session?.release().catch(this.#member.onError)));
    return sessions.every(session => session === undefined || session.calls.size === 0);
  }

  /** Checks every call, and releases sessions that nothing uses. */
  async sweep(directory: Pick<SessionDirectory, 'find' | 'used'>): Promise<void> {
    for (const name of [...this.#sessions.keys()]) {
      const session = await this.get(name);
      if (!session) continue;
      for (const call of [...session.calls.values()]) await call.look();
      if (session.calls.size > 0 || session.streams > 0) {
        // This counts as use, for everything stored about it.
        if (await directory.find(session.keys, session.logged)) await directory.used(session.keys, session.record);
      } else if (steadyNow(this.#member.clock) - session.usedAt > UNUSED_MS) await this.forget(name);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map(name => this.forget(name)));
  }

  async #build(keys: SessionKeys, record: SessionRecord, sender: Sender) {
    const opened = await LocalSession.open(this.#member, keys, record, this.#factory, sender);
    this.#ender ??= opened.session.ender;
    return opened;
  }
}
