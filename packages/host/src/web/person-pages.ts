/** The inboxes of persons as pages, for whoever serves them and has signed the person in: `midcall bridge --http … --inbox`. */
import { anything, checkOptions, func, type Kinds, name, required } from '@midcall/core/options';
import { type Clock, clockKind, systemClock } from '@midcall/core/time';
import { Hono } from 'hono';
import { clientFolder } from './client-folder.ts';
import { type PersonNotice, personApp, personHeaders, personNotice, type Visitor } from './person/index.ts';
import { assetRoutes, loadPersonAssets } from './routes/index.ts';

/** How the pages of inboxes are served. */
export interface PersonPagesOptions {
  readonly clock?: Clock;
  /** The path of scripts and styles, without a slash at its end, such as `/inbox/assets`. */
  readonly assets: string;
  /** The folder of the bundled client scripts; that of this package if absent. */
  readonly client?: URL;
  /** Called with what failed while a page was made; the person gets a page that says so. */
  readonly onError?: (error: unknown) => void;
}

const kinds: Kinds<PersonPagesOptions> = {
  clock: clockKind,
  assets: required(name),
  client: anything,
  onError: func,
};

/** The pages of the inboxes of all persons. */
export interface PersonPages {
  /** Answers a request at or below the visitor's base; where something fails, by a page that says so. */
  handle(request: Request, visitor: Visitor): Promise<Response>;
  /** A script, style sheet or icon; undefined if there is none at that path. */
  asset(request: Request): Promise<Response | undefined>;
  /** A page outside a session, in the same dress. */
  notice(what: PersonNotice): Response;
  /** Ends every stream of events. */
  close(): void;
}

/**
 * Makes the pages on which persons find what servers ask them, and answer. Who the person is, and that a request comes from their own
 * browser, is checked by the caller.
 * @example
 * ```ts
 * const pages = personPages({ assets: '/inbox/assets' });
 * const answer = async (request: Request): Promise<Response> =>
 *   (await pages.asset(request)) ?? pages.notice({ title: 'Sign in', lines: [], action: { path: '/inbox/sign-in', label: 'Sign in' } });
 * ```
 */
export function personPages(options: PersonPagesOptions): PersonPages {
  checkOptions('personPages', options, kinds);
  const { clock = systemClock, onError = () => {} } = options;
  const assets = loadPersonAssets(options.client ?? clientFolder, options.assets);
  const { app, close } = personApp({ assets, clock, onError });
  const files = new Hono();
  files.use(async (context, next) => {
    await next();
    for (const [header, value] of Object.entries(personHeaders))
      if (header !== 'cache-control') context.header(header, value);
  });
  assetRoutes(files, options.assets, assets);
  return {
    handle: async (request, visitor) => app.fetch(request, { visitor }),
    asset: async request =>
      assets.get(new URL(request.url).pathname) === undefined ? undefined : files.fetch(request),
    notice: what => personNotice(what, assets.paths),
    close,
  };
}
