/** A visitor without a browser: keeps the cookie, sends what a page of the desk would send. */
import { request } from 'node:http';
import type { RunningDesk } from 'midcall/host/web';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One request, with exactly these headers. */
export function visit(
  desk: RunningDesk,
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answered> {
  const url = new URL(path, desk.url);
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, ...options.headers };
    const outgoing = request(url, { method: options.method ?? 'GET', headers }, incoming => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', chunk => (text += chunk));
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
    });
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

/** A visitor who came through the start link. */
export async function enter(desk: RunningDesk) {
  const started = await visit(desk, desk.startUrl());
  const cookie = String(started.headers['set-cookie']).split(';')[0]!;
  const origin = desk.url.slice(0, -1);
  const get = (path: string) => visit(desk, path, { headers: { cookie } });
  const csrf = /name="csrf" value="([^"]+)"/.exec((await get('/add')).text)![1]!;
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    visit(desk, path, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ csrf, ...fields }).toString(),
    });
  return { started, cookie, csrf, origin, get, post };
}
