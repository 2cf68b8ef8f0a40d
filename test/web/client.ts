/** A visitor without a browser: keeps the cookie, sends what a page of the desk would send. */
import { request } from 'node:http';
import type { RunningDesk } from '@midcall/host/web';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Outside the path that all pages of a desk lie below. */
const outside = /^\/(?:start|assets)(?:[/?]|$)/;

/** One request, with exactly these headers. Pages are named, and named in the answer, by their path below the desk's own. */
export function visit(
  desk: RunningDesk,
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answered> {
  const base = new URL(desk.url).pathname.slice(0, -1);
  const url = new URL(path.startsWith('/') && !outside.test(path) ? `${base}${path}` : path, desk.url);
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, ...options.headers };
    const outgoing = request(url, { method: options.method ?? 'GET', headers }, incoming => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', chunk => (text += chunk));
      incoming.on('end', () => {
        const { location } = incoming.headers;
        const headers = { ...incoming.headers, ...(location && { location: location.replace(base, '') }) };
        resolve({ status: incoming.statusCode ?? 0, headers, text: text.replaceAll(`${base}/`, '/') });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

/** A visitor who came through the start link. */
export async function enter(desk: RunningDesk) {
  const started = await visit(desk, desk.startUrl());
  const cookie = String(started.headers['set-cookie']).split(';')[0]!;
  const { origin } = new URL(desk.url);
  const get = (path: string) => visit(desk, path, { headers: { cookie } });
  const csrf = /name="csrf" value="([^"]+)"/.exec((await get('/add')).text)![1]!;
  const post = (
    path: string,
    fields: Record<string, string> | readonly (readonly [string, string])[],
    headers: Record<string, string> = {},
  ) =>
    visit(desk, path, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(
        Array.isArray(fields) ? [['csrf', csrf], ...fields] : Object.entries({ csrf, ...fields }),
      ).toString(),
    });
  return { started, cookie, csrf, origin, get, post };
}
