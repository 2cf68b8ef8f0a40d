/**
 * A server process that is started before anybody speaks to it, so that it starts up while its host is still loading: nothing
 * of the SDK is needed here. The last lines that it writes to standard error meanwhile are kept.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { ServerTarget } from '../servers/index.ts';
import { readLines } from './read-lines.ts';
import { StderrTail } from './stderr-tail.ts';
import { endTree, endWithUs, spawnOptions } from './terminate.ts';

/**
 * A process for one connection to take over.
 * @example
 * ```ts
 * const target = { kind: 'command', command: 'node', args: ['server.mjs'] } as const;
 * const connection = new Connection({ id: 'notes', target }, { client: about, inbox, started: new StartedServer(target) });
 * ```
 */
export class StartedServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #said = new StderrTail();
  #onStderr: ((line: string) => void) | undefined;
  #isOver = false;
  /** Resolves when the process has ended, or could not be started. */
  readonly ended: Promise<void>;

  /** Starts the process. @param target - the server's command */
  constructor(target: ServerTarget & { readonly kind: 'command' }) {
    // Not by `cross-spawn`, which takes time to load and differs on Windows only: a script that does not start here is started by the
    // connection.
    this.#child = spawn(target.command, target.args, spawnOptions(target));
    if (this.#child.pid !== undefined) endWithUs(this.#child.pid);
    // Output that nobody reads yet is dropped; whoever takes the process over receives what follows.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.on('error', () => {});
    this.ended = new Promise(resolve => {
      const end = (): void => {
        this.#isOver = true;
        resolve();
      };
      this.#child.on('error', end).on('exit', end);
    });
    readLines(this.#child.stderr, line => {
      if (this.#onStderr) this.#onStderr(line);
      else this.#said.add(line);
    });
  }

  /**
   * Hands the process over, once; undefined if it was taken before, could not be started, or has exited.
   * @param onStderr - called with each line it writes to standard error, including those it has written already
   */
  take(onStderr: (line: string) => void): ChildProcessWithoutNullStreams | undefined {
    if (this.#onStderr || this.#isOver || this.#child.pid === undefined) return undefined;
    this.#onStderr = onStderr;
    for (const line of this.#said.lines) onStderr(line);
    return this.#child;
  }

  /** Stops the process at once, unless it was taken over; it cannot be taken over any more. */
  async stop(): Promise<void> {
    if (this.#onStderr || this.#isOver) return;
    this.#isOver = true;
    const { pid } = this.#child;
    if (pid === undefined) return;
    this.#child.stdin.end();
    await endTree(pid);
  }
}
