/** Makes the transport that reaches a server's target; nothing is started before the transport is. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { MidcallError } from '@midcall/core/errors';
import { limitedFetch } from '@midcall/core/fetch';
import { defined } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { type Clock, systemClock } from '@midcall/core/time';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { AnsweredRequests, isInEvents, neverReached, refusingOddIds, SessionRenewal } from '../sdk-seam/index.ts';
import { isHeaderName, isHeaderValue, type ServerTarget } from '../servers/index.ts';
import { readLines } from './read-lines.ts';
import { ServerProcess } from './server-process.ts';

/** What a transport needs besides its target. */
export interface TransportOptions {
  /** Each line a started server writes to its standard error, as `readLines` reads it; untrusted. Dropped if absent. */
  readonly onStderr?: (line: string) => void;
  /** Each line a started server writes to its standard output that is not a message; untrusted. */
  readonly onStray?: (line: string) => void;
  /** The server's process, if it is running already; its standard error is read by whoever started it. */
  readonly running?: ChildProcessWithoutNullStreams | undefined;
  /** Makes the requests to a server that is reached over HTTP; if absent, the global one, without its limits for answers that are slow. */
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

/**
 * The global fetch, which would give a server up after five minutes of silence, without that for what is sent to it: how long an
 * answer may take is for the limit of the call to say, and a person may think for longer.
 */
export const patientFetch: typeof fetch = (input, init) => {
  // Absent until Node's fetch is first used: that is the introduction of a server, which needs no patience.
  const usual = (globalThis as { [dispatcherKey]?: Dispatcher })[dispatcherKey];
  if (init?.method !== 'POST' || !usual) return globalThis.fetch(input, init);
  const patient: Dispatcher = {
    dispatch: (request, handler) => usual.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler),
  };
  return globalThis.fetch(input, { ...init, dispatcher: patient } as unknown as RequestInit);
};

/** The part of what sends the requests of the global fetch that is used here. */
interface Dispatcher {
  dispatch(request: object, handler: unknown): boolean;
}

/** Where Node and every version of undici keep it. */
const dispatcherKey = Symbol.for('undici.globalDispatcher.1');

/** The transport to a server: Streamable HTTP for a URL, stdio for a command. */
export function openTransport(
  target: ServerTarget,
  {
    onStderr,
    onStray,
    running,
    fetch = patientFetch,
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
      isInEvents,
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

/**
 * Reads headers from a file, so that a token is neither in a command line nor in a list of servers: lines `Name: value`; empty lines and those that begin with `#` are ignored.
 * @throws MidcallError `cli/usage`, naming the file and the line but no part of a value: if the file cannot be read, if anybody
 *   but its owner can read it, or if a line is not a header
 */
function readHeadersFile(path: string): Readonly<Record<string, string>> {
  const bad = (text: string, cause?: unknown): MidcallError =>
    new MidcallError('cli/usage', `The headers file ${visible(path, { max: 300 })} ${text}`, { cause });
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw bad(
        `can be read by other users of this machine. Take that back with: chmod go= ${visible(path, { max: 300 })}`,
      );
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof MidcallError) throw cause;
    throw bad('cannot be read. Is it there?', cause);
  }
  const headers: Record<string, string> = {};
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [name = '', ...parts] = line.split(':');
    const value = parts.join(':').trim();
    if (parts.length === 0 || !isHeaderName(name) || !isHeaderValue(value))
      throw bad(`has a line that is not a header (${at + 1}). Each is written as name: value.`);
    headers[name] = value;
  }
  return headers;
}

/** Pauses reading from a server while its messages are not consumed: they are not buffered here but wait at their source. */
class ReadingGate {
  #closed: Promise<void> | undefined;
  #open: (() => void) | undefined;

  /** Resolves when reading may continue; undefined if it may at once. */
  get closed(): Promise<void> | undefined {
    return this.#closed;
  }

  close(): void {
    this.#closed ??= new Promise(resolve => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#open = undefined;
    this.#closed = undefined;
  }
}

/** How many reconnections in a row may come as soon as the server wants: all calls of a busy connection may break together. */
const mostAtOnce = 100;
/** After that, each waits at least this long, in milliseconds. */
const leastMs = 1_000;
/** Milliseconds without a reconnection, after which the count begins again. */
const calmMs = 10_000;
/** How many milliseconds a server may keep a client waiting. */
const mostMs = 300_000;

/**
 * Decides when a broken stream of a server is opened again. A server may end every stream at once and ask for the next at once:
 * a client that obeyed would do nothing but connect.
 * @returns a scheduler as the SDK's transport takes it: it returns a function that cancels
 */
export function pacedReconnections(clock: Clock): (reconnect: () => void, delayMs: number) => () => void {
  let [count, last] = [0, 0];
  return (reconnect, delayMs) => {
    const now = clock.now();
    count = now - last > calmMs ? 1 : count + 1;
    last = now;
    const least = count > mostAtOnce ? leastMs : 0;
    return clock.after(Math.min(Math.max(delayMs, least), mostMs), reconnect);
  };
}
