/**
 * `/inbox` of a bridge: signing in, the session of each browser, and behind it the pages of one person.
 *
 * - inbox-site-N1 A page of a person is reached by the path of a session and its cookie, both of them, and by nothing else. Browsers send
 *   cookies to every port of a host: the cookie is limited to the session's own secret path, so that a browser does not send it to
 *   another server of this host, which does not know the path.
 * - inbox-site-N2 A change needs the cookie, the origin of this bridge and the token of the page, all three.
 * - inbox-site-N3 Nothing is served under another name of this bridge than the one that people know: that of `--public-url`.
 * - inbox-site-N4 A person who was removed cannot sign in, and what their pages listen to ends with their sessions.
 * - inbox-site-N5 Only so many pages of a person listen at a time; all tabs of a browser share one. One more ends the stream that began
 *   first, and its browser comes back.
 */
import { isMidcallError } from '@midcall/core/errors';
import { onlyCookie, seeOther } from '@midcall/core/page';
import { systemClock } from '@midcall/core/time';
import {
  type PersonNotice,
  type PersonNotifications,
  type PersonPages,
  type PersonQuestions,
  personPages,
} from '@midcall/host/web';
import { principalId, type Sealer } from '@midcall/server';
import type { Provider } from '@midcall/server/connect';
import type { InboxStore } from '../store/index.ts';
import { type Enrolment, SitePasskeys } from './passkeys.ts';
import { type BegunSignIn, InboxSignIn } from './sign-in.ts';

/** What the pages need. */
export interface InboxSiteOptions {
  readonly store: InboxStore;
  readonly issuer: Provider;
  /** Where the authorization server sends browsers back to; `/inbox/signed-in` of `publicUrl` if absent. */
  readonly redirect: URL | undefined;
  /** Where browsers reach the bridge. */
  readonly publicUrl: URL;
  /** Seals sign-ins and passkeys in progress. */
  readonly sealer: Sealer;
  /** The claim of ID tokens that lists a person's groups; absent if none counts. */
  readonly groupsClaim?: string | undefined;
  readonly enrolment: Enrolment;
  /** Notifications of a person. */
  readonly notifications: (principal: string) => PersonNotifications;
  /** Called with errors of the pages. */
  readonly onError: (error: unknown) => void;
}

const root = '/inbox';
const signInPath = `${root}/sign-in`;
/** Where a question is answered. */
const answeredPath = /^\/inbox\/s\/[\w-]{10,64}\/questions\/[^/]+/;
const sessionPath = /^\/inbox\/s\/([\w-]{10,64})(?:\/|$)/;
const sessionCookie = 'midcall-inbox';
/** How many pages of a person may listen at a time. */
const mostWatchers = 32;

/**
 * Where an address of the inbox leads behind the sign-in: `?question=<id>` to that question, `?passkeys` to the page of passkeys, and both
 * there and back. The page's script reads it in the same way (`find-session.ts`).
 */
function destination(parameters: URLSearchParams): string {
  const question = parameters.get('question');
  if (parameters.has('passkeys'))
    return question === null ? 'passkeys' : `passkeys?${new URLSearchParams({ question })}`;
  return question === null ? '' : `questions/${encodeURIComponent(question)}`;
}

const isChange = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD';

/** What of a query says where it leads. */
function destinationQuery(parameters: URLSearchParams): string {
  const kept = [...parameters].filter(([name]) => name === 'question' || name === 'passkeys');
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
}

/**
 * The query of a sign-in that leads to a page of a person.
 * @param to - the path of the page below that of a session, without a slash at its beginning
 */
function queryTo(to: string): string {
  const { pathname, searchParams } = new URL(`http://inbox/${to}`);
  const [, place, id] = pathname.split('/');
  if (place === 'passkeys') searchParams.set('passkeys', '');
  if (place === 'questions' && id) searchParams.set('question', decoded(id));
  return destinationQuery(searchParams);
}

