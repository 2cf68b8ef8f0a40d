/** The routes of the pages: two per page, the style sheet and the mark, and what kinds add. */
import { hash } from 'node:crypto';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { icon } from '@midcall/core/page';
import { Hono } from 'hono';
import type { PageAsk, PagesHost } from '../request/index.ts';
import { Browsers } from './browsers.ts';
import { type PageRecords, pageDigest } from './page-records.ts';
import type { PageKind, PageView, Sent, SignIn, Visit } from './pages/page.ts';
import { style } from './pages/style.ts';
import { codePage, kindPage, leavePage, type Site, safeText } from './pages/view.ts';
import { notPressed, words } from './pages/words.ts';
import { securityHeaders, Visits } from './visits.ts';

export interface RouteOptions {
  readonly host: PagesHost;
  readonly records: PageRecords;
  readonly kinds: ReadonlyMap<string, PageKind>;
  readonly signIn: SignIn | undefined;
  readonly name: string;
  /** Where the pages are, as the person's browser sees them. */
  readonly base: () => Promise<URL>;
  /** The path below which requests arrive. */
  readonly path: string;
}

/** The most bytes, and the most fields, of a sent form. */
const maxForm = 1_048_576;
const maxFields = 20_000;
const styleName = `style-${hash('sha256', style, 'base64url').slice(0, 12)}.css`;

/** @returns the pages as one web app */
export function routes(options: RouteOptions): Hono {
  const { host, records, kinds, signIn, path } = options;
  const site: Site = { name: safeText(options.name, 200), style: `${path}/${styleName}`, icon: `${path}/icon.svg` };
  const browsers = new Browsers(host, options.base);
  const visits = new Visits({ host, records, browsers, signIn, site, name: options.name, base: options.base });
  const app = new Hono();
  const pages = new Hono();

  const file = (type: string, body: string) => () =>
    new Response(body, {
      headers: { ...securityHeaders, 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' },
    });
  pages.get(`/${styleName}`, file('text/css; charset=utf-8', style));
  pages.get('/icon.svg', file('image/svg+xml', icon));
  for (const kind of kinds.values()) kind.mount?.(pages, visits);
  signIn?.mount?.(pages, visits);

  const kindOf = (page: PageAsk): PageKind => {
    const kind = kinds.get(page.kind);
    if (kind) return kind;
    throw new MidcallError(
      'server/setup',
      `a page of kind '${page.kind}' was opened at a server that has no such kind. Give the same kinds to connect({ kinds }) ` +
        'of every server that shares the store.',
    );
  };

  pages.get('/:pageId', async context => {
    const request = context.req.raw;
    const page = await visits.open(context.req.param('pageId'));
    if (page instanceof Response) return page;
    const who = await visits.recognise(request, page);
    if (who instanceof Response) return who;
    const { browser, cookie } = await browsers.meet(request, page);
    const token = { token: browsers.formToken(browser), now: host.clock.now() };
    if (who === 'unchecked') return visits.page(codePage(site, token), 200, cookie);
    const visit = visits.visit(page, who);
    const view = await kindOf(page).show(visit);
    if (cookie !== undefined) host.audit(page.call, { kind: 'page-seen', page: pageDigest(page.pageId) });
    return visits.page(kindPage(site, visit, view, token), 200, cookie);
  });

  pages.post('/:pageId', async context => {
    const request = context.req.raw;
    const page = await visits.open(context.req.param('pageId'));
    if (page instanceof Response) return page;
    const browser = await browsers.find(request, page);
    // Nothing is read of a request that cannot come from our own page.
    const sent: Sent | undefined = browser && (await browsers.fromHere(request)) ? await readSent(request) : new Map();
    if (sent === undefined) return visits.says(words.tooLarge);
    if (!browser || !browsers.holds(browser, sent.get('form-token')?.[0])) {
      // The code was already entered in another tab of this browser: no attempt is counted, and the page is shown.
      if (browser?.checked && sent.get('do')?.[0] === 'code') return visits.back(page.pageId);
      if (await browsers.keepsNone(request, page)) {
        visits.audit(page, 'no-cookie');
        return visits.says(words.noCookie((await options.base()).hostname));
      }
      visits.audit(page, 'forged');
      return visits.says(words.forged);
    }
    if (page.check === 'sign-in' && sent.get('do')?.[0] === 'other-person') {
      return visits.asSomebodyElse(request, page);
    }
    const who = await visits.recognise(request, page);
    if (who instanceof Response) return who;
    if (who === 'unchecked') return visits.tryCode(page, browser, (sent.get('code')?.[0] ?? '').slice(0, 40));
    const visit = visits.visit(page, who);
    if (sent.get('do')?.[0] === 'decline') return visits.decline(visit);
    return take(visit, page, sent, browsers.formToken(browser));
  });

  async function take(visit: Visit, page: PageAsk, sent: Sent, token: string): Promise<Response> {
    const kind = kindOf(page);
    const again = (view: PageView, status: number): Response =>
      visits.page(kindPage(site, visit, view, { token, now: host.clock.now() }), status);
    const step = await kind.submit(visit, sent);
    if ('again' in step) return again(step.again, 422);
    // Only the submit button submits. Any other button, or none, counts as no consent.
    if (sent.get('do')?.[0] !== 'send') return again({ ...(await kind.show(visit)), problem: notPressed }, 400);
    if ('finish' in step) return visits.finish(visit, step.finish);
    return visits.page(leavePage(site, step.leave.to, step.leave.says));
  }

  pages.notFound(() => visits.says(words.notHere));
  // What a page does once its turn was taken does not come here if it fails.
  pages.onError((error, context) => {
    const isForm = context.req.method === 'POST';
    if (isMidcallError(error, 'store/unavailable')) {
      host.warn(`midcall connect: ${error.message}`);
      return visits.says(isForm ? words.away : words.awayLook);
    }
    // The message of an error may contain what was sent, so only its name is logged.
    const why = isMidcallError(error, 'server/setup') ? error.message : `a page failed (${error.name}).`;
    host.warn(`midcall connect: ${why}`);
    return visits.says(isForm ? words.broken : words.brokenLook);
  });
  app.route(path === '' ? '/' : path, pages);
  app.notFound(() => visits.says(words.notHere));
  return app;
}

const bodyGone = (): MidcallError =>
  new MidcallError(
    'server/setup',
    'a form arrived without its body, since something in front of the pages has read it. Mount the pages before it, or pass ' +
      'on what it read, with the names of the fields as they were sent: express.urlencoded({ extended: false }), or ' +
      'pages.handle(req, res, body).',
  );

/** Reads a form; undefined if it is too large or has too many fields. */
async function readSent(request: Request): Promise<Sent | undefined> {
  const type = request.headers.get('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) return new Map();
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > maxForm) return undefined;
  if (request.bodyUsed) throw bodyGone();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxForm) return undefined;
    chunks.push(chunk);
  }
  if (declared > 0 && size === 0) throw bodyGone();
  const text = Buffer.concat(chunks).toString('utf8');
  // Counted first: URLSearchParams takes seconds over a megabyte of fields from Node 24 on.
  if (text.split('&', maxFields + 1).length > maxFields) return undefined;
  const sent = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = sent.get(name);
    if (values) values.push(value);
    else sent.set(name, [value]);
  }
  return sent;
}
