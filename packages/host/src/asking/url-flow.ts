/**
 * Pages that a person is asked to open: consent for a URL elicitation, and for the pages that a call needs first (2025-11-25,
 * error -32042). `accept` says that the link was opened, nothing more; the end of a page is reported separately, and decides
 * whether the call is tried again, but is never a second answer.
 */

import { MidcallError } from '@midcall/core/errors';
import { ProtocolErrorCode } from '@modelcontextprotocol/client';
import { cancelledByPerson, type RunningCall } from '../calls/index.ts';
import type { Inbox } from '../inbox/index.ts';
import { type Ending, readElicitation } from '../question/index.ts';
import { judgeUrl } from '../url/index.ts';
import type { Asking } from './asking.ts';

export interface UrlFlowOptions {
  readonly asking: Asking;
  readonly inbox: Inbox;
  readonly newId: () => string;
  /** Registrable domains the person has opened; new ones are added. */
  readonly trusted: Set<string>;
}

interface Page {
  readonly message: string;
  readonly href: string;
  readonly elicitationId: string;
}

/** The pages of one connection. */
export class UrlFlow {
  readonly #options: UrlFlowOptions;
  /** Pages that were opened and are not known to be done: the server's id -> the question that waits for it, if any. */
  readonly #opened = new Map<string, string | undefined>();
  readonly #finished = new Set<string>();

  constructor(options: UrlFlowOptions) {
    this.#options = options;
  }

  /** Asks for consent to open one page. */
  async consent(
    source: { readonly id: string; readonly call: RunningCall | undefined; readonly signal: AbortSignal },
    page: { readonly message: string; readonly href: string; readonly elicitationId?: string },
  ): Promise<Ending> {
    const { asking, trusted } = this.#options;
    const url = judgeUrl(page.href, { trusted });
    const { message, elicitationId } = page;
    const ending = await asking.put({ ...source, subject: 'url' }, frame => ({
      ...frame,
      kind: 'url',
      message,
      url,
      ...(elicitationId !== undefined && { elicitationId }),
    }));
    if (ending.how === 'answered') {
      trusted.add(url.parts.domain);
      if (elicitationId !== undefined && !this.#finished.has(elicitationId)) this.#opened.set(elicitationId, undefined);
    }
    return ending;
  }

  /**
   * Notes that a server reported a page as done. Ids that were never opened, or are done already, are ignored.
   * @returns true if it was news
   */
  completed(elicitationId: unknown): boolean {
    if (typeof elicitationId !== 'string' || !this.#opened.has(elicitationId)) return false;
    const waiting = this.#opened.get(elicitationId);
    this.#opened.delete(elicitationId);
    this.#finished.add(elicitationId);
    if (waiting !== undefined) this.#options.inbox.end(waiting, { how: 'completed' });
    return true;
  }

  /**
   * The pages that an error names, if it is that kind of error: asks for each, then for "I have finished".
   * @returns true if the call should be tried again, false for any other error
   * @throws MidcallError `host/abandoned` if a page was not opened, `host/cancelled` if the person gave up after it
   */
  async openFor(call: RunningCall, error: unknown): Promise<boolean> {
    const pages = pagesOf(error);
    if (pages === undefined) return false;
    const { asking, newId } = this.#options;
    for (const page of pages) {
      if (typeof page === 'string') {
        asking.refused('url', 'host', page, call.context);
        throw new MidcallError('host/invalid-request', `The server named a page that cannot be shown: ${page}`);
      }
      const consent = await this.consent({ id: newId(), call, signal: call.abort.signal }, page);
      if (consent.how !== 'answered')
        throw new MidcallError(
          'host/abandoned',
          `The call needs a page that was not opened. ${staysDone} Run it again to be asked again.`,
        );
    }
    for (const page of pages as readonly Page[]) await this.#finish(call, page);
    return true;
  }

  async #finish(call: RunningCall, page: Page): Promise<void> {
    const { asking, newId, trusted } = this.#options;
    const { message, elicitationId, href } = page;
    if (!this.#opened.has(elicitationId)) return;
    const id = newId();
    this.#opened.set(elicitationId, id);
    const ending = await asking.ask(
      { call, signal: call.abort.signal },
      {
        id,
        kind: 'url-finish',
        asker: asking.asker(),
        call: call.context,
        askedAt: asking.now(),
        message,
        url: judgeUrl(href, { trusted }),
        elicitationId,
      },
    );
    this.#opened.delete(elicitationId);
    this.#finished.add(elicitationId);
    if (ending.how === 'timed-out' || ending.how === 'unshown')
      throw new MidcallError(
        'host/abandoned',
        `The call needs a page to be finished first. ${staysDone} Run it again when it is.`,
      );
    if (ending.how !== 'answered' && ending.how !== 'completed') throw cancelledByPerson;
  }
}

/** A server runs up to its question, perhaps over several rounds, before it asks. */
const staysDone = 'What the call did before it asked stays done.';

/** The pages an error demands; a text if one is not a page; undefined for any other error. */
function pagesOf(error: unknown): readonly (Page | string)[] | undefined {
  const { code, data } = error as { code?: unknown; data?: { elicitations?: unknown } };
  if (code !== ProtocolErrorCode.UrlElicitationRequired) return undefined;
  const listed = data?.elicitations;
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > 10) return undefined;
  return listed.map(each => {
    const read = readElicitation({ ...(each as object), mode: 'url' }, { withId: true, modes: ['url'] });
    if (!read.ok) return read.why;
    if (read.mode !== 'url' || read.elicitationId === undefined) return 'An elicitationId is missing.';
    return { message: read.message, href: read.href, elicitationId: read.elicitationId };
  });
}
