/**
 * A server whose process runs before anybody speaks to it, so that it gets up while its host is still loading. The
 * last lines it writes to its standard error meanwhile are kept.
 */
import type { ServerTarget } from './server-entry.ts';
import { StderrTail } from './stderr-tail.ts';
import { terminate } from './terminate.ts';
import { openTransport, type PausableTransport, type TransportOptions } from './transport.ts';

/** A process that one connection takes over. */
export class StartedServer {
  readonly #transport: PausableTransport;
  readonly #said = new StderrTail();
  #options: Pick<TransportOptions, 'onStderr' | 'onTooLarge'> | undefined;
  #isOver = false;
  /** Resolves when the process has ended and nobody had taken it over. */
  readonly ended: Promise<void>;

  /**
   * Starts the process.
   * @param target - the server's command
   * @param options - `mostBytes`: bytes of one message; see {@link TransportOptions}
   */
  constructor(target: ServerTarget & { readonly kind: 'command' }, options: Pick<TransportOptions, 'mostBytes'> = {}) {
    const transport = openTransport(target, {
      ...options,
      onStderr: line => {
        if (this.#options) this.#options.onStderr?.(line);
        else this.#said.add(line);
      },
      onTooLarge: mostBytes => this.#options?.onTooLarge?.(mostBytes),
    });
    this.ended = new Promise(resolve => {
      transport.onclose = () => {
        this.#isOver = true;
        resolve();
      };
    });
    const starting = transport.start();
    // Whoever takes it over hears of it.
    starting.catch(() => {});
    transport.start = () => starting;
    this.#transport = transport;
  }

  /** The transport to the process, once; undefined if it was taken before, or the process has ended by itself. */
  take(options: Pick<TransportOptions, 'onStderr' | 'onTooLarge'>): PausableTransport | undefined {
    if (this.#options || this.#isOver) return undefined;
    this.#options = options;
    for (const line of this.#said.lines) options.onStderr?.(line);
    return this.#transport;
  }

  /** Stops the process at once where nobody has taken it over, and lets nobody take it any more. */
  async stop(): Promise<void> {
    if (this.#options) return;
    this.#isOver = true;
    const pid = 'pid' in this.#transport ? this.#transport.pid : undefined;
    if (typeof pid === 'number') terminate(pid);
    await this.#transport.close();
  }
}
