/**
 * Calls that have needed nothing but a result so far. They are written to the server past everything that follows a call in
 * progress, and their results come back in the same way. When anything else happens, all of that gets them as if it had had them
 * from the start.
 *
 * - plain-calls-P1 A call is sent once, whichever way its answer takes.
 * - plain-calls-P2 A message that is not just the result of such a call is seen by whatever follows calls, and so is every
 *   such call before that.
 * - plain-calls-P3 Whoever watches the wire sees every message from then on.
 */
import { isRecord } from '@midcall/core/json';
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';
import type { Client } from '@modelcontextprotocol/client';
import type { BegunRun, CallRunner, RunAbout, RunOptions } from '../calls/runner.ts';
import { requestOf } from '../sdk-seam/client-calls.ts';
import { type ForwardedRequests, messageOf } from '../sdk-seam/forwarded-requests.ts';
import { nestsTooDeeply } from '../sdk-seam/nesting-limit.ts';
import type { PlainWire } from '../sdk-seam/plain-wire.ts';
import { finalResult } from './forwarded-call.ts';

type Json = Readonly<Record<string, unknown>>;

/** A call as it was begun, for whoever follows it from now on. */
export interface PlainCall {
  /** The id of its request. */
  readonly id: string;
  readonly run: BegunRun;
  readonly about: RunAbout;
  readonly rest: Json;
  readonly options: RunOptions;
}

/** What plain calls need. */
export interface PlainCallsParts {
  readonly client: Client;
  readonly wire: PlainWire;
  readonly runner: CallRunner;
  readonly forwarded: ForwardedRequests;
  /** True if nobody changes the request of a call of this tool on its way. */
  readonly sendsAsItIs: (tool: string) => boolean;
  /** Follows a call from now on. It sends the request as if that had not been sent. */
  readonly follow: (call: PlainCall) => void;
}

/** The plain calls of one connection. */
export class PlainCalls {
  readonly #parts: PlainCallsParts;
  /** Those in progress, by the ids of their requests. */
  readonly #open = new Map<unknown, PlainCall>();

  constructor(parts: PlainCallsParts) {
    this.#parts = parts;
    parts.wire.taken = message => this.#take(message);
  }

  /** Makes a call. @returns false if somebody has to follow it from the start */
  begin(about: RunAbout, rest: Json, options: RunOptions): boolean {
    const { client, wire, runner, forwarded, sendsAsItIs } = this.#parts;
    // Either may end a call before its answer.
    if (options.signal || options.timeoutMs !== Number.POSITIVE_INFINITY) return false;
    if (!wire.isFree || wire.isWatched() || (about.kind === 'tool' && !sendsAsItIs(about.name))) return false;
    const id = forwarded.newId();
    let text: string;
    try {
      text = JSON.stringify(messageOf(client, id, requestOf(about, rest), true));
    } catch {
      return false;
    }
    const run = runner.beginAtOnce(about, options);
    if (!run) return false;
    this.#open.set(id, { id, run, about, rest, options });
    wire.write(text);
    return true;
  }

  /** Leaves the calls in progress to whoever follows calls (plain-calls-P2). */
  handOver(): void {
    const { wire, follow } = this.#parts;
    if (this.#open.size === 0) return;
    const calls = [...this.#open.values()];
    this.#open.clear();
    for (const call of calls) {
      wire.written.add(call.id);
      follow(call);
    }
  }

  #take(message: JsonRpcMessage): boolean {
    const call = this.#open.size > 0 ? this.#open.get(message['id']) : undefined;
    const result = call && !this.#parts.wire.isWatched() ? resultIn(message) : undefined;
    if (!call || !result) {
      this.handOver();
      return false;
    }
    this.#open.delete(call.id);
    this.#parts.runner.endAtOnce(call.run, result);
    return true;
  }
}

/** The result in a message that has nothing else in it; undefined if the call may go on, or it is not read. */
function resultIn(message: JsonRpcMessage): Json | undefined {
  const { jsonrpc, result } = message;
  // The third member is the id by which its call was found.
  if (jsonrpc !== '2.0' || !isRecord(result) || Object.keys(message).length !== 3) return undefined;
  return nestsTooDeeply(message) ? undefined : finalResult(result);
}
