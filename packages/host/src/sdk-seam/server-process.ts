/**
 * The SDK's transport to a process, which can also pause reading, and can take over a process that is already running. It is a
 * subclass for one more reason: with its own class, the SDK starts a second process to find out which revision a server speaks,
 * and waits for it.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { writeFirstAtOnce } from '@midcall/core/node';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { MessageBuffer } from './message-buffer.ts';

/**
 * The members of the SDK's class that this relies on; checked by test/host/sdk-seam.test.ts and
 * test/host/started-server.e2e.test.ts.
 */
interface Inside {
  _process: ChildProcessWithoutNullStreams | undefined;
  _readBuffer: MessageBuffer;
  processReadBuffer(): void;
}

const sent = Promise.resolve();

/** A process whose output is read only on demand. */
export class ServerProcess extends StdioClientTransport {
  readonly #running: ChildProcessWithoutNullStreams | undefined;

  /**
   * @param running - a process that was started with these parameters; its standard error is read by whoever started it
   * @param onStray - called with each line of its standard output that is not a message
   */
  constructor(
    parameters: StdioServerParameters & { readonly maxBufferSize: number },
    running?: ChildProcessWithoutNullStreams,
    onStray?: (line: string) => void,
  ) {
    super(parameters);
    this.#running = running;
    this.#inside._readBuffer = new MessageBuffer(parameters.maxBufferSize, onStray);
  }

  override async start(): Promise<void> {
    if (this.#running) this.#adopt(this.#running);
    else await super.start();
    // Each message that waits for a slow server adds a listener, so Node's warning about many listeners is disabled.
    this.#inside._process?.stdin.setMaxListeners(0);
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const { _process: child } = this.#inside;
    if (!child) return super.send(message);
    if (child.stdin.writableNeedDrain) return super.send(message);
    // The SDK makes a promise for each message, which need not wait.
    try {
      writeFirstAtOnce(child.stdin, `${JSON.stringify(message)}\n`);
      return sent;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Pauses reading; the output of the process waits in its pipe, and then the process waits. */
  pause(): void {
    this.#inside._process?.stdout.pause();
  }

  resume(): void {
    this.#inside._process?.stdout.resume();
  }

  #adopt(running: ChildProcessWithoutNullStreams): void {
    const inside = this.#inside;
    inside._process = running;
    let isClosed = false;
    const closed = (): void => {
      if (isClosed) return;
      isClosed = true;
      if (inside._process === running) inside._process = undefined;
      this.onclose?.();
    };
    const tell = (error: Error): void => this.onerror?.(error);
    running.on('error', tell).on('close', closed);
    running.stdin.on('error', tell);
    running.stdout.on('error', tell).on('data', (chunk: Buffer) => {
      try {
        inside._readBuffer.append(chunk);
        inside.processReadBuffer();
      } catch (error) {
        tell(error as Error);
        this.close().catch(() => {});
      }
    });
    // A process that ended in the meantime does not report it again.
    if (running.stdout.closed) setImmediate(closed);
  }

  get #inside(): Inside {
    return this as unknown as Inside;
  }
}
