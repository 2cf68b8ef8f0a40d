/**
 * The desk's end of its socket: bridges register and ask, commands get a link or stop the desk, and `midcall inbox` is another
 * view of its questions.
 *
 * - socket-S1 Only processes of this OS user reach it: its folder has mode 0700, and the socket 0600.
 * - socket-S2 A question of a bridge ends in the bridge: a reply is passed on, and the bridge's receipt counts. If the bridge ends,
 *   its questions do.
 * - socket-S3 A desk that is asked to hand over ends when no question is open, and not before.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { defined } from '@midcall/core/json';
import type { Clock } from '@midcall/core/time';
import type {
  ConnectionEvent,
  Ending,
  Inbox,
  Policy,
  Question,
  Receipt,
  Reply,
  ServerEntry,
  Subject,
} from '@midcall/host';
import type { HostWait, RunningDesk } from '@midcall/host/web';
import type { ConnectionState } from './desk-link.ts';
import { type OpenPage, PageOpener } from './page-opener.ts';
import { type Body, Peer, protocolVersion } from './peer.ts';
import { RemoteConnection } from './remote-connection.ts';

/** What the socket gives access to. */
export interface DeskSocketOptions {
  readonly path: string;
  readonly desk: RunningDesk;
  readonly inbox: Inbox;
  readonly policy: Policy;
  readonly clock: Clock;
  /** Puts servers of a command on the desk. */
  readonly addServers: (servers: unknown) => Promise<void>;
  /** Opens a page for a bridge that cannot, since hosts give servers little of their environment; absent if this cannot either. */
  readonly open?: OpenPage;
  /** Ends the desk. */
  readonly end: () => void;
}

/** A socket that is listening. */
export interface DeskSocket {
  /** True if no bridge and no `midcall inbox` is connected. */
  readonly isIdle: boolean;
  /** Stops listening. The bridges are told that the desk was ended, and did not die. */
  close(): Promise<void>;
}

/** Takes the place of a desk that has died, so call it under a lock, with no desk found there. */
export async function listenForBridges(options: DeskSocketOptions): Promise<DeskSocket> {
  const { path } = options;
  rmSync(path, { force: true });
  const visitors = new Map<Peer, Visitor>();
  const opener = new PageOpener({
    desk: options.desk,
    clock: options.clock,
    isOpen: ({ id }) => options.inbox.get(id) !== undefined,
    hasView: () => [...visitors.values()].some(({ isView }) => isView),
  });
  const waits = new HostWaits(options.desk, () => visitors);
  const server = createServer(socket => {
    const visitor = new Visitor(options, opener, waits);
    const peer = new Peer(socket, (word, body, from) => visitor.hear(word, body, from));
    visitors.set(peer, visitor);
    peer.onClosed(() => {
      visitors.delete(peer);
      visitor.leave();
    });
  });
  await listening(server, path);
  chmodSync(path, 0o600);
  return {
    get isIdle() {
      return [...visitors.values()].every(({ stays }) => !stays);
    },
    async close() {
      opener.close();
      for (const peer of visitors.keys()) {
        peer.tell('bye');
        peer.close();
      }
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The mode holds from the start; the folder is closed to others anyway.
    const before = process.umask(0o177);
    server.listen(path, () => resolve());
    process.umask(before);
  });
}

/** Whether the hosts of all bridges wait for the person: told to the pages and to every other view. */
class HostWaits {
  readonly #desk: RunningDesk;
  readonly #visitors: () => ReadonlyMap<Peer, Visitor>;
  readonly #open = new Map<string, HostWait>();

  constructor(desk: RunningDesk, visitors: () => ReadonlyMap<Peer, Visitor>) {
    this.#desk = desk;
    this.#visitors = visitors;
  }

