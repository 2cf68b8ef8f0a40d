/**
 * The host's roots as the upstream server is told of them: only those that are directories on this machine. If the operator
 * named directories, these take their place, and the host is not asked.
 */

import { isMidcallError } from '@midcall/core/errors';
import { readRootsList } from '@midcall/core/roots';
import { visible } from '@midcall/core/text';
import { inTime } from '@midcall/core/time';
import type { Clock, OfferedRoots } from '@midcall/host';
import type { McpServer } from '@modelcontextprotocol/server';
import { anySchema } from '../link/index.ts';

/** Where roots are kept, and for which server. */
export interface HostRootsParts {
  readonly manager: OfferedRoots;
  /** The id of the upstream server. */
  readonly server: string;
  readonly clock: Clock;
  /** Called with an error for each root that cannot be passed on, and if a host does not give its roots. */
  readonly warn: (message: string) => void;
}

/** How many milliseconds calls wait for the roots of a host on 2025-11-25; roots that come later apply to later calls. */
const readMs = 5_000;

/** Passes the host's roots on. */
export class HostRoots {
  readonly #parts: HostRootsParts;
  #changes: Promise<unknown> = Promise.resolve();
  #read: Promise<void> = Promise.resolve();
  /** What was said of the last list. */
  #leftOut: ReadonlySet<string> = new Set();

  constructor(parts: HostRootsParts) {
    this.#parts = parts;
  }

  /** Follows the roots of a client on 2025-11-25, from its `initialized` on. */
  follow({ server }: McpServer): void {
    const read = async (): Promise<void> => {
      if (!server.getClientCapabilities()?.roots) return;
      try {
        // The SDK's own schema refuses the whole list for one root that is no file.
        const listed = readRootsList(await server.request({ method: 'roots/list' }, anySchema as never));
        for (const line of listed?.leftOut ?? []) this.#parts.warn(line);
        if (listed) await this.take(listed.roots);
        else this.#parts.warn('The host did not give its roots: its answer has no list.');
      } catch (error) {
        this.#parts.warn(`The host did not give its roots: ${(error as Error).message}`);
      }
    };
    const begin = (): void => {
      this.#read = inTime(this.#read.then(read), readMs, this.#parts.clock);
    };
    server.oninitialized = begin;
    server.setNotificationHandler('notifications/roots/list_changed', begin);
  }

  /** Resolves when the last list that a followed client announced is in force, or has been waited for long enough. */
  settled(): Promise<void> {
    return this.#read;
  }

  /** Sets the roots. Changes are made one after the other, so that the last list wins. */
  take(roots: readonly { readonly uri: string; readonly name?: string | undefined }[]): Promise<void> {
    const change = this.#changes.then(async () => {
      const { manager, server, warn } = this.#parts;
      const granted: string[] = [];
      const leftOut = new Set<string>();
      for (const { uri, name } of roots) {
        const scheme = /^([a-z][a-z\d+.-]+):/iu.exec(uri)?.[1];
        if (scheme !== undefined && scheme.toLowerCase() !== 'file') {
          leftOut.add(
            `A root of the host is left out. '${visible(uri, { max: 200 })}' is no directory on this machine.`,
          );
          continue;
        }
        try {
          granted.push((await manager.add(uri, name === undefined ? {} : { name })).uri);
        } catch (error) {
          if (!isMidcallError(error)) throw error;
          leftOut.add(`A root of the host is left out. ${error.message}`);
        }
      }
      // On 2026-07-28, the same list comes with each call.
      for (const line of leftOut) if (!this.#leftOut.has(line)) warn(line);
      this.#leftOut = leftOut;
      await manager.grant(server, granted);
      const still = new Set(granted);
      for (const { uri } of manager.list()) if (!still.has(uri)) await manager.remove(uri);
    });
    this.#changes = change.catch(() => {});
    return change;
  }
}
