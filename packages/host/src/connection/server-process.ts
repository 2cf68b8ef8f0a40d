/**
 * The transport to a server process over standard input and output, which can also pause reading, and can take over a process that
 * is already running. With the SDK's own, the SDK starts a second process to find out which revision a server speaks, and waits
 * for it.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { writeFirstAtOnce } from '@midcall/core/node';
import { inTime, systemClock } from '@midcall/core/time';
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';
import { MessageBuffer } from '../sdk-seam/index.ts';
import { endTree, endWithUs, spawnOptions } from './terminate.ts';

/** How to start the process. */
export interface ServerProcessParameters {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables in addition to those that every server inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The largest message, in bytes. */
  readonly mostBytes: number;
  /** Called when a message exceeds that; the transport closes. */
  readonly onTooLarge?: () => void;
  /** Called with each line of its standard output that is not a message. */
  readonly onStray?: (line: string) => void;
  /** A process that was started with these parameters; its standard error is read by whoever started it. */
  readonly running?: ChildProcessWithoutNullStreams | undefined;
}

/** How many milliseconds a process has to exit when its input ends, before it is told to. */
const exitMs = 2_000;

/** A process whose output is read only on demand. */
export class ServerProcess implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** What the process writes to its standard error; nothing for one that was taken over. */
  readonly stderr = new PassThrough();
  readonly #parameters: ServerProcessParameters;
  readonly #buffer: MessageBuffer;
  #child: ChildProcessWithoutNullStreams | undefined;

  constructor(parameters: ServerProcessParameters) {
    this.#parameters = parameters;
    this.#buffer = new MessageBuffer(parameters.mostBytes, parameters.onStray);
  }

  /** Null if it does not run. By this and `stderr`, the SDK knows that the server is a process. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    if (this.#child) throw new Error('The process has been started already.');
    const { running } = this.#parameters;
    const child = running ?? this.#spawn();
    this.#child = child;
    let isClosed = false;
    const closed = (): void => {
      if (isClosed) return;
      isClosed = true;
      if (this.#child === child) {
        this.#child = undefined;
        if (child.pid !== undefined) void endTree(child.pid);
      }
      this.onclose?.();
    };
    const failed = (error: Error): void => this.onerror?.(error);
    // Each message that waits for a slow server adds a listener, so Node's warning about many listeners is disabled.
    child.stdin.setMaxListeners(0).on('error', failed);
    child.stdout.on('error', failed).on('data', (chunk: Buffer) => this.#read(chunk));
    child.on('error', failed).on('close', closed);
    // A process that ended in the meantime does not report it again.
    if (running?.stdout.closed) setImmediate(closed);
    if (running) return;
    child.stderr.pipe(this.stderr);
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    const isFull = stdin.writableNeedDrain;
    writeFirstAtOnce(stdin, `${JSON.stringify(message)}\n`);
    if (isFull) await new Promise<void>(resolve => stdin.once('drain', resolve));
  }

  /** Ends its input, and then the process, with what it has started, if it does not exit by itself. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#buffer.clear();
    if (!child) return;
    const closed = new Promise(resolve => child.once('close', resolve));
    child.stdin.end();
    // Not the idle clock, here and where the process is ended: this process must not end before whoever waits for this goes on.
    await inTime(closed, exitMs, systemClock);
    if (child.pid !== undefined) await endTree(child.pid);
  }

  /** Pauses reading; the output of the process waits in its pipe, and then the process waits. */
  pause(): void {
    this.#child?.stdout.pause();
  }

  resume(): void {
    this.#child?.stdout.resume();
  }

  #spawn(): ChildProcessWithoutNullStreams {
    const { command, args } = this.#parameters;
    const child = spawn(command, [...args], spawnOptions(this.#parameters));
    if (child.pid !== undefined) endWithUs(child.pid);
    return child;
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.#parameters.onTooLarge?.();
      this.onerror?.(error as Error);
      this.close().catch(() => {});
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
  }
}
