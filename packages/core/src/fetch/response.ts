/** Responses of HTTP servers, as fetch gives them. */

/** True for a stream of events. Another type may begin with the same word. */
export const isEventStream = ({ headers }: Pick<Response, 'headers'>): boolean =>
  /^text\/event-stream\s*(?:;|$)/iu.test(headers.get('content-type') ?? '');

/** The same response, whose body comes through a stream. */
export function piped(response: Response, through: TransformStream<Uint8Array, Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const body = response.body?.pipeThrough(through) ?? null;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}
