/**
 * The SDK's transport to a process, which can be told not to read for a while. It is a class of ours for one more reason: where
 * the SDK finds its very own, it finds out which revision a server speaks with a second process, and waits for that.
 */
import type { Readable, Writable } from 'node:stream';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** A process whose output is read only on demand. */
export class ServerProcess extends StdioClientTransport {
  override async start(): Promise<void> {
    await super.start();
    // Each message that waits for a server that reads slowly listens for itself; a warning of Node about that is nobody's to read.
    this.#process?.stdin.setMaxListeners(0);
  }

  /** Reads nothing more; what the process writes waits in its pipe, and then the process does. */
  pause(): void {
    this.#process?.stdout.pause();
  }

  resume(): void {
    this.#process?.stdout.resume();
  }

  get #process(): { readonly stdin: Writable; readonly stdout: Readable } | undefined {
    return (this as unknown as { _process?: { stdin: Writable; stdout: Readable } })._process;
  }
}
