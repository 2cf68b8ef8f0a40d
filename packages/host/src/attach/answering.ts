/**
 * The response to each request that a server makes of the person, the same in both eras: judged first, then asked, then
 * converted to the wire's form. A request that cannot be shown is refused with -32602 (2025-11-25), or ends its call with
 * `host/invalid-request` (2026-07-28), if there is nothing to send a refusal to.
 */
import { setMaxListeners } from 'node:events';
import { MidcallError, messageOf } from '@midcall/core/errors';
import type { Root } from '@midcall/core/roots';
import type { SamplingResult } from '@midcall/core/sampling';
import { onAbort } from '@midcall/core/time';
import { ProtocolError, ProtocolErrorCode, SdkErrorCode } from '@modelcontextprotocol/client';
import type { Asking, UrlFlow } from '../asking/index.ts';
import { hasElicitationIds } from '../base/index.ts';
import type { TappedRequest } from '../calls/index.ts';
import {
  type Elicitation,
  type ElicitationMode,
  type ElicitResult,
  elicitResult,
  readElicitation,
} from '../question/index.ts';
import type { OfferedRoots } from '../roots/index.ts';
import type { SamplingFlow } from '../sampling/index.ts';

export interface AnsweringOptions {
  readonly asking: Asking;
  readonly pages: UrlFlow;
  readonly modes: readonly ElicitationMode[];
  readonly roots: OfferedRoots | undefined;
  readonly sampling: SamplingFlow | undefined;
}

/** Answers the requests of one connection. */
export class Answering {
  readonly #options: AnsweringOptions;
  /** The open forms and pages by the ids of their questions, and what else their answers have. */
  readonly #open = new Map<string, { readonly params: TappedRequest['params']; also: object }>();

  constructor(options: AnsweringOptions) {
    this.#options = options;
  }

  /**
   * Answers one request of any kind.
   * @param withdrawn - fires when the server withdraws it or disconnects
   */
  answer(request: TappedRequest, withdrawn: AbortSignal): Promise<object> {
    switch (request.method) {
      case 'elicitation/create':
        return this.elicit(request, withdrawn);
      case 'roots/list':
        return this.roots(request, withdrawn);
      case 'sampling/createMessage':
        return this.sample(request, withdrawn);
    }
  }

  /** `elicitation/create`. */
  async elicit(request: TappedRequest, withdrawn: AbortSignal): Promise<ElicitResult> {
    const { asking, modes, pages } = this.#options;
    const { id, call } = request;
    const signal = signalOf(request, withdrawn);
    const read = readElicitation(request.params, { withId: hasElicitationIds(asking.asker().era), modes });
    if (!read.ok) throw this.#refuse(request, read.why);
    const open = { params: request.params, also: {} };
    this.#open.set(id, open);
    try {
      const ending =
        read.mode === 'url'
          ? await pages.consent({ id, call, signal }, read)
          : await asking.put({ id, subject: 'form', call, signal }, frame => ({ ...frame, ...formOf(read) }));
      return { ...open.also, ...elicitResult(ending, read.mode) };
    } finally {
      this.#open.delete(id);
    }
  }

  /** The parameters of an open form or page as the server sent them. @param id - of its question */
  received(id: string): TappedRequest['params'] | undefined {
    return this.#open.get(id)?.params;
  }

  /** Adds members to the answer of an open form or page. @param id - of its question */
  alsoAnswer(id: string, members: Readonly<Record<string, unknown>>): void {
    const open = this.#open.get(id);
    if (open) open.also = members;
  }

  /** `roots/list`: the granted roots that exist now; asks the person once if nothing has been decided. */
  async roots(request: TappedRequest, withdrawn: AbortSignal): Promise<{ roots: Root[] }> {
    const { asking, roots: manager } = this.#options;
    if (!manager) throw this.#refuse(request, 'This client declares no roots.');
    try {
      return { roots: await this.#tellable(manager, request, withdrawn) };
    } catch (error) {
      const why = messageOf(error);
      asking.refused(request.method, 'host', why, request.call?.context);
      // What failed, and where, concerns only the person.
      throw asking.unanswered(
        new ProtocolError(ProtocolErrorCode.InternalError, 'The roots could not be listed'),
        new MidcallError('host/abandoned', `The roots could not be listed: ${why} The call was given up.`),
      );
    }
  }

  async #tellable(manager: OfferedRoots, request: TappedRequest, withdrawn: AbortSignal): Promise<Root[]> {
    const { asking } = this.#options;
    const { id, call } = request;
    const server = asking.asker().id;
    await manager.look();
    const decided = manager.granted(server);
    const offered = manager.list().filter(root => root.state === 'there');
    if (asking.refuses('roots')) return [];
    if (decided || offered.length === 0) return [...(decided ?? [])];
    const ending = await asking.put({ id, subject: 'roots', call, signal: signalOf(request, withdrawn) }, frame => ({
      ...frame,
      kind: 'roots',
      roots: offered.map(({ uri, name }) => ({ uri, name })),
    }));
    if (ending.how === 'declined') await manager.grant(server, []);
    if (ending.how !== 'answered') return [];
    // A decision that allows roots allows every root on offer; a person names those they chose.
    const { uris, added = [] } = (ending.content ?? {}) as { uris: readonly string[]; added?: readonly string[] };
    const chosen = ending.via === 'policy' ? offered.map(root => root.uri) : [...uris, ...added];
    // One may have been withdrawn while the person read the question.
    const still = new Set(manager.list().map(root => root.uri));
    await manager.grant(
      server,
      chosen.filter(uri => still.has(uri)),
    );
    await manager.look();
    return [...(manager.granted(server) ?? [])];
  }

  /** `sampling/createMessage`. */
  async sample(request: TappedRequest, withdrawn: AbortSignal): Promise<SamplingResult> {
    const { sampling } = this.#options;
    if (!sampling) throw this.#refuse(request, 'This client declares no sampling.');
    return sampling.answer(request, signalOf(request, withdrawn));
  }

  #refuse(request: TappedRequest, why: string): Error {
    const { asking } = this.#options;
    asking.refused(request.method, 'host', why, request.call?.context);
    return asking.unanswered(
      new ProtocolError(ProtocolErrorCode.InvalidParams, why),
      new MidcallError('host/invalid-request', `The server asked something that cannot be shown: ${why}`),
    );
  }
}

/** A form as a question. */
const formOf = ({ ok: _, mode: __, notes, ...shown }: Extract<Elicitation, { readonly mode: 'form' }>) => ({
  ...shown,
  kind: 'form' as const,
  ...(notes.length > 0 && { notes }),
});

/** Fires when the server withdraws a request, its call is over, or the connection is closed. */
function signalOf(request: TappedRequest, withdrawn: AbortSignal): AbortSignal {
  const abort = new AbortController();
  const onTaken = (): void => {
    const serverGone = (withdrawn.reason as { code?: unknown } | undefined)?.code === SdkErrorCode.ConnectionClosed;
    abort.abort({ how: serverGone ? 'server-gone' : 'withdrawn' });
  };
  // The requests of one round share this signal, and a warning about that would reach the person's terminal.
  setMaxListeners(0, withdrawn);
  onAbort(withdrawn, onTaken);
  return request.call ? AbortSignal.any([abort.signal, request.call.abort.signal]) : abort.signal;
}