  tell(callId: string, wait: HostWait): void {
    if (wait.state === 'waits' || wait.state === 'left') this.#open.set(callId, wait);
    else this.#open.delete(callId);
    this.#desk.tellWait(callId, wait);
    for (const [peer, { isView }] of this.#visitors()) if (isView) peer.tell('host-wait', { callId, wait });
  }

  /** Tells a view that has just connected. */
  tellAll(view: Peer): void {
    for (const [callId, wait] of this.#open) view.tell('host-wait', { callId, wait });
  }

  /** A host that waits gets the outcome at once. */
  callEnded(callId: string): void {
    if (this.#open.get(callId)?.state === 'waits') this.#open.delete(callId);
  }

  /** The bridge of these calls has ended. */
  end(callIds: Iterable<string>): void {
    for (const callId of callIds) {
      const wait = this.#open.get(callId);
      if (wait?.state === 'left') this.tell(callId, { ...wait, state: 'lost' });
      else this.#open.delete(callId);
    }
  }
}

/** Who has connected. */
class Visitor {
  readonly #options: DeskSocketOptions;
  readonly #opener: PageOpener;
  readonly #waits: HostWaits;
  /** The bridge's calls whose hosts have waited for the person. */
  readonly #waited = new Set<string>();
  #opensPages = false;
  readonly #servers = new Map<string, RemoteConnection>();
  /** The bridge's questions that are open here. */
  readonly #questions = new Set<string>();
  readonly #ends: (() => void)[] = [];
  /** True for a bridge or a view, which stay; a command goes at once. */
  stays = false;
  isView = false;

  constructor(options: DeskSocketOptions, opener: PageOpener, waits: HostWaits) {
    this.#options = options;
    this.#opener = opener;
    this.#waits = waits;
  }

  hear(word: string, body: Body, peer: Peer): unknown {
    const { desk, inbox, end, open, addServers } = this.#options;
    const id = String(body['id']);
    switch (word) {
      case 'hello': {
        this.stays = body['role'] !== 'command';
        this.isView = body['role'] === 'inbox';
        this.#opensPages = body['opensPages'] === true;
        if (this.isView) this.#showAll(peer);
        return { version: protocolVersion, pid: process.pid };
      }
      case 'hand-over':
        return { open: this.#handOver() };
      case 'stop':
        setImmediate(end);
        return { open: inbox.list().length };
      case 'link':
        return addServers(body['servers']).then(() => ({ url: desk.startUrl() }));
      case 'join':
        return this.#join(body as never, peer);
      case 'event': {
        const event = body['event'] as ConnectionEvent;
        if (event.type === 'call-ended') this.#waits.callEnded(event.call.id);
        return this.#servers.get(String(body['key']))?.heard(event, body['now'] as ConnectionState);
      }
      case 'asked':
        return this.#asked(body['question'] as Question, this.#servers.get(String(body['key'])), peer);
      case 'ended':
        this.#questions.delete(id);
        return inbox.end(id, body['ending'] as Ending);
      case 'show': {
        const question = inbox.get(id);
        const atBridge: OpenPage = url => peer.ask('open', { url }) as Promise<boolean>;
        return question ? this.#opener.show(question, this.#opensPages ? atBridge : open) : true;
      }
      case 'host-wait': {
        const callId = String(body['callId']);
        this.#waited.add(callId);
        return this.#waits.tell(callId, body['wait'] as HostWait);
      }
      case 'reply':
        return inbox.reply(id, body['reply'] as Reply, String(body['via']));
      default:
        throw new Error(`This desk does not know '${word}'.`);
    }
  }

  /** The other end has gone. */
  leave(): void {
    for (const end of this.#ends) end();
    const questions = [...this.#questions];
    this.#questions.clear();
    for (const id of questions) this.#options.inbox.end(id, { how: 'server-gone' });
    for (const connection of this.#servers.values()) connection.gone();
    this.#waits.end(this.#waited);
  }

  #join(
    { key, entry, host, now }: { key: string; entry: ServerEntry; host?: string; now: ConnectionState },
    peer: Peer,
  ): void {
    if (this.#servers.has(key)) return;
    this.#options.desk.join(entry.id, id => {
      const connection = new RemoteConnection(peer, key, { ...entry, id }, host ?? '', now);
      this.#servers.set(key, connection);
      return connection;
    });
  }

  #asked(asked: Question, server: RemoteConnection | undefined, peer: Peer): void {
    const { inbox, policy } = this.#options;
    const asker = { ...asked.asker, id: server?.entry.id ?? asked.asker.id };
    const question: Question = { ...asked, asker };
    const { id } = question;
    const subject = subjectOf(question);
    // How much a server may ask is the bridge's to count, so only the person's decisions are judged here.
    const verdict = subject && policy.judge(asker.id, subject, 0, asker.origin);
    if (verdict?.do === 'refuse') {
      peer.tell('end', { id, ending: { how: 'refused-by-policy', decision: verdict.why } });
      return;
    }
    if (verdict?.do === 'allow') {
      void peer.ask('reply', { id, reply: { action: 'accept' }, via: 'decision' }).catch(() => {});
      return;
    }
    this.#questions.add(id);
    if (this.#questions.size === 1) this.#passEndings(peer);
    const owner = (reply: Reply, via: string): Promise<Receipt> =>
      (peer.ask('reply', { id, reply, via }) as Promise<Receipt>).catch(() => ({
        ok: false,
        problem: 'ended',
        ending: { how: 'server-gone' },
      }));
    void inbox.ask(question, { owner });
  }

  #isPassing = false;

  /** What ends here without a reply, such as all questions of a server that is muted, ends in the bridge, too. */
  #passEndings(peer: Peer): void {
    if (this.#isPassing) return;
    this.#isPassing = true;
    this.#ends.push(
      this.#options.inbox.subscribe(event => {
        if (event.type !== 'ended' || !this.#questions.delete(event.question.id)) return;
        peer.tell('end', { id: event.question.id, ending: event.ending });
      }),
    );
  }

  /** Shows a peer every question that is open, and every later one. */
  #showAll(peer: Peer): void {
    const { inbox } = this.#options;
    this.#waits.tellAll(peer);
    for (const question of inbox.list()) peer.tell('asked', { question });
    this.#ends.push(
      inbox.subscribe(({ type, question, ...rest }) =>
        peer.tell(type, type === 'asked' ? { question } : { id: question.id, ...defined(rest) }),
      ),
    );
  }

  /** @returns how many questions are open; the desk ends with the last of them */
  #handOver(): number {
    const { inbox, end } = this.#options;
    const isDone = (): boolean => inbox.list().length === 0;
    if (isDone()) setImmediate(end);
    else
      inbox.subscribe(() => {
        if (isDone()) setImmediate(end);
      });
    return inbox.list().length;
  }
}

/** The subject of decisions about a question; undefined for what decisions do not concern. */
function subjectOf({ kind }: Question): Subject | undefined {
  if (kind === 'form' || kind === 'url') return kind;
  if (kind === 'sampling-request') return 'sampling';
  return kind === 'roots' ? 'roots' : undefined;
}
