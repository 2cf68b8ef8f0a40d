/**
 * A bridge's way to the desk of its person: shows its servers, their calls, and the questions that the person has to answer.
 *
 * - link-L1 A bridge that starts registers with the desk that is running, and with one that is started later. It starts one itself
 *   for a question only.
 * - link-L2 If the desk dies, the next one is started at once if a question is open, and has all open questions again. If its
 *   person stopped it, they wait until there is a desk again.
 */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { MidcallError, messageOf } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import type { Clock } from '@midcall/core/time';
import type {
  CallOutcome,
  CallRequest,
  Connection,
  ConnectionEvent,
  Ending,
  ForwardedRequest,
  Inbox,
  Question,
  Reply,
} from '@midcall/host';
import type { HostWait } from '@midcall/host/web';
import { type FoundDesk, findDesk, type Hello, handedOver, startDeskInBackground } from './find-desk.ts';
import type { Body, Hear, Peer } from './peer.ts';

/** What a link needs. */
export interface DeskLinkOptions {
  /** The path of the desk's socket. @throws MidcallError `host/refused` if there can be none */
  readonly socket: () => string;
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Opens a page in the person's browser, or gives them its address; absent if there is no way to do so. */
  readonly open?: (url: string) => Promise<boolean>;
  /** A sentence that says how the person gets to the desk if no page can be opened for them. It holds no secret. */
  readonly way: string;
  /** Called with the reason if the desk cannot be reached or started, or a question cannot be opened. */
  readonly warn: (message: string) => void;
}

/** What a desk is told of a connection: everything that it shows. */
export interface ConnectionState
  extends Pick<Connection, 'state' | 'problem' | 'server' | 'stderr' | 'account' | 'origin'> {}

/** The largest result that a desk is told of, in characters. */
const largestResult = 4_000_000;

/** How many lines of a server's standard error a desk is told of. */
const toldLines = 30;

const stateOf = ({ state, problem, server, stderr, account, origin }: Connection): Body => ({
  state,
  origin,
  stderr: stderr.slice(-toldLines),
  ...defined({ problem, server, account }),
});

const onDesk = {
  seen: true,
  place: 'at their Midcall desk: the page in their browser, or "midcall inbox" in a terminal',
} as const;

/** The link of one bridge. */
export class DeskLink {
  readonly #options: DeskLinkOptions;
  /** Each with what it is called on the socket, and the name of its host. */
  readonly #connections = new Map<Connection, { readonly key: string; readonly host: string | undefined }>();
  /** Open questions that the desk has to show. */
  readonly #shown = new Map<string, Question>();
  /** Calls whose questions the desk shows, all of them: those that were made there, and those of which it shows one. */
  readonly #callsThere = new Set<string>();
  /** Whether hosts wait for the person, by the ids of their calls. */
  readonly #waits = new Map<string, HostWait>();
  readonly #ends: (() => void)[] = [];
  #desk: Promise<Peer | undefined> | undefined;
  #watcher: FSWatcher | undefined;
  #isClosed = false;