/** The query by which a sign-in is begun again. */
function queryAgain(begun: BegunSignIn | undefined): string {
  if (!begun) return '';
  const query = queryTo(begun.to);
  return begun.again ? `${query === '' ? '?' : `${query}&`}again` : query;
}

/** A part of a path, which anybody may have written. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** How a page looks if something keeps it from being shown. */
const texts = {
  title: 'Your inbox',
  signIn: 'Sign in',
  signedIn: 'You are signed in.',
  welcome: 'What needs your answer waits here: what servers ask you, and calls that are made only with your yes.',
  endedTitle: 'You are signed out',
  ended: 'This session has ended. Sign in again to see what waits for you.',
  notSent: 'Your answer was not sent. Once you are signed in, answer again.',
  unknownTitle: 'This sign-in is not known',
  unknown:
    'It was finished before, took too long, or was begun in another browser or in one that refuses cookies. Nobody was signed in now.',
  failedTitle: 'You are not signed in',
  notAskedTitle: 'You were not asked to sign in again',
  notAsked: (issuer: string) =>
    `${issuer} did not confirm that it asked you to sign in just now, which a change of passkeys needs. Nothing was changed, and you are signed in as before.`,
  notAskedToDo: [
    'Confirm it with one of your passkeys, or ask an administrator of this inbox for an invitation to add one.',
    'If you run this inbox: the issuer has to put auth_time into ID tokens when it is asked with max_age.',
  ],
  toInbox: 'Back to the inbox',
  brokenTitle: 'Something went wrong',
  broken: 'The inbox cannot be used at the moment. Try again later.',
  unknownAnswer:
    'It is not known whether your answer arrived. Look at the question again: if it still waits, answer again.',
  toQuestion: 'Look at the question again',
  foreignTitle: 'Refused',
  foreign: 'This request did not come from a page of this inbox. Nothing was changed.',
  removedTitle: 'You have no inbox here',
  removed: 'An administrator of this bridge has removed you. Ask them if that was not meant.',
} as const;

export class InboxSite {
  readonly #options: InboxSiteOptions;
  readonly #signIn: InboxSignIn;
  readonly #pages: PersonPages;
  readonly #passkeys: SitePasskeys;
  /** What ends the streams of pages that listen, the first one first, by their persons. */
  readonly #watchers = new Map<string, Set<AbortController>>();

