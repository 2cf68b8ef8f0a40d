/**
 * The tools of a server as plain functions with a JSON Schema, for agent frameworks. A framework gives each call an id. The
 * same id means the same call, in this process and in the next, so a framework may always ask again, whatever happened to it.
 *
 * - agent-tools-1 A call is sent once: asking again under its id joins it, resumes it where an earlier process left it, or
 *   returns the recorded result.
 * - agent-tools-2 A call that was left and cannot be resumed is in doubt. It is sent again only if its tool says that this is
 *   harmless.
 * - agent-tools-3 A call is reported as waiting for the person only when it is in the store.
 */
import { MidcallError } from '@midcall/core/errors';
import { canonical, isForModels, isRecord } from '@midcall/core/json';
import { checkKind, having } from '@midcall/core/options';
import { boundedStore } from '@midcall/core/store';
import { systemClock } from '@midcall/core/time';
import type { Tool } from '@modelcontextprotocol/client';
import type { CallOutcome } from '../calls/index.ts';
import type { Connection } from '../connection/index.ts';
import type { Question } from '../question/index.ts';
import { type AgentReply, agentReply } from './agent-reply.ts';
import { type AskedCall, StoredAgentCalls } from './stored-agent-calls.ts';

/** Options of one call. */
export interface AgentCallOptions {
  /**
   * Unique among the calls that the connection's store holds, such as the id of the conversation and the framework's tool call id.
   */
  readonly id: string;
  /** Stops the call when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/** How far a call has got. */
export type AgentCall =
  | { readonly state: 'ended'; readonly reply: AgentReply }
  /** It waits for the person. Questions are plain JSON, and have the same ids after a restart (2026-07-28, and tasks). */
  | { readonly state: 'waiting'; readonly questions: readonly Question[] };

/** A tool of a server. */
export interface AgentTool {
  readonly name: string;
  /** The server's own words; empty if it gives none. */
  readonly description: string;
  /** JSON Schema of the arguments, as the server gives it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Tool['annotations'];
  /**
   * Starts a call, or joins it, and waits until it has ended; a person has the time they need.
   * @param args - what the model gave; anything but an object counts as no arguments
   * @throws MidcallError `host/refused` if the id stands for another call, or another process runs it; `host/server-gone` if
   *   the server is not ready; `store/unavailable`
   */
  call(args: unknown, options: AgentCallOptions): Promise<AgentReply>;
  /**
   * As {@link AgentTool.call}, but returns as soon as the call waits for the person. Call again with the same id to continue.
   */
  start(args: unknown, options: AgentCallOptions): Promise<AgentCall>;
}

/** How long the outcome of a call is kept, in milliseconds: 7 days. */
const retentionMs = 7 * 24 * 60 * 60 * 1_000;
/** The most outcomes that are remembered if there is no store, or it fails. */
const mostRemembered = 1_000;

/**
 * The tools of a server that a model may call, for an agent framework. Their questions go to the connection's inbox. Tools that
 * only an App may call (MCP Apps 2026-01-26, visibility) are left out.
 *
 * With a connection that has a `store`, calls survive the process: one that waits for the person on 2026-07-28, and one that is
 * a task and in `tasks`, is resumed when its id is called again. The outcome of a call is kept for 7 days.
 * @param connection - started
 * @throws MidcallError `host/server-gone` if it is not ready; `host/abandoned` if its list of tools cannot be read
 * @example
 * ```ts
 * const tools = await agentTools(connection);
 * const reply = await tools[0]?.call({ guests: 4 }, { id: 'call-1' });
 * ```
 */
export async function agentTools(connection: Connection): Promise<readonly AgentTool[]> {
  checkKind('agentTools', 'the argument', connection, having('a Connection', 'catalogue', 'run', 'resume'));
  const { tools, problems } = await connection.catalogue();
  const problem = problems.find(({ list }) => list === 'tools');
  if (problem) throw new MidcallError('host/abandoned', problem.why);
  const calls = callsOf(connection);
  return tools.filter(isForModels).map(tool => {
    const agentCall = (args: unknown, id: string): AskedCall => ({ id, name: tool.name, arguments: argumentsOf(args) });
    return {
      name: tool.name,
      description: tool.description ?? tool.title ?? '',
      inputSchema: tool.inputSchema,
      annotations: tool.annotations,
      call: (args, { id, signal }) => calls.ended(agentCall(args, id), tool, signal),
      start: (args, { id, signal }) => calls.started(agentCall(args, id), tool, signal),
    };
  });
}

const argumentsOf = (args: unknown): AskedCall['arguments'] => (isRecord(args) ? args : {});

const byConnection = new WeakMap<Connection, AgentCalls>();

/** The calls of a connection: one object for each, so that a caller who lists its tools again joins the calls in progress. */
function callsOf(connection: Connection): AgentCalls {
  const calls = byConnection.get(connection) ?? new AgentCalls(connection);
  byConnection.set(connection, calls);
  return calls;
}

interface CallWithReply {
  readonly call: AskedCall;
  readonly reply: Promise<AgentReply>;
}

/** The calls of agents on one connection. */
class AgentCalls {
  readonly #connection: Connection;
  readonly #storedCalls: StoredAgentCalls | undefined;
  /** Calls in progress or being looked up, and those whose outcome is stored nowhere else. */
  readonly #calls = new Map<string, CallWithReply>();
  /** The ids of calls that have ended, oldest first. */
  readonly #remembered: string[] = [];

