/** A client's messages other than requests, for whichever replica they concern. */
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { answerPlace, callName, nameOfCall, readQuestionId, type SessionKeys } from './keys.ts';
import type { LocalSessions } from './local-sessions.ts';
import { type Member, sealAt } from './member.ts';
import { answerQuestion, cancelCall, logMessage } from './scripts.ts';
import type { Takeovers } from './takeovers.ts';

/** The maximum number of messages that a client may send for all servers of its session. */
const MOST_LOGGED = 200;
/** The notifications that every server of a session must get. */
const forAll: ReadonlySet<string> = new Set([
  'notifications/roots/list_changed',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

interface ClientMessage {
  readonly method: string;
  readonly params?: { readonly requestId?: unknown };
}

export class ClientMessages {
  readonly #member: Member;
  readonly #sessions: LocalSessions;
  readonly #takeovers: Takeovers;

  constructor(member: Member, sessions: LocalSessions, takeovers: Takeovers) {
    this.#member = member;
    this.#sessions = sessions;
    this.#takeovers = takeovers;
  }

  /** Stores an answer to a question, and wakes whoever waits for it. Answers to unknown questions are ignored. */
  async answer(keys: SessionKeys, message: JSONRPCMessage): Promise<void> {
    const { commands, keys: names, replica } = this.#member;
    const { jsonrpc: _, id, ...response } = message as { readonly jsonrpc: string; readonly id: unknown };
    const question = readQuestionId(id);
    if (!question) return;
    const call = names.call(keys, question.call);
    const sealed = sealAt(this.#member, answerPlace(call, question.ask), response);
    const [status, holder] = (await commands.run(answerQuestion, call.call, question.ask, sealed)) as readonly string[];
    if (status === 'answered') await replica.wake(holder ?? '', nameOfCall(keys, call));
  }

  async notification(keys: SessionKeys, message: JSONRPCMessage): Promise<void> {
    const { method, params } = message as ClientMessage;
    if (method === 'notifications/cancelled') await this.#cancel(keys, params?.requestId);
    else await this.note(keys, message);
  }

  /** Stores a message that every server of the session must get. */
  async note(keys: SessionKeys, message: JSONRPCMessage): Promise<void> {
    if (!forAll.has((message as ClientMessage).method)) return;
    const { commands, limits } = this.#member;
    const sealed = sealAt(this.#member, keys.log, message);
    await commands.run(logMessage, keys.session, keys.log, sealed, limits.idleMs, MOST_LOGGED);
    const session = await this.#sessions.get(keys.name);
    if (!session) return;
    // A server in this process answers it like any other request.
    if (isJSONRPCRequest(message)) session.logged += 1;
    else await session.tell([message]);
  }

  async #cancel(keys: SessionKeys, requestId: unknown): Promise<void> {
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    const { commands, keys: names, replica } = this.#member;
    const call = names.call(keys, callName(requestId));
    const [status, holder = '', count = ''] = (await commands.run(cancelCall, call.call)) as readonly string[];
    if (status !== 'noted') return;
    if (await replica.isAlive(holder)) return replica.wake(holder, nameOfCall(keys, call));
    await this.#takeovers.end(keys, { call, holder, count });
  }
}
