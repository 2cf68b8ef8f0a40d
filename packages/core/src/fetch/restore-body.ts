/** Gives a request its body back, after a parser has read it. */

/**
 * @param parsed - what the parser made of the body; undefined if nothing has read it
 * @returns the request itself if it has its body, or if the body cannot be made from `parsed`
 */
export function restoreBody(request: Request, parsed: unknown): Request {
  const body = textOf(parsed, request.headers.get('content-type') ?? '');
  if (body === undefined) return request;
  const { url, method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body });
}

function textOf(parsed: unknown, type: string): string | Uint8Array<ArrayBuffer> | undefined {
  if (typeof parsed === 'string') return parsed;
  if (parsed instanceof Uint8Array) return new Uint8Array(parsed);
  if (parsed === undefined) return undefined;
  if (/^application\/x-www-form-urlencoded\b/iu.test(type)) return formText(parsed);
  return /^application\/(?:[\w.-]+\+)?json\b/iu.test(type) ? JSON.stringify(parsed) : undefined;
}

/** Undefined for a parser that has changed the names of fields, such as `a[b]` to an object in `a`. */
function formText(parsed: unknown): string | undefined {
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parsed)) {
    for (const each of [value].flat()) {
      if (typeof each !== 'string') return undefined;
      form.append(name, each);
    }
  }
  return form.toString();
}
