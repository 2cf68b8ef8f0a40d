/** A connection that a bridge has, as its desk sees it: the bridge tells what happens, and does what the desk asks. */
import { randomUUID } from 'node:crypto';
import { MidcallError } from '@midcall/core/errors';
import type { CallContext, CallOutcome, Connection, ConnectionEvent, ServerEntry } from '@midcall/host';
import type { DeskConnection } from '@midcall/host/web';
import type { ConnectionState } from './desk-link.ts';
import type { Peer } from './peer.ts';

type Run = DeskConnection['run'];
type Forward = DeskConnection['forward'];

/** A connection of a bridge, as the desk sees it. */
export class RemoteConnection implements DeskConnection {
  readonly entry: ServerEntry;
  readonly elsewhere: string;
  /** Messages between a bridge and its server are not sent to the desk. */
  readonly wire = { subscribe: () => () => {} };
  readonly #peer: Peer;
  readonly #key: string;
  readonly #listeners = new Set<(event: ConnectionEvent) => void>();
  readonly #running = new Map<string, CallContext>();
  #now: ConnectionState;

  /** @param key - what the bridge calls it */
  constructor(peer: Peer, key: string, entry: ServerEntry, elsewhere: string, now: ConnectionState) {
    this.#peer = peer;
    this.#key = key;
    this.entry = entry;
    this.elsewhere = elsewhere;
    this.#now = now;
  }

  get origin() {
    return this.#now.origin;
  }

  get state() {
    return this.#now.state;
  }

  get problem() {
    return this.#now.problem;
  }

  get server() {
    return this.#now.server;
  }

  get stderr() {
    return this.#now.stderr;
  }

  get account() {
    return this.#now.account;
  }

  start(): Promise<void> {
    return this.#do('start') as Promise<void>;
  }

  stop(): Promise<void> {
    return this.#peer.isClosed ? Promise.resolve() : (this.#do('stop') as Promise<void>);
  }

  restart(): Promise<void> {
    if (this.#peer.isClosed) return Promise.reject(new MidcallError('host/not-found', bridgeGone));
    return this.#do('restart') as Promise<void>;
  }

  /** Does nothing: the bridge of this connection resumes calls. */
  resume(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  catalogue(): ReturnType<Connection['catalogue']> {
    return this.#do('catalogue') as ReturnType<Connection['catalogue']>;
  }

  run(request: Parameters<Run>[0], options: Parameters<Run>[1] = {}): ReturnType<Run> {
    if (this.state !== 'ready')
      throw new MidcallError('host/server-gone', `The server '${this.entry.id}' is not running. Start it again.`);
    const id = options.id ?? randomUUID();
    const outcome = new Promise<CallOutcome>(resolve => {
      const stop = this.subscribe(event => {
        if (event.type !== 'call-ended' || event.call.id !== id) return;
        stop();
        resolve(event.outcome);
      });
    });
    const logs = options.logs === true ? { logs: true } : {};
    this.#do('run', request, { id, ...logs }).catch((error: Error) => {
      const ended: CallOutcome = { how: 'server-gone', message: error.message };
      this.#tell({
        type: 'call-ended',
        call: { ...request, arguments: request.arguments ?? {}, id },
        outcome: ended,
        endedAt: Date.now(),
      });
    });
    return { id, outcome, cancel: () => void this.cancel(id) };
  }

  cancel(callId: string): boolean {
    void this.#do('cancel', callId).catch(() => {});
    return this.#running.has(callId);
  }

  forward(request: Parameters<Forward>[0]): ReturnType<Forward> {
    return this.#do('forward', request) as ReturnType<Forward>;
  }

  isSignedIn(): Promise<boolean> {
    return this.#do('isSignedIn') as Promise<boolean>;
  }

  signOut(): Promise<boolean> {
    return this.#do('signOut') as Promise<boolean>;
  }

  subscribe(listener: (event: ConnectionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The bridge tells what has happened, and how things are now. */
  heard(event: ConnectionEvent, now: ConnectionState): void {
    this.#now = now;
    if (event.type === 'call-started') this.#running.set(event.call.id, event.call);
    if (event.type === 'call-ended') this.#running.delete(event.call.id);
    this.#tell(event);
  }

  /** The bridge has ended. */
  gone(): void {
    const { server: _, ...now } = this.#now;
    this.#now = { ...now, server: undefined, state: 'failed', problem: bridgeGone };
    for (const call of this.#running.values())
      this.#tell({
        type: 'call-ended',
        call,
        outcome: { how: 'server-gone', message: bridgeGone },
        endedAt: Date.now(),
      });
    this.#running.clear();
    this.#tell({ type: 'state', state: 'failed', problem: bridgeGone });
  }

  #do(what: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#peer.ask('do', { key: this.#key, what, args });
  }

  #tell(event: ConnectionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

const bridgeGone =
  'The bridge that ran this server has ended, with its host. It is here again when the host starts it.';
