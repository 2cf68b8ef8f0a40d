import { isConfidential } from '@midcall/core/url';

/** https, or http on this machine; a name below `localhost` is this machine's too (RFC 6761, section 6.3). */
export const isSafeEndpoint = (url: URL): boolean =>
  isConfidential(url) || (url.protocol === 'http:' && url.hostname.endsWith('.localhost'));
