/**
 * The address on this machine that the person's browser returns to with an authorization code (RFC 8252, section 7.3).
 *
 * - callback-L1 It listens on loopback only, accepts GET at one path under one host name, and redirects nowhere.
 * - callback-L2 Only the state of this sign-in is accepted, and only once; any other has no effect.
 * - callback-L3 The browser shows how the sign-in ended, not only that it returned.
 * - callback-L4 Neither a sign-in that nobody finishes nor a connection of a browser keeps the process alive.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpListener, isSameSecret, listenHttp, readTarget } from '@midcall/core/node';
import { brandMark, html, icon, page, pageHeaders, tokens } from '@midcall/core/page';
import { visible } from '@midcall/core/text';

/** The parameters that the browser returned with. */
export interface Callback {
  readonly parameters: URLSearchParams;
  /** Shows in the browser how the sign-in ended. @param problem - why the person is not signed in; absent if they are */
  answer(problem?: string): void;
}

const path = '/callback';

/** Listens for one sign-in. */
export class CallbackListener {
  /** Set before the first request can come. */
  #http!: HttpListener;
  #expected: { readonly state: string; readonly take: (callback: Callback) => void } | undefined;

  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  /**
   * Starts to listen.
   * @param port - a free one if absent
   * @param name - how the redirect URI calls this machine
   * @returns undefined if the port is taken
   */
  static async open(port = 0, name: '127.0.0.1' | 'localhost' = '127.0.0.1'): Promise<CallbackListener | undefined> {
    const listener = new CallbackListener(name);
    try {
      listener.#http = await listenHttp((...request) => listener.#heard(...request), { port, unref: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' || code === 'EACCES') return undefined;
      throw error;
    }
    return listener;
  }

  get #host(): string {
    return `${this.#name}:${this.#http.port}`;
  }

  get redirectUri(): string {
    return `http://${this.#host}${path}`;
  }

  /** Resolves the first time the browser returns with this state (callback-L2). */
  awaited(state: string): Promise<Callback> {
    return new Promise(take => {
      this.#expected = { state, take };
    });
  }

  close(): void {
    this.#expected = undefined;
    this.#http.server.close();
    this.#http.server.closeIdleConnections();
  }

  #heard(request: IncomingMessage, response: ServerResponse): void {
    const send = (status: number, title: string, lines: readonly string[]): void => {
      response.writeHead(status, { ...callbackHeaders, connection: 'close' });
      response.end(request.method === 'HEAD' ? undefined : callbackPage(title, lines));
    };
    const target = readTarget(request);
    const url = target && new URL(`http://${this.#host}${target.path}`);
    if (!target || target.host !== this.#host || url?.pathname !== path || request.method !== 'GET')
      return void send(404, 'Nothing here', ['This address receives the end of a sign-in.']);
    const states = url.searchParams.getAll('state');
    const pending = this.#expected;
    if (!pending || states.length !== 1 || !isSameSecret(states[0]!, pending.state))
      return void send(400, 'Not this sign-in', [
        'This sign-in was not started here, or it is over. Nothing was changed. If you are signing in now, start again from the question.',
      ]);
    this.#expected = undefined;
    pending.take({
      parameters: url.searchParams,
      answer: problem =>
        problem === undefined
          ? send(200, 'You are signed in', ['You can close this page. The call that needed it continues.'])
          : send(400, 'You are not signed in', [problem]),
    });
  }
}

/** The style of the page that the browser shows when it returns from the authorization server. */
const style = `${tokens}
body{margin:0;font:16px/1.5 system-ui,sans-serif}main{max-width:34rem;margin:12vh auto;padding:0 1.5rem}
.brand-mark{vertical-align:-6px;margin-right:.5rem}.brand-box{fill:var(--accent)}.brand-line{stroke:var(--accent-ink)}h1{font-size:1.4rem}`;

const dataUrl = (type: string, text: string): string => `data:${type};base64,${Buffer.from(text).toString('base64')}`;

/** The page fetches nothing and sends no referrer: its address contains the code. */
const callbackHeaders: Readonly<Record<string, string>> = {
  ...pageHeaders('style-src data:; img-src data:'),
  'referrer-policy': 'no-referrer',
  'content-type': 'text/html; charset=utf-8',
};

/**
 * A whole page.
 * @param lines - what happened, in our words; foreign text in them is made visible here
 */
function callbackPage(title: string, lines: readonly string[]): string {
  return page({
    title: `${title} · Midcall`,
    icon: dataUrl('image/svg+xml', icon),
    styles: [dataUrl('text/css', style)],
    body: html`<main><p>${brandMark}Midcall</p><h1>${title}</h1>${lines.map(
      line => html`<p>${visible(line, { max: 1_000 })}</p>`,
    )}</main>`,
  });
}
