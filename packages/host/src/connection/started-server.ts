/**
 * A server whose process runs before anybody speaks to it, so that it gets up while its host is still loading: nothing of the SDK
 * is needed here. The last lines it writes to its standard error meanwhile are kept.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { inheritedEnvironment } from '../sdk-seam/inherited-environment.ts';
import type { ServerTarget } from './server-entry.ts';
import { StderrTail } from './stderr-tail.ts';
import { terminate } from './terminate.ts';

/** A process that one connection takes over. */
export class StartedServer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #said = new StderrTail();
  #onStderr: ((line: string) => void) | undefined;
  #isOver = false;
  /** Resolves when the process has ended, or could not be started. */
  readonly ended: Promise<void>;

  /**
   * Starts the process.
   * @param target - the server's command
   */
  constructor({ command, args, env, cwd }: ServerTarget & { readonly kind: 'command' }) {
    this.#child = spawn(command, args, {
      env: { ...inheritedEnvironment(process.env, process.platform), ...env },
      stdio: 'pipe',
      windowsHide: true,
      ...(cwd !== undefined && { cwd }),
    });
    // What is read by nobody yet; whoever takes the process over hears of what follows.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.on('error', () => {});
    this.ended = new Promise(resolve => {
      const end = (): void => {
        this.#isOver = true;
        resolve();
      };
      this.#child.on('error', end).on('exit', end);
    });
    createInterface({ input: this.#child.stderr }).on('line', line => {
      if (this.#onStderr) this.#onStderr(line);
      else this.#said.add(line);
    });
  }

  /**
   * The process, once; undefined if it was taken before, could not be started, or has ended by itself.
   * @param onStderr - told of each line it writes to its standard error, those it has written among them
   */
  take(onStderr: (line: string) => void): ChildProcessWithoutNullStreams | undefined {
    if (this.#onStderr || this.#isOver) return undefined;
    this.#onStderr = onStderr;
    for (const line of this.#said.lines) onStderr(line);
    return this.#child;
  }

  /** Stops the process at once where nobody has taken it over, and lets nobody take it any more. */
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

/** Milliseconds a process has to end that was asked to. */
const killMs = 2_000;
