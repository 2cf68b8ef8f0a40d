/** Who a server is, in every question and every entry of the record. */
import type { Client } from '@modelcontextprotocol/client';
import type { Era } from '../base/index.ts';
import type { Asker } from '../question/index.ts';
import type { AttachOptions } from './attachment.ts';

/** The longest part of a server's own name that is kept. */
const longestName = 200;

/** The asker of one client's server, made again only when something about it has changed. */
export class AskerOf {
  readonly #client: Client;
  readonly #server: AttachOptions['server'];
  /** What it was made of last, and what it is. */
  #made: { readonly info: unknown; readonly asker: Asker } | undefined;

  constructor(client: Client, server: AttachOptions['server']) {
    this.#client = client;
    this.#server = server;
  }

  /** As far as is known by now. */
  now(era: Era): Asker {
    const { id, origin } = this.#server;
    const info = this.#client.getServerVersion();
    if (this.#made?.info === info && this.#made?.asker.era === era) return this.#made.asker;
    const asker = {
      id,
      name: info?.name.slice(0, longestName) ?? id,
      ...(info?.version !== undefined && { version: info.version.slice(0, longestName) }),
      origin,
      era,
    };
    this.#made = { info, asker };
    return asker;
  }
}
