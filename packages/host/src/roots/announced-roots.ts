/** The folders that the server of one connection knows of; announces changes to it. */
import type { Clock } from '@midcall/core/time';
import type { Client } from '@modelcontextprotocol/client';
import { type Era, hearsRootsChanged, serverSendsRequests } from '../base/index.ts';
import { sendRootsChanged } from '../sdk-seam/index.ts';
import { RootsGate } from './gate.ts';
import type { OfferedRoots } from './offered-roots.ts';

/** What is announced, and to whom. */
export interface AnnouncedRootsOptions {
  readonly client: Client;
  readonly roots: OfferedRoots;
  /** The server's id. */
  readonly server: string;
  readonly era: () => Era;
  readonly clock: Clock;
}

export class AnnouncedRoots {
  readonly #options: AnnouncedRootsOptions;
  readonly #gate: RootsGate;
  readonly #stop: () => void;
  /** The value of {@link #granted} when the server was last told to read the list. */
  #announced: string | undefined;

  constructor(options: AnnouncedRootsOptions) {
    this.#options = options;
    this.#gate = new RootsGate(options.clock, () => options.client.ping());
    this.#stop = options.roots.subscribe(server => void this.#changed(server));
  }

  /** A `roots/list` was received, or answered. */
  note(what: 'asked' | 'answered'): void {
    this.#gate.note(what);
  }

  /** Resolves when calls may go out. Never rejects. */
  opened(): Promise<void> {
    return this.#gate.opened();
  }

  /** The connection is open. */
  connected(): void {
    this.#announced = this.#granted();
    if (serverSendsRequests(this.#options.era())) this.#gate.announced();
  }

  /** The connection is closed. */
  close(): void {
    this.#stop();
  }

  /** What the server may be told, as canonical text: changes that concern only others are not announced to it. */
  #granted(): string | undefined {
    return JSON.stringify(this.#options.roots.granted(this.#options.server));
  }

  async #changed(server: string | undefined): Promise<void> {
    const { client, era } = this.#options;
    if (server !== undefined && server !== this.#options.server) return;
    const isConnected = client.getNegotiatedProtocolVersion() !== undefined;
    if (!isConnected || !hearsRootsChanged(era())) return;
    const [before, granted] = [this.#announced, this.#granted()];
    if (granted === before) return;
    this.#announced = granted;
    // The person has just decided on the server's own question, whose answer contains the list.
    if (before !== undefined || !this.#gate.asking) this.#gate.announced();
    await sendRootsChanged(client);
  }
}
