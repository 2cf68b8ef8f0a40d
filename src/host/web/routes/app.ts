/** The desk as a web application: the guard in front of every request, the desk's own files, events, then the pages. */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { first } from '../form/draft.ts';
import { type Refusal, securityHeaders } from '../guard.ts';
import { plainPage } from '../pages/layout.ts';
import { texts } from '../texts/texts.ts';
import { type Desk, missing, posted } from './context.ts';
import { pageRoutes } from './pages.ts';
import { questionRoutes } from './questions.ts';
import { serverRoutes } from './servers.ts';
import { settingRoutes } from './settings.ts';

/** The largest form a person may send, in bytes. */
const largestBody = 16 * 1024 * 1024;

/** The whole application. */
export function deskApp(desk: Desk): Hono {
  const { guard, assets, live } = desk;
  const app = new Hono();
  const refuse = (context: Context, why: Refusal): Response => {
    if (why === 'session') {
      return context.html(
        plainPage(texts.session.title, [texts.session.missing, texts.session.again], assets.paths),
        401,
      );
    }
    return context.html(plainPage(texts.session.refused, [texts.session.foreign], assets.paths, true), 403);
  };

  app.use(bodyLimit({ maxSize: largestBody }));
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
    const open = context.req.path === '/start' || context.req.path.startsWith('/assets/');
    const why = guard.refusal(
      {
        method: context.req.method,
        host: context.req.header('host'),
        origin: context.req.header('origin'),
        site: context.req.header('sec-fetch-site'),
        cookie: context.req.header('cookie'),
      },
      desk.port(),
      open ? 'nothing' : 'session',
    );
    if (why) return refuse(context, why);
    if (context.req.method === 'POST' && !guard.holdsToken(first(await posted(context), 'csrf')))
      return refuse(context, 'token');
    return next();
  });

  app.get('/start', context => {
    const cookie = guard.enter(context.req.query('key') ?? '', desk.port());
    if (cookie !== undefined) context.header('set-cookie', cookie);
    if (cookie !== undefined || guard.hasSession(context.req.header('cookie'), desk.port())) {
      const question = context.req.query('question');
      return context.redirect(question === undefined ? '/' : `/questions/${encodeURIComponent(question)}`, 303);
    }
    return context.html(plainPage(texts.session.title, [texts.session.used, texts.session.again], assets.paths), 401);
  });

  app.get('/assets/*', context => {
    const asset = assets.get(context.req.path);
    if (!asset) return context.notFound();
    context.header('content-type', asset.type);
    context.header('cache-control', asset.lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
    return context.body(asset.body);
  });

  app.get('/events', context => {
    const since = Number(context.req.header('last-event-id') ?? context.req.query('since') ?? 0);
    context.header('content-type', 'text/event-stream');
    return context.body(live.stream(Number.isFinite(since) ? since : 0));
  });

  pageRoutes(app, desk);
  questionRoutes(app, desk);
  serverRoutes(app, desk);
  settingRoutes(app, desk);
  app.notFound(context => missing(context, desk));
  app.onError((error, context) => {
    desk.onError(error);
    return context.html(plainPage(texts.session.broken, [texts.session.brokenLead], assets.paths, true), 500);
  });
  return app;
}
