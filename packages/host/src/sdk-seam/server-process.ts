/**
 * The SDK's transport to a process, which can be told not to read for a while, and can be given a process that runs already. It is
 * a class of ours for one more reason: where the SDK finds its very own, it finds out which revision a server speaks with a second
 * process, and waits for that.
 */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';

/** What of the SDK's class this stands on; held by test/host/sdk-seam.test.ts and test/host/started-server.e2e.test.ts. */
interface Inside {
  _process: ChildProcessWithoutNullStreams | undefined;
  readonly _readBuffer: { append(chunk: Buffer): void };
  processReadBuffer(): void;
}

/** A process whose output is read only on demand. */
export class ServerProcess extends StdioClientTransport {
  readonly #running: ChildProcessWithoutNullStreams | undefined;

  /** @param running - a process that was started as the parameters say; its standard error is read by whoever started it */
  constructor(parameters: StdioServerParameters, running?: ChildProcessWithoutNullStreams) {
    super(parameters);
    this.#running = running;
  }

  override async start(): Promise<void> {
    if (this.#running) this.#adopt(this.#running);
    else await super.start();
    // Each message that waits for a server that reads slowly listens for itself; a warning of Node about that is nobody's to read.
    this.#inside._process?.stdin.setMaxListeners(0);
  }

  /** Reads nothing more; what the process writes waits in its pipe, and then the process does. */
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
    // One that has ended in between does not say so again.
    if (running.stdout.closed) setImmediate(closed);
  }

  get #inside(): Inside {
    return this as unknown as Inside;
  }
}
