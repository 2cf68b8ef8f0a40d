/**
 * The SDK's transport to a process, which can be told not to read for a while. It is a class of ours for one more reason: where
 * the SDK finds its very own, it finds out which revision a server speaks with a second process, and waits for that.
 */
import type { Readable } from 'node:stream';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** A process that is read only when it is to be. */
export class ServerProcess extends StdioClientTransport {
  /** Reads nothing more; what the process writes waits in its pipe, and then the process does. */
  pause(): void {
    this.#output?.pause();
  }

  resume(): void {
    this.#output?.resume();
  }

  get #output(): Readable | undefined {
    return (this as unknown as { _process?: { stdout: Readable } })._process?.stdout;
  }
}
