/** Makes the transport that reaches a server's target; nothing is started before the transport is. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { limitedFetch } from '@midcall/core/fetch';
import { defined } from '@midcall/core/json';
import { type Clock, systemClock } from '@midcall/core/time';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { AnsweredRequests, neverReached, refusingOddIds, SessionRenewal } from '../sdk-seam/index.ts';
import type { ServerTarget } from '../servers/index.ts';
import { readHeadersFile } from './headers-file.ts';
import { readLines } from './read-lines.ts';
import { ReadingGate } from './reading-gate.ts';
import { pacedReconnections } from './reconnections.ts';
import { ServerProcess } from './server-process.ts';

/** What a transport needs besides its target. */
export interface TransportOptions {
  /** Each line a started server writes to its standard error, as `readLines` reads it; untrusted. Dropped if absent. */
  readonly onStderr?: (line: string) => void;
  /** Each line a started server writes to its standard output that is not a message; untrusted. */
  readonly onStray?: (line: string) => void;
  /** The server's process, if it is running already; its standard error is read by whoever started it. */
  readonly running?: ChildProcessWithoutNullStreams | undefined;
  /** For HTTP only. */
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** The largest message, in bytes; the connection is unusable after a larger one. Default 10,485,760 (10 MiB). */
  readonly mostBytes?: number;
  /** Called with the limit, in bytes, when a message exceeds it. */
  readonly onTooLarge?: (mostBytes: number) => void;
  /** Over HTTP, called when the server had lost its session and a new one was opened. */
  readonly onSessionRenewed?: () => void;
  /** Over HTTP, called when a request found nothing that listens. */
  readonly onUnreached?: (error: unknown) => void;
}

/** A transport whose reading can be paused. */
export type PausableTransport = Transport & {
  /** Reads nothing more, so that the server waits. */
  pause(): void;
  resume(): void;
};

/** The default limit for one message, in bytes; the SDK's own for standard input and output. */
const usualMessageBytes = 10 * 1024 * 1024;

/** The transport to a server: Streamable HTTP for a URL, stdio for a command. */
export function openTransport(
  target: ServerTarget,
  {
    onStderr,
    onStray,
    running,
    fetch = globalThis.fetch,
    clock = systemClock,
    mostBytes = usualMessageBytes,
    onTooLarge,
    onSessionRenewed = () => {},
    onUnreached = () => {},
  }: TransportOptions = {},
): PausableTransport {
  if (target.kind === 'url') {
    const gate = new ReadingGate();
    const answered = new AnsweredRequests();
    const renewal = new SessionRenewal(onSessionRenewed);
    const limited = limitedFetch(fetch, {
      mostBytes,
      readsEvents: true,
      onTooLarge: () => onTooLarge?.(mostBytes),
      gate,
    });
    const refusing = refusingOddIds(limited, refusal => void transport.send(refusal as never).catch(() => {}));
    const noticing = renewal.noticing(answered.noting(refusing));
    const transport = new StreamableHTTPClientTransport(new URL(target.url), {
      requestInit: { headers: { ...target.headers, ...(target.headersFile && readHeadersFile(target.headersFile)) } },
      fetch: async (...request) => {
        try {
          return await noticing(...request);
        } catch (error) {
          if (neverReached(error)) onUnreached(error);
          throw error;
        }
      },
      reconnectionScheduler: pacedReconnections(clock),
    });
    answered.onto(transport);
    renewal.onto(transport);
    return Object.assign(transport, { pause: () => gate.close(), resume: () => gate.open() });
  }
  const { command, args, env, cwd } = target;
  const transport = new ServerProcess({
    command,
    args,
    mostBytes,
    onTooLarge: () => onTooLarge?.(mostBytes),
    running,
    ...defined({ env, cwd, onStray }),
  });
  readLines(transport.stderr, line => onStderr?.(line));
  return transport;
}