  constructor(options: InboxSiteOptions) {
    const { issuer, redirect, publicUrl, sealer, groupsClaim, onError } = options;
    this.#options = options;
    this.#signIn = new InboxSignIn({
      issuer,
      redirect: redirect ?? new URL(`${root}/signed-in`, publicUrl),
      sealer,
      groupsClaim,
      clock: systemClock,
    });
    this.#passkeys = new SitePasskeys(options);
    this.#pages = personPages({ assets: `${root}/assets`, onError });
  }

  /** Where a person finds a question. */
  link(question?: string): string {
    const at = new URL(root, this.#options.publicUrl);
    if (question !== undefined) at.searchParams.set('question', question);
    return at.href;
  }

  /** Ends what browsers listen to. */
  close(): void {
    this.#pages.close();
  }

  /** @returns undefined for an address that is not one of the inbox */
  async handle(request: Request): Promise<Response | undefined> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== root && !pathname.startsWith(`${root}/`)) return undefined;
    try {
      return await this.#answer(request, pathname, searchParams);
    } catch (error) {
      // Such as a store that cannot be reached, or whose disk is full.
      this.#options.onError(error);
      const question = isChange(request) ? answeredPath.exec(pathname)?.[0] : undefined;
      return this.#pages.notice({
        title: texts.brokenTitle,
        lines: question === undefined ? [texts.broken] : [texts.broken, texts.unknownAnswer],
        ...(question !== undefined && { action: { path: question, label: texts.toQuestion } }),
        status: 500,
      });
    }
  }

  async #answer(request: Request, pathname: string, searchParams: URLSearchParams): Promise<Response> {
    const changes = isChange(request);
    if (!this.#isPublicName(request)) {
      // A link that was opened under another name of this machine leads to the right one; nothing else is told there.
      return changes ? this.#refused() : seeOther(`${this.link()}${destinationQuery(searchParams)}`);
    }
    if (changes && !this.#isFromHere(request)) return this.#refused();
    const asset = await this.#pages.asset(request);
    if (asset) return asset;
    const at = sessionPath.exec(pathname)?.[1];
    if (at !== undefined) return this.#ofSession(request, at);
    if (pathname === this.#signIn.path) return this.#signedIn(request);
    if (pathname === signInPath && !changes)
      return this.#toIssuer({ to: destination(searchParams), again: searchParams.has('again') });
    return this.#door({
      title: texts.title,
      lines: [texts.welcome],
      status: pathname === root || pathname === `${root}/` ? 200 : 404,
      query: destinationQuery(searchParams),
    });
  }

  async #ofSession(request: Request, at: string): Promise<Response> {
    const { store, notifications } = this.#options;
    const cookie = onlyCookie(request, this.#cookieName);
    const session = cookie === undefined ? undefined : await store.sessions.find(at, cookie);
    if (!session) {
      const { pathname, search } = new URL(request.url);
      const isAnswer = isChange(request) && answeredPath.test(pathname);
      return this.#door({
        title: texts.endedTitle,
        lines: isAnswer ? [texts.ended, texts.notSent] : [texts.ended],
        status: 401,
        query: queryTo(`${pathname.slice(`${root}/s/${at}/`.length)}${search}`),
      });
    }
    const { principal, name, csrf } = session;
    const ended = new AbortController();
    const response = await this.#pages.handle(request, {
      questions: this.#watched(principal, store.person(principal), ended, () => store.sessions.find(at, cookie!)),
      name,
      base: `${root}/s/${at}`,
      csrf,
      passkeys: this.#passkeys.of(session, question => {
        const back = question === undefined ? '' : `&${new URLSearchParams({ question })}`;
        return `${signInPath}?again&passkeys${back}`;
      }),
      notifications: notifications(principal),
      signOut: async everywhere => {
        await (everywhere ? store.sessions.endAll(principal) : store.sessions.end(at));
        return seeOther(root, [`${this.#cookie(at, '')}; Max-Age=0`]);
      },
    });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    return isStream ? endedBy(ended.signal, response) : response;
  }

  /** True if a page of this person listens to changes, at this bridge. */
  isWatched(principal: string): boolean {
    return this.#watchers.has(principal);
  }

  /**
   * @param ended - ends the stream of the page that listens
   * @param session - that it belongs to, if there still is one
   */
  #watched(
    principal: string,
    questions: PersonQuestions,
    ended: AbortController,
    session: () => Promise<unknown>,
  ): PersonQuestions {
    const look = async (): Promise<void> => {
      if (!(await session())) ended.abort();
    };
    return {
      ...questions,
      subscribe: listener => {
        const stop = questions.subscribe(() => {
          listener();
          look().catch(this.#options.onError);
        });
        const theirs = this.#watchers.get(principal) ?? new Set();
        this.#watchers.set(principal, theirs.add(ended));
        if (theirs.size > mostWatchers) [...theirs][0]!.abort();
        return () => {
          stop();
          if (theirs.delete(ended) && theirs.size === 0) this.#watchers.delete(principal);
        };
      },
    };
  }

  async #toIssuer(begun: BegunSignIn): Promise<Response> {
    try {
      return await this.#signIn.begin(begun.to, begun.again);
    } catch (error) {
      return this.#failed(error, begun);
    }
  }

  async #signedIn(request: Request): Promise<Response> {
    const { store } = this.#options;
    try {
      const ended = await this.#signIn.end(request);
      if (!ended) {
        const query = queryAgain(this.#signIn.begun(request));
        return this.#door({ title: texts.unknownTitle, lines: [texts.unknown], status: 400, query });
      }
      const { person, again, forget } = ended;
      const principal = principalId(person);
      if (again && !person.wasAsked) return this.#notAsked(forget);
      const { at, cookie } = await store.sessions.begin({
        ...{ principal, name: person.name, wasAsked: person.wasAsked },
        ...(person.groups && { groups: person.groups }),
      });
      // A redirect that another site began would arrive without the new cookie; what leads on from a page of ours arrives with it.
      const page = this.#pages.notice({
        title: texts.title,
        lines: [texts.signedIn],
        leadsTo: `${root}/s/${at}/${person.to}`,
      });
      for (const each of [this.#cookie(at, cookie), forget]) page.headers.append('set-cookie', each);
      return page;
    } catch (error) {
      return this.#failed(error, this.#signIn.begun(request));
    }
  }

  /**
   * The page in front of the inbox. Its script leads a browser that has a session to it, and forgets one that has ended.
   * @param what - `query`: says where the sign-in leads
   */
  #door({ query = '', ...said }: PersonNotice & { readonly query?: string }): Response {
    const action = { path: `${signInPath}${query}`, label: texts.signIn };
    return this.#pages.notice({ ...said, action, script: 'find-session' });
  }

  /** The issuer did not say that it asked the person, so nothing was signed in anew. */
  #notAsked(forget: string): Response {
    const page = this.#pages.notice({
      title: texts.notAskedTitle,
      lines: [texts.notAsked(this.#options.issuer.name), ...texts.notAskedToDo],
      action: { path: root, label: texts.toInbox },
      status: 403,
    });
    page.headers.append('set-cookie', forget);
    return page;
  }

  /** @param begun - the sign-in that has failed */
  #failed(error: unknown, begun: BegunSignIn | undefined): Response {
    // Its message is made for the person, and holds no secret. Not 502, which proxies and the worker of the inbox would take for an
    // inbox that does not answer, and replace by pages of their own.
    if (isMidcallError(error, 'connect/provider'))
      return this.#door({ title: texts.failedTitle, lines: [error.message], status: 401, query: queryAgain(begun) });
    // Said by the store as it begins the session, so that nobody is removed between a look and that.
    if (isMidcallError(error, 'host/refused'))
      return this.#pages.notice({ title: texts.removedTitle, lines: [texts.removed], status: 403 });
    throw error;
  }

  #refused(): Response {
    return this.#pages.notice({ title: texts.foreignTitle, lines: [texts.foreign], status: 403 });
  }

  /** The Host header, since a proxy that ends TLS changes the scheme and may change the port. */
  #isPublicName(request: Request): boolean {
    const name = request.headers.get('host') ?? new URL(request.url).host;
    return name === this.#options.publicUrl.host;
  }

  #isFromHere(request: Request): boolean {
    const site = request.headers.get('sec-fetch-site');
    return (
      request.headers.get('origin') === this.#options.publicUrl.origin && (site === null || site === 'same-origin')
    );
  }

  get #isHttps(): boolean {
    return this.#options.publicUrl.protocol === 'https:';
  }

  get #cookieName(): string {
    return this.#isHttps ? `__Secure-${sessionCookie}` : sessionCookie;
  }

  /** It ends with the browser, and is worth nothing after its session. */
  #cookie(at: string, value: string): string {
    const secure = this.#isHttps ? '; Secure' : '';
    return `${this.#cookieName}=${value}; Path=${root}/s/${at}; HttpOnly; SameSite=Strict${secure}`;
  }
}

/** A response whose body ends when the signal fires. */
function endedBy(signal: AbortSignal, response: Response): Response {
  const reader = response.body!.getReader();
  const end = (): void => void reader.cancel();
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);
  const body = new ReadableStream({
    async pull(stream) {
      const { done, value } = await reader.read();
      if (done) stream.close();
      else stream.enqueue(value);
    },
    cancel: reason => reader.cancel(reason),
  });
  return new Response(body, response);
}
