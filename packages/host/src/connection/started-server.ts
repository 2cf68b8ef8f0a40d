/**
 * A server process that is started before anybody speaks to it, so that it starts up while its host is still loading: nothing
 * of the SDK is needed here. The last lines that it writes to standard error meanwhile are kept.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { inheritedEnvironment } from '../sdk-seam/index.ts';
import type { ServerTarget } from '../servers/index.ts';
import { readLines } from './read-lines.ts';
import { StderrTail } from './stderr-tail.ts';
import { terminate } from './terminate.ts';

/** A process for one connection to take over. */
export class StartedServer {
  readonly #ownGroup: boolean;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #said = new StderrTail();
  #onStderr: ((line: string) => void) | undefined;
  #isOver = false;
  /** Resolves when the process has ended, or could not be started. */
  readonly ended: Promise<void>;

  /**
   * Starts the process.
   * @param target - the server's command
   * @param options - `ownGroup`: true to start it in a process group of its own, so that Ctrl-C in a terminal reaches this process
   *   alone, which can then still speak with the server; not on Windows, which has no such groups
   */
  constructor(
    { command, args, env, cwd }: ServerTarget & { readonly kind: 'command' },
    { ownGroup = false }: { readonly ownGroup?: boolean } = {},
  ) {
    this.#ownGroup = ownGroup && process.platform !== 'win32';
    this.#child = spawn(command, args, {
      detached: this.#ownGroup,
      env: { ...inheritedEnvironment(process.env, process.platform), ...env },
      stdio: 'pipe',
      windowsHide: true,
      ...(cwd !== undefined && { cwd }),
    });
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

  /** Asks whatever is left of its process group to end, such as what a package runner started. Call it after the connection has ended. */
  endGroup(): void {
    const { pid } = this.#child;
    if (this.#ownGroup && pid !== undefined) terminate(-pid);
  }

  /** Stops the process at once, unless it was taken over; it cannot be taken over any more. */
  async stop(): Promise<void> {
    if (this.#onStderr || this.#isOver) return;
    this.#isOver = true;
    const { pid } = this.#child;
    if (pid === undefined) return;
    terminate(pid);
    this.#child.stdin.end();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), killMs);
    await this.ended;
    clearTimeout(kill);
  }
}

/** How many milliseconds a process has to exit after it was asked to. */
const killMs = 2_000;
