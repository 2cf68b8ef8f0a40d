/** Lists of scopes, which servers and authorization servers name: separated by spaces, untrusted. Pure. */

/** The most characters of a list of scopes; it becomes a part of the address of the sign-in page, and is shown to the person. */
const longestScopes = 4_000;

/** As many whole scopes from the beginning of a list as fit; the rest is not asked for. */
export function withinScopes(scopes: string): string {
  if (scopes.length <= longestScopes) return scopes;
  const end = scopes.lastIndexOf(' ', longestScopes);
  return end < 0 ? '' : scopes.slice(0, end);
}
