/** A bridge on standard input and output before a server of the test's own, and the transport of a host to it. */
import { PassThrough } from 'node:stream';
import { systemClock } from '@midcall/core/time';
import { Inbox, machineDisk, OfferedRoots, type ServerTarget, urlTarget } from '@midcall/host';
import { serveHttp } from '@midcall/server/node';
import type { Era } from '@midcall/testing';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { type BridgeOptions, startBridge } from '../../packages/midcall/src/bridge/index.ts';
import { HostStdio } from '../../packages/midcall/src/host-stdio/index.ts';
import { noModel } from './stage.ts';

/** The other end of the streams of a process. */
class Lines implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #write: PassThrough;
  readonly #read: PassThrough;

  constructor(write: PassThrough, read: PassThrough) {
    this.#write = write;
    this.#read = read;
  }

  async start(): Promise<void> {
    let rest = '';
    this.#read.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.onmessage?.(JSON.parse(line));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#write.end();
    this.onclose?.();
  }
}

/** Starts the upstream server and the bridge; disposing of it ends both. */
export async function stdioStage(options: {
  readonly upstream: Era;
  /** Registers what the upstream server has. */
  readonly serve?: (mid: undefined, server: McpServer) => void;
  /** An upstream server of the test's own, in place of one that `serve` makes. */
  readonly target?: ServerTarget;
  /** What the person at the desk does when it is shown; there is no desk where absent. */
  readonly atDesk?: (inbox: Inbox) => unknown;
  readonly options?: Pick<BridgeOptions, 'authorization'>;
}) {
  const { upstream, serve, target, atDesk } = options;
  const served = await serveHttp(
    () => {
      const server = new McpServer({ name: 'upstream', version: '7.0.0' });
      serve?.(undefined, server);
      return server;
    },
    { port: 0 },
  );
  const [input, output] = [new PassThrough(), new PassThrough()];
  const inbox = new Inbox();
  const warned: string[] = [];
  let isOpen = false;
  // A person who has the desk open sees what comes.
  inbox.subscribe(event => {
    if (isOpen && event.type === 'asked') void atDesk?.(inbox);
  });
  const starting = startBridge(
    { id: 'upstream', target: target ?? urlTarget(served.url.href) },
    {
      host: new HostStdio(input, output),
      client: { name: 'test-bridge', version: '1.0.0' },
      inbox,
      clock: systemClock,
      era: upstream,
      roots: new OfferedRoots({ disk: machineDisk, lookEveryMs: 0 }),
      ownRoots: false,
      sampling: { model: noModel, always: false },
      desk: {
        join: () => {},
        tellWait: () => {},
        show: async () => {
          isOpen = true;
          await atDesk?.(inbox);
          return atDesk !== undefined && { seen: true, place: 'at their desk' };
        },
        close: async () => {},
      },
      warn: message => void warned.push(message),
      suspectBelowMs: 0,
      ...options.options,
    },
  );
  return {
    at: new Lines(input, output) as Transport,
    warned,
    async [Symbol.asyncDispose]() {
      await (await starting)?.stop({ within: 0 });
      await served.stop({ within: 0 });
    },
  };
}