  constructor(connection: Connection) {
    const { store, clock = systemClock } = connection.options;
    this.#connection = connection;
    this.#storedCalls =
      store && new StoredAgentCalls(boundedStore(store, clock), { server: connection.entry.id, endedMs: retentionMs });
  }

  async ended(agentCall: AskedCall, tool: Tool, signal: AbortSignal | undefined): Promise<AgentReply> {
    const earlier = this.#calls.get(agentCall.id);
    if (earlier && !isSame(earlier.call, agentCall)) throw anotherCall(agentCall.id);
    const stop = (): void => void this.#connection.cancel(agentCall.id);
    if (earlier && signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      return await (earlier ?? this.#begin(agentCall, tool, signal)).reply;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async started(agentCall: AskedCall, tool: Tool, signal: AbortSignal | undefined): Promise<AgentCall> {
    const over = new AbortController();
    try {
      const ended = this.ended(agentCall, tool, signal).then(reply => ({ state: 'ended', reply }) as const);
      return await Promise.race([ended, this.#waiting(agentCall.id, over.signal)]);
    } finally {
      over.abort();
    }
  }

  #begin(agentCall: AskedCall, tool: Tool, signal: AbortSignal | undefined): CallWithReply {
    const { id } = agentCall;
    const run = async (): Promise<AgentReply> => {
      // A call that is claimed and not sent would be in doubt.
      const { state, entry } = this.#connection;
      if (state !== 'ready')
        throw new MidcallError('host/server-gone', `The server '${entry.id}' is not running. Start it again.`);
      const claimed = (await this.#storedCalls?.claim(agentCall)) ?? { state: 'new' };
      if (claimed.state === 'ended') return claimed.reply;
      const outcome =
        claimed.state === 'left' ? await this.#takenUp(agentCall, tool, signal) : await this.#sent(agentCall, signal);
      return agentReply(outcome);
    };
    const reply = run().then(
      async ended => {
        if (!(await this.#record(agentCall, ended))) this.#remember(id);
        return ended;
      },
      error => {
        this.#calls.delete(id);
        throw error;
      },
    );
    const begun: CallWithReply = { call: agentCall, reply };
    this.#calls.set(id, begun);
    return begun;
  }

  /** @returns false if its outcome is not stored */
  async #record(agentCall: AskedCall, reply: AgentReply): Promise<boolean> {
    if (!this.#storedCalls) return false;
    try {
      await this.#storedCalls.end(agentCall, reply);
    } catch (error) {
      this.#connection.options.onError?.(error);
      return false;
    }
    this.#calls.delete(agentCall.id);
    return true;
  }

  #remember(id: string): void {
    this.#remembered.push(id);
    if (this.#remembered.length > mostRemembered) this.#calls.delete(this.#remembered.shift()!);
  }

  #sent({ id, ...request }: AskedCall, signal: AbortSignal | undefined): Promise<CallOutcome> {
    return this.#connection.run({ kind: 'tool', ...request }, { id, ...(signal && { signal }) }).outcome;
  }

  async #takenUp(agentCall: AskedCall, tool: Tool, signal: AbortSignal | undefined): Promise<CallOutcome> {
    const { id } = agentCall;
    const ended = this.#outcomeOf(id);
    try {
      if ((await this.#connection.resume(id)).includes(id)) return await ended.outcome;
    } finally {
      ended.stop();
    }
    const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
    if (readOnlyHint || idempotentHint) return this.#sent(agentCall, signal);
    return { how: 'abandoned', message: inDoubt(agentCall.name), inDoubt: true };
  }

  #outcomeOf(id: string): { readonly outcome: Promise<CallOutcome>; stop(): void } {
    let stop = (): void => {};
    const outcome = new Promise<CallOutcome>(resolve => {
      stop = this.#connection.subscribe(event => {
        if (event.type === 'call-ended' && event.call.id === id) resolve(event.outcome);
      });
    });
    return { outcome, stop };
  }

  /** Resolves when a question of the call is open and stored; one that names no call may belong to any (stdio, 2025-11-25). */
  async #waiting(id: string, over: AbortSignal): Promise<AgentCall> {
    const { options, entry } = this.#connection;
    const { inbox } = options;
    const isOfCall = ({ call, asker }: Question): boolean => (call ? call.id === id : asker.id === entry.id);
    for (;;) {
      let stop = (): void => {};
      await new Promise<void>(resolve => {
        stop = inbox.subscribe(event => {
          if (event.type === 'asked' && isOfCall(event.question)) resolve();
        });
        over.addEventListener('abort', stop, { once: true });
        if (inbox.list().some(isOfCall)) resolve();
      });
      stop();
      over.removeEventListener('abort', stop);
      await this.#connection.settled();
      await inbox.settled();
      const questions = inbox.list().filter(isOfCall);
      if (questions.length > 0) return { state: 'waiting', questions };
    }
  }
}

const anotherCall = (id: string): MidcallError =>
  new MidcallError('host/refused', `The call '${id.slice(0, 100)}' was started with another tool or other arguments.`);

const isSame = (one: AskedCall, other: AskedCall): boolean =>
  one.name === other.name && canonical(one.arguments) === canonical(other.arguments);

const inDoubt = (name: string): string =>
  `The call of '${name}' was interrupted: the program that made it ended first, and the server does not go on with it. It is not known ` +
  'what it has done. Find that out before you call it again.';
