/** A browser without a screen: follows redirects with cookies, so that a flow through a real provider takes milliseconds. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #web: (url: URL, init: RequestInit) => Promise<Response>;

  /** @param web - how it reaches servers; the network where absent */
  constructor(web: (url: URL, init: RequestInit) => Promise<Response> = fetch) {
    this.#web = web;
  }

  /** Cookies by origin's host, as browsers keep them: ports share. */
  #jar(url: URL): Map<string, string> {
    const jar = this.#cookies.get(url.hostname) ?? new Map<string, string>();
    this.#cookies.set(url.hostname, jar);
    return jar;
  }

  /** One request. */
  async send(to: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(to);
    const jar = this.#jar(url);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await this.#web(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/iu.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** The cookies of a host, to steal or to plant. */
  cookies(host: string): Map<string, string> {
    return this.#jar(new URL(`http://${host}`));
  }

  /** Sends the one form of a page, as its buttons would. */
  async submit(page: string | URL, fields: Record<string, string> = {}): Promise<Response> {
    const { url, response } = await this.follow(page);
    const markup = (await response?.text()) ?? '';
    const hidden = [...markup.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/gu)];
    return this.send(url, {
      method: 'POST',
      headers: { origin: url.origin, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        ...Object.fromEntries(hidden.map(([, name, value]) => [name, value])),
        do: 'send',
        ...fields,
      }).toString(),
    });
  }

  /** Follows redirects until there are none, or until one leads to an address that starts with `until`. */
  async follow(to: string | URL, until?: string): Promise<{ url: URL; response?: Response }> {
    let url = new URL(to);
    for (let hop = 0; hop < 20; hop++) {
      if (until !== undefined && url.href.startsWith(until)) return { url };
      const response = await this.send(url);
      const location = response.headers.get('location');
      if (location === null || response.status < 300 || response.status > 399) return { url, response };
      await response.body?.cancel();
      url = new URL(location, url);
    }
    throw new Error('too many redirects');
  }
}
