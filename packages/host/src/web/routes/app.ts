/** The desk as a web application: first the guard that checks every request, then the desk's own files, events, and pages. */
import { type Page, page } from '@midcall/core/page';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { appHeaders } from '../apps/index.ts';
import { draftOf, first } from '../form/index.ts';
import { isBrowserKey } from '../keeping/index.ts';
import { backLink, noticePage } from '../pages/index.ts';
import { keptTexts, texts } from '../texts/index.ts';
import { addRoutes } from './add.ts';
import { assetRoutes } from './assets.ts';
import { type Bringing, bringingOf, type Desk, missing, posted, redirect } from './context.ts';
import { type Refusal, securityHeaders } from './guard.ts';
import { offerRoutes } from './offers.ts';
import { pageRoutes } from './pages.ts';
import { preferenceRoutes } from './preferences.ts';
import { questionRoutes } from './questions.ts';
import { serverRoutes } from './servers.ts';
import { settingRoutes } from './settings.ts';
import { taskRoutes } from './tasks.ts';

/** The largest form a person may send, in bytes. */
const largestBody = 16 * 1024 * 1024;

/** The whole application. */
export function deskApp(desk: Desk): Hono {
  const { guard, assets, live } = desk;
  // The first page is the path itself, with or without a slash.
  const app = new Hono({ strict: false });
  const inside = ({ req }: Context): boolean => `${req.path}/`.startsWith(`${guard.base}/`);
  /** The path itself is not revealed to anybody who does not know it. */
  const backOf = (context: Context): string => (inside(context) ? guard.link('/') : '/');
  /** The page of a browser that has no session; its script signs it in again if it is known (guard-G5). */
  const outside = (context: Context, why: string, data: Readonly<Record<string, string>> = {}): Response => {
    const lines = [why, desk.browsers ? texts.session.link : texts.session.again];
    // Only a page that a person opens can be signed in from; a script that fetches it gets nothing to sign.
    const isOpened = (context.req.header('sec-fetch-dest') ?? 'document') === 'document';
    const nonce = desk.browsers && isOpened ? { 'data-nonce': guard.newNonce() } : {};
    // A relative redirect below the path itself would lead back to where it is.
    const modules = inside(context) && !desk.browsers ? [] : [assets.paths.usedLinkScript];
    return context.html(
      noticePage(texts.session.title, lines, assets.paths, { modules, data: { ...nonce, ...data } }),
      401,
    ) as Response;
  };
  const refuse = (context: Context, why: Refusal): Response => {
    if (why === 'session') return outside(context, texts.session.missing);
    return context.html(
      noticePage(texts.session.refused, [texts.session.foreign], assets.paths, { action: backLink(backOf(context)) }),
      403,
    );
  };

  const inner = app.basePath(guard.base);
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: context => {
        const { title, line } = keptTexts.desk.tooLarge;
        return context.html(noticePage(title, [line], assets.paths), 413, securityHeaders);
      },
    }),
  );
  app.use(async (context, next) => {
    if (!bringingOf(context)) for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    const { path } = context.req;
    const isSigningIn = path === '/sign-in';
    const open = path === '/start' || isSigningIn || path.startsWith('/assets/') || path.startsWith('/apps/');
    const why = guard.refusal(
      {
        method: context.req.method,
        host: context.req.header('host'),
        origin: context.req.header('origin'),
        site: context.req.header('sec-fetch-site'),
        cookie: inside(context) ? context.req.header('cookie') : undefined,
      },
      desk.port(),
      open ? 'nothing' : 'session',
    );
    if (why) return refuse(context, why);
    context.set('change', live.last);
    if (context.req.method !== 'POST') return next();
    const draft = draftOf(new URLSearchParams(await context.req.text()));
    if (!isSigningIn && !guard.holdsToken(first(draft, 'csrf'))) return refuse(context, 'token');
    context.set('posted', draft);
    return next();
  });

  app.get('/start', context => {
    const cookie = guard.enter(context.req.query('key') ?? '', desk.port());
    if (cookie !== undefined) {
      context.header('set-cookie', cookie);
      const question = context.req.query('question');
      const to = question === undefined ? '/' : `/questions/${encodeURIComponent(question)}`;
      return redirect(context, desk, to);
    }
    return outside(context, texts.session.used);
  });

  app.post('/sign-in', async context => {
    const draft = posted(context);
    const [x, y, nonce, signature] = ['x', 'y', 'nonce', 'signature'].map(name => first(draft, name) ?? '');
    const browsers = (await desk.browsers?.list()) ?? [];
    const cookie = guard.recognize({ x: x!, y: y!, nonce: nonce!, signature: signature! }, browsers, desk.port());
    if (cookie === undefined) return outside(context, texts.session.missing, { 'data-refused': 'true' });
    context.header('set-cookie', cookie);
    return redirect(context, desk, `/${(first(draft, 'to') ?? '').replace(/^\/+/, '')}`);
  });

  inner.post('/browsers', async context => {
    const draft = posted(context);
    const key = { x: first(draft, 'x'), y: first(draft, 'y') };
    if (!desk.browsers || !isBrowserKey(key)) return missing(context, desk);
    await desk.browsers.add(key);
    return context.body(null, 204);
  });

  assetRoutes(app, '/assets', assets);

  // Served only to the frame on our page, which has no cookie.
  app.get('/apps/:ticket', async context => {
    const document = await desk.apps.read(context.req.param('ticket'));
    context.header('x-frame-options', undefined);
    for (const [name, value] of Object.entries(appHeaders)) context.header(name, value);
    return document === undefined ? context.text(texts.app.gone, 404) : context.html(document);
  });

  inner.get('/events', context => {
    const since = Number(context.req.header('last-event-id') ?? context.req.query('since') ?? 0);
    const shownPage = context.req.query('page');
    const { url } = context.req;
    const { headers } = context.req.raw;
    context.header('content-type', 'text/event-stream');
    const from = Number.isFinite(since) ? since : 0;
    if (shownPage === undefined) return context.body(live.stream(from));
    const request = new Request(new URL(shownPage, url), { headers });
    /** The parts of the page that came with the last event. */
    let had: ReadonlySet<string> = new Set();
    /** The page that listens, as the same browser would get it, without what it has. */
    const render = async (): Promise<string | undefined> => {
      let text: string | undefined;
      const bring = (all: Page): void => {
        text = page({ ...all, body: all.body.without(had) });
        had = new Set(all.body.parts.map(({ name }) => name));
      };
      await app.fetch(request, { bring } satisfies Bringing);
      return text;
    };
    return context.body(live.stream(from, render));
  });

  pageRoutes(inner, desk);
  questionRoutes(inner, desk);
  serverRoutes(inner, desk);
  addRoutes(inner, desk);
  offerRoutes(inner, desk);
  settingRoutes(inner, desk);
  preferenceRoutes(inner, desk);
  taskRoutes(inner, desk);
  app.notFound(context => missing(context, desk));
  app.onError((error, context) => {
    desk.onError(error);
    const { broken, brokenLead, brokenSent } = texts.session;
    const lead = context.req.method === 'GET' ? brokenLead : brokenSent;
    return context.html(noticePage(broken, [lead], assets.paths, { action: backLink(backOf(context)) }), 500);
  });
  return app;
}
