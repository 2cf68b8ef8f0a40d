/** The pages of a server: which kinds there are, where they are served, and how a visitor is known. */

import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MidcallError } from '@midcall/core/errors';
import { restoreBody } from '@midcall/core/fetch';
import { bodyOf, contained, openUrl, originalUrl } from '@midcall/core/node';
import {
  anything,
  checkOptions,
  count,
  func,
  having,
  type Kinds,
  listOf,
  name,
  port,
  required,
} from '@midcall/core/options';
import { isConfidential } from '@midcall/core/url';
import type { Hono } from 'hono';
import type { PageAsk, PageLink, PageService, Pages, PagesHost, PersonCheck } from '../request/index.ts';
import { OpenPages } from './open-pages.ts';
import { newCode, newPageId, PageRecords } from './page-records.ts';
import { PageServer, type Reach, reach, reachNote } from './page-server.ts';
import { confirmKind } from './pages/confirm.ts';
import { formKind } from './pages/form.ts';
import type { Keeper, PageKind, SignIn } from './pages/page.ts';
import { questionKind } from './pages/question.ts';
import { secretKind, secretKindName } from './pages/secret.ts';
import { wizardKind } from './pages/wizard.ts';

/** What `connect()` takes. */
export interface ConnectOptions {
  /** The name of the server, in the operator's words: the heading of every page. */
  readonly name: string;
  /**
   * Where people reach the pages, such as `https://notes.example.com/connect` (`/connect` is the path if it has none). Mount
   * them there with `fetch` or `handle`; requests must arrive with the whole path, even behind a proxy. Headers added by a
   * proxy are ignored: links, cookies and the `Origin` check use only this address. If absent, the pages are served on this
   * machine's loopback, which suits servers on stdio.
   */
  readonly baseUrl?: string | URL;
  /** Signs people in over HTTP; without it a page's answer is at most `in-band` there. */
  readonly signIn?: SignIn;
  /** Where `secret` pages store what was entered. */
  readonly vault?: Keeper;
  /** Kinds of the author's own, and those of providers. */
  readonly kinds?: readonly PageKind[];
  /**
   * The maximum number of pages open for one person at a time, in all processes that share the store; 32 if absent. An ask
   * beyond that ends its call with `connect/limit`. Calls without a known person (HTTP without `principal`) are not counted.
   */
  readonly maxOpen?: number;
  /** The loopback page server's port; 0, any free one, if absent. */
  readonly port?: number;
  /** Opens a browser on this machine; false if it cannot. The system's own if absent. */
  readonly openBrowser?: (url: string) => Promise<boolean>;
  /** Whether this machine's loopback reaches the person; judged from the environment if absent. */
  readonly reach?: Reach;
}

/** Pages, to be given to `midcall({ pages })`. */
export interface Connect extends Pages {
  /** Serves a request for a page; 404 for other paths. For any web framework. */
  fetch(request: Request): Promise<Response>;
  /**
   * Serves a request for a page of a Node server, or of a framework that uses its requests.
   * @param parsedBody - what a parser has read, if it is not in `req.body`. A function, such as Express's `next`, is ignored
   */
  handle(req: IncomingMessage, res: ServerResponse, parsedBody?: unknown): Promise<void>;
  /** The port of the loopback page server, while it runs. */
  readonly port: number | undefined;
  /** Stops the loopback page server. */
  close(): Promise<void>;
}

const optionKinds: Kinds<ConnectOptions> = {
  name: required(name),
  baseUrl: { words: 'an address', fits: value => typeof value === 'string' || value instanceof URL },
  signIn: having('what signIn(…) made', 'begin', 'principal'),
  vault: having('a vault: vault({ store })', 'put', 'get'),
  kinds: listOf(having('a kind of page: { name, show, submit }', 'show', 'submit')),
  maxOpen: count,
  port,
  openBrowser: func,
  reach: anything,
};

const notAttached = 'These pages have no server yet: pass them to midcall({ pages }).';

/**
 * @throws MidcallError `server/setup` for a base URL that is not an http(s) address or is plain http to another machine, or for
 *   two kinds of page with one name
 * @example
 * ```ts
 * const pages = connect({ name: 'Notes', baseUrl: 'https://notes.example.com/connect' });
 * const mid = midcall({ key, store, pages });
 * ```
 */
