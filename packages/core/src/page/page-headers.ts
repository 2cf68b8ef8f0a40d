/**
 * The headers of every page and file we serve to a browser: nothing but what is named may be loaded, nothing frames it,
 * and nothing of it is stored or passed on.
 * @param loads - the directives of the content security policy that say what the page may load
 */
export const pageHeaders = (loads: string): Readonly<Record<string, string>> => ({
  'content-security-policy': `default-src 'none'; ${loads}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
});
