/** A browser made of `fetch`: keeps cookies, reads the form of a page, and sends it as a browser would. */
export interface Look {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The heading. */
  readonly title: string;
}

export interface Visitor {
  get(url?: string, headers?: Record<string, string>): Promise<Look>;
  /** Sends the form of the page seen last. `forge` replaces headers and fields a browser would have sent. */
  send(fields: Record<string, string | readonly string[]>, forge?: Forge): Promise<Look>;
  readonly cookies: Map<string, string>;
}

export interface Forge {
  readonly headers?: Record<string, string | undefined>;
  readonly fields?: Record<string, string | undefined>;
  readonly url?: string;
}

export function visitor(url: string, cookies = new Map<string, string>()): Visitor {
  let hidden: Record<string, string> = {};
  const jar = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

  const request = async (to: string, init: RequestInit & { headers: Record<string, string> }): Promise<Look> => {
    const response = await fetch(to, { ...init, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair] = cookie.split(';') as [string];
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    if (response.status === 303) {
      await response.arrayBuffer();
      return request(new URL(response.headers.get('location')!, to).href, { headers: { cookie: jar() } });
    }
    const text = await response.text();
    hidden = Object.fromEntries(
      [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(each => [each[1]!, each[2]!]),
    );
    const title = (/<h1[^>]*>([^<]*)</.exec(text)?.[1] ?? '').replaceAll('&#39;', "'");
    return { status: response.status, text, headers: response.headers, title };
  };

  return {
    cookies,
    get: (to = url, headers = {}) => request(to, { headers: { cookie: jar(), ...headers } }),
    send(fields, forge = {}) {
      const body = new URLSearchParams();
      for (const [name, values] of Object.entries({ ...hidden, do: 'send', ...fields, ...forge.fields })) {
        for (const value of values === undefined ? [] : [values].flat()) body.append(name, value);
      }
      const to = forge.url ?? url;
      const headers = Object.entries({
        cookie: jar(),
        origin: new URL(to).origin,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
        ...forge.headers,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return request(to, { method: 'POST', headers: Object.fromEntries(headers), body: body.toString() });
    },
  };
}

/** The code in a text of the host. */
export const codeIn = (message: string): string => /code for the page: ([A-Z0-9-]+)/.exec(message)?.[1] ?? '';

/** Who opened the page of a question and entered the code that their host showed them. */
export async function pastCode({ params }: { readonly params: Readonly<Record<string, unknown>> }): Promise<Visitor> {
  const person = visitor(params['url'] as string);
  await person.get();
  await person.send({ do: 'code', code: codeIn(params['message'] as string) });
  return person;
}

/** Opens a page that wants no code, and allows what it asks. */
export async function allow(url: string): Promise<void> {
  const person = visitor(url);
  await person.get();
  await person.send({});
}
