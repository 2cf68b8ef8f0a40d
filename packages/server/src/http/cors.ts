/**
 * Pages of other sites that may call an endpoint (fetch standard, "CORS protocol"). A browser lets a page read what it gets only
 * if the response names the page's origin, and asks in advance whether the page may send JSON at all.
 *
 * - cors-C1 Only origins that the operator named are answered in this way. Pages of this machine are not: any program can serve
 *   one.
 */
import { validateOriginHeader } from '@modelcontextprotocol/server';

/** Serves one request. */
type Serve<Context extends object> = (request: Request, context?: Context) => Promise<Response>;

/** What a page may read of a response besides its body. */
const readable = 'mcp-session-id, www-authenticate, retry-after';
/** How many seconds a browser remembers that a page may call. */
const rememberedSeconds = '600';

/**
 * Serves pages, too.
 * @param fetch - serves all other requests
 * @param path - of the endpoint
 * @param allowedOrigins - the host names of the pages
 * @param methods - what the endpoint serves
 */
export function servingPages<Context extends object>(
  fetch: Serve<Context>,
  path: string,
  allowedOrigins: readonly string[],
  methods: readonly string[],
): Serve<Context> {
  if (allowedOrigins.length === 0) return fetch;
  return async (request, context) => {
    const origin = request.headers.get('origin');
    const isFromPage = origin !== null && validateOriginHeader(origin, [...allowedOrigins]).ok;
    if (!isFromPage || new URL(request.url).pathname !== path) return fetch(request, context);
    const asked = request.headers.get('access-control-request-method');
    const response =
      request.method === 'OPTIONS' && asked !== null
        ? new Response(null, { status: 204, headers: preflight(request.headers, methods) })
        : await fetch(request, context);
    return readableBy(origin, response);
  };
}

function preflight(headers: Headers, methods: readonly string[]): Headers {
  const answer = new Headers({
    'access-control-allow-methods': methods.join(', '),
    'access-control-max-age': rememberedSeconds,
  });
  const names = headers.get('access-control-request-headers');
  // Which ones a client sends depends on its revision and on the tool (`Mcp-Param-…`).
  if (names !== null) answer.set('access-control-allow-headers', names);
  if (headers.get('access-control-request-private-network') === 'true')
    answer.set('access-control-allow-private-network', 'true');
  return answer;
}

function readableBy(origin: string, response: Response): Response {
  const { body, status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', readable);
  headers.append('vary', 'origin');
  return new Response(body, { status, statusText, headers });
}
