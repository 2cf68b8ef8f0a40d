/** The only value of a cookie; two of one name count as none, since one of them was planted. */
export function onlyCookie(request: Request, name: string): string | undefined {
  const values = (request.headers.get('cookie') ?? '')
    .split(/;\s*/u)
    .filter(each => each.startsWith(`${name}=`))
    .map(each => each.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/** Leads a browser on, with cookies. */
export function seeOther(location: string, cookies: readonly string[] = []): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  for (const each of cookies) headers.append('set-cookie', each);
  return new Response(null, { status: 303, headers });
}