  constructor(options: DeskLinkOptions) {
    this.#options = options;
    const { inbox } = options;
    this.#ends.push(
      inbox.subscribe(event => {
        const { question } = event;
        if (event.type === 'asked') {
          if (question.call && this.#callsThere.has(question.call.id)) this.#ask(question);
        } else if (this.#shown.delete(question.id))
          void this.#desk?.then(peer => peer?.tell('ended', { id: question.id, ending: event.ending }));
      }),
    );
  }

  /** Registers a connection, now or when there is a desk. Does not start one. */
  join(connection: Connection, host?: string): void {
    if (this.#connections.has(connection) || this.#isClosed) return;
    const key = String(this.#connections.size + 1);
    this.#connections.set(connection, { key, host });
    this.#ends.push(connection.subscribe(event => this.#heard(connection, key, event)));
    if (this.#desk) void this.#desk.then(peer => peer && this.#introduce(peer, connection));
    else this.#look();
  }

  /** Tells the desk whether the host that made a call waits for the person, now or when there is a desk. */
  tellWait(callId: string, wait: HostWait): void {
    if (wait.state === 'waits' || wait.state === 'left') this.#waits.set(callId, wait);
    else this.#waits.delete(callId);
    void this.#desk?.then(peer => peer?.tell('host-wait', { callId, wait }));
  }

  /**
   * Makes sure that the person sees an open question. @returns where they see it; how they get there, if no page can be opened for
   * them; false if there is no desk
   */
  async show(
    question: Question,
    connection: Connection,
  ): Promise<
    | false
    | { readonly seen: true; readonly place: string }
    | { readonly seen: false; readonly why: string; readonly way: string }
  > {
    const { warn, way } = this.#options;
    this.join(connection);
    this.#ask(question);
    const { call } = question;
    if (call && !this.#callsThere.has(call.id)) {
      this.#callsThere.add(call.id);
      for (const each of this.#options.inbox.list()) if (each.call?.id === call.id) this.#ask(each);
    }
    for (let tried = 0; tried < 3 && this.#options.inbox.get(question.id); tried += 1) {
      const peer = await this.#started();
      if (!peer) break;
      try {
        if (await peer.ask('show', { id: question.id })) return onDesk;
        warn(`A question waits, and no browser can be opened here. ${way}`);
        return { seen: false, why: 'the bridge cannot open a browser', way };
      } catch {
        // The desk has ended meanwhile; the next one is asked.
      }
    }
    return this.#options.inbox.get(question.id) === undefined && onDesk;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    for (const end of this.#ends) end();
    (await this.#desk?.catch(() => undefined))?.close();
  }

  #ask(question: Question): void {
    if (this.#shown.has(question.id) || !this.#options.inbox.get(question.id)) return;
    this.#shown.set(question.id, question);
    void this.#desk?.then(peer => peer && this.#tellQuestion(peer, question));
  }

  /** Registers with a desk that is running, or waits for one. */
  #look(): void {
    if (this.#desk || this.#isClosed) return;
    const looking = this.#found().then(
      found => found && this.#attached(found),
      // What is wrong is said when a question needs the desk.
      () => undefined,
    );
    this.#desk = looking;
    void looking.then(peer => {
      if (!peer && this.#desk === looking) this.#desk = undefined;
    });
  }

  /** Looks again when something changes where the desk's socket is. */
  #wait(socket: string): void {
    if (this.#watcher) return;
    this.#watcher = watch(dirname(socket), { persistent: false }, () => this.#look());
    // Without it, the desk is found by the next question.
    this.#watcher.on('error', () => {});
  }

  async #started(): Promise<Peer | undefined> {
    const running = await this.#desk;
    if (running && !running.isClosed) return running;
    const { socket, clock, warn } = this.#options;
    const starting = (async () => {
      const found = await this.#found();
      return this.#attached(found ?? (await startDeskInBackground(socket(), this.#hello, this.#hear, clock)));
    })();
    const settled = starting.catch(error => {
      warn(`The desk could not be started: ${messageOf(error)}`);
      return undefined;
    });
    this.#desk = settled;
    const peer = await settled;
    if (!peer && this.#desk === settled) this.#desk = undefined;
    return peer;
  }

  get #hello(): Hello {
    return { role: 'bridge', opensPages: this.#options.open !== undefined };
  }

  /** The desk that is running, once it is of our version. */
  async #found(): Promise<FoundDesk | undefined> {
    const { warn } = this.#options;
    const socket = this.#options.socket();
    this.#wait(socket);
    const found = await findDesk(socket, this.#hello, this.#hear);
    if (!found) return undefined;
    const state = await handedOver(found);
    if (state === 'ready') return found;
    if (state === 'ended') return undefined;
    warn(`An older desk is running, and ${state} questions are open there. It ends when they are answered.`);
    await new Promise<void>(resolve => found.peer.onClosed(resolve));
    return undefined;
  }

  #attached({ peer }: FoundDesk): Peer {
    let isStopped = false;
    this.#onBye = () => {
      isStopped = true;
    };
    for (const connection of this.#connections.keys()) this.#introduce(peer, connection);
    for (const question of this.#shown.values()) this.#tellQuestion(peer, question);
    for (const [callId, wait] of this.#waits) peer.tell('host-wait', { callId, wait });
    peer.onClosed(() => {
      this.#desk = undefined;
      if (this.#isClosed) return;
      if (this.#shown.size > 0 && !isStopped) void this.#started();
      else this.#look();
    });
    return peer;
  }

  #onBye = (): void => {};

  #introduce(peer: Peer, connection: Connection): void {
    const { entry } = connection;
    peer.tell('join', { ...this.#connections.get(connection), entry, now: stateOf(connection) });
  }

  #tellQuestion(peer: Peer, question: Question): void {
    const at = [...this.#connections].find(([{ entry }]) => entry.id === question.asker.id);
    peer.tell('asked', { key: at?.[1].key, question });
  }

  #heard(connection: Connection, key: string, event: ConnectionEvent): void {
    if (event.type === 'call-ended') {
      const { id } = event.call;
      this.#callsThere.delete(id);
      // It gets the outcome at once.
      if (this.#waits.get(id)?.state === 'waits') this.#waits.delete(id);
    }
    void this.#desk?.then(peer => peer?.tell('event', { key, event: shortened(event), now: stateOf(connection) }));
  }

  /** What a desk asks of us. */
  readonly #hear: Hear = (word, body) => {
    const { inbox, open } = this.#options;
    const id = String(body['id']);
    if (word === 'reply') return inbox.reply(id, body['reply'] as Reply, String(body['via']));
    if (word === 'end') return inbox.end(id, body['ending'] as Ending);
    if (word === 'open' && open) return open(String(body['url']));
    if (word === 'bye') return this.#onBye();
    if (word === 'do') return this.#do(body);
    throw new MidcallError('host/refused', `The desk asked for something that this bridge does not know: ${word}`);
  };

  #do({ key, what, args }: Body): unknown {
    const connection = [...this.#connections].find(each => each[1].key === key)?.[0];
    if (!connection) throw new MidcallError('host/not-found', 'This server is no longer there.');
    const [first, second] = args as readonly unknown[];
    switch (what) {
      case 'start':
      case 'stop':
      case 'restart':
      case 'catalogue':
      case 'isSignedIn':
      case 'signOut':
        return connection[what]();
      case 'cancel':
        return connection.cancel(first as string);
      case 'forward':
        return connection.forward(first as ForwardedRequest);
      case 'run': {
        const options = second as { readonly id: string; readonly logs?: boolean };
        this.#callsThere.add(options.id);
        return void connection.run(first as CallRequest, options);
      }
      default:
        throw new MidcallError('host/refused', `A bridge does not do this: ${String(what)}`);
    }
  }
}

/** An event without a result that is too large for a page. */
function shortened(event: ConnectionEvent): ConnectionEvent {
  if (event.type !== 'call-ended' || !('result' in event.outcome)) return event;
  if (JSON.stringify(event.outcome.result).length <= largestResult) return event;
  return { ...event, outcome: { ...event.outcome, result: { tooLarge: true } } satisfies CallOutcome };
}