export function connect(options: ConnectOptions): Connect {
  checkOptions('connect', options, optionKinds);
  const base = options.baseUrl === undefined ? undefined : readBase(options.baseUrl);
  const path = base === undefined ? '/connect' : base.pathname;
  const kinds = kindsOf(options);
  const where =
    options.reach ?? reach({ environment: process.env, platform: process.platform, container: inContainer() });
  let attached: { readonly service: PageService; readonly serve: (request: Request) => Promise<Response> } | undefined;
  let pageServer: PageServer | undefined;

  const fetch = async (request: Request): Promise<Response> => {
    if (!attached) return new Response(notAttached, { status: 503 });
    return attached.serve(request);
  };

  function attach(host: PagesHost): PageService {
    if (attached)
      throw new MidcallError('server/setup', 'These pages already belong to a server: make others with connect().');
    const records = new PageRecords(host);
    const { clock } = host;
    const server = new PageServer({ fetch, clock, port: options.port ?? 0 });
    pageServer = server;
    const open = new OpenPages({
      most: options.maxOpen ?? 32,
      host,
      isUntaken: page => records.isUntaken(page),
    });
    const at = (port: number): URL => base ?? new URL(`http://127.0.0.1:${port}${path}`);
    // Loaded with the first request: most servers that offer pages never show one.
    let app: Promise<Hono> | undefined;
    const load = async (): Promise<Hono> =>
      (await import('./routes.ts')).routes({
        host,
        records,
        kinds,
        signIn: options.signIn,
        name: options.name,
        base: async () => at(base ? 0 : (server.port ?? (await server.listen('', clock.now())))),
        path,
      });
    const serve = async (request: Request): Promise<Response> => {
      app ??= load();
      return (await app).fetch(request);
    };

    const service: PageService = {
      newPageId,
      newCode,
      checkFor({ principal, http, mayShowCode }): PersonCheck {
        if (options.signIn && principal?.issuer === options.signIn.issuer) return 'sign-in';
        return !http && mayShowCode ? 'code' : 'none';
      },
      async open(ask: PageAsk): Promise<PageLink> {
        if (!kinds.has(ask.kind)) {
          throw new MidcallError(
            'server/setup',
            ask.kind === secretKindName
              ? 'What is entered on a page of secret(…) goes into a vault, and these pages have none. Give it to connect({ vault: vault(…) }).'
              : `There is no page of kind '${ask.kind}'. Give it to connect({ kinds }).`,
          );
        }
        if (!base && where.kind === 'nobody') {
          throw new MidcallError(
            'connect/unavailable',
            `This server has no page to offer: ${where.why}. Give connect a baseUrl under which people reach it.`,
          );
        }
        const root = await open.open(ask, async () => {
          const served = at(base ? 0 : await server.listen(ask.pageId, ask.dueAt));
          await records.issue(ask);
          return served;
        });
        const note = base ? undefined : reachNote(where, server.port ?? 0);
        return { url: `${root.href.replace(/\/$/, '')}/${ask.pageId}`, ...(note === undefined ? {} : { note }) };
      },
      local: !base && where.kind === 'here' && where.browser,
      showLocally: ({ url }) => (options.openBrowser ?? openUrl)(url),
      async outcome(pageId, ms, signal) {
        const outcome = await records.outcome(pageId, ms, signal);
        if (outcome) server.release(pageId);
        return outcome;
      },
      async withdraw(pageId, isTold = false) {
        server.release(pageId);
        const page = await records.find(pageId);
        const isWithdrawn = page !== undefined && (await records.takeTurn(page, 'withdrawn'));
        if (page && isWithdrawn && isTold)
          await records.settle(page, { action: 'cancel', reason: 'error', assurance: 'in-band', at: clock.now() });
        return isWithdrawn;
      },
      async endUnanswered(pageId) {
        const page = await records.find(pageId);
        if (!page || (await records.takeTurn(page, 'expired'))) return true;
        // A no and a lock do nothing, even if they could not be recorded.
        return !['underWay', 'used', 'failed'].includes(await records.standing(page));
      },
      close: () => server.close(),
    };
    attached = { service, serve };
    return service;
  }

  return {
    attach,
    fetch,
    handle: contained(async (req, res, parsed?: unknown) => {
      const { getRequestListener } = await import('@hono/node-server');
      const body = bodyOf(req, parsed);
      const { url } = req;
      req.url = originalUrl(req);
      const serve = (request: Request) => fetch(restoreBody(request, body));
      const sent = getRequestListener(serve, { overrideGlobalObjects: false })(req, res);
      req.url = url;
      await sent;
    }),
    get port() {
      return pageServer?.port;
    },
    close: async () => pageServer?.close(),
  };
}

function kindsOf({ kinds = [], vault }: ConnectOptions): ReadonlyMap<string, PageKind> {
  const all = new Map<string, PageKind>();
  for (const kind of [
    questionKind,
    wizardKind,
    confirmKind,
    formKind,
    ...(vault ? [secretKind(vault)] : []),
    ...kinds,
  ]) {
    if (all.has(kind.name))
      throw new MidcallError('server/setup', `There are two kinds of page called '${kind.name}'.`);
    all.set(kind.name, kind);
  }
  return all;
}

/** Checks the base URL: no query, fragment or user; strips a trailing slash. */
function readBase(configured: string | URL): URL {
  let url: URL;
  try {
    url = new URL(configured);
  } catch {
    throw new MidcallError('server/setup', 'baseUrl must be a web address, such as https://notes.example.com/connect.');
  }
  if (!isConfidential(url)) {
    throw new MidcallError('server/setup', 'baseUrl must begin with https://, or http:// on this machine.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new MidcallError('server/setup', 'baseUrl must have no user, password, query or fragment.');
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '') || '/connect';
  // Other characters are patterns to a router, or can be written in more than one way.
  if (!/^(?:\/[\w.~-]+)+$/.test(path)) {
    throw new MidcallError(
      'server/setup',
      'The path of baseUrl may have letters, digits and - . _ ~ between its slashes.',
    );
  }
  return new URL(path, url.origin);
}

const inContainer = (): boolean => existsSync('/.dockerenv') || existsSync('/run/.containerenv');
