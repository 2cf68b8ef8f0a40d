/** True for a host that is this machine: `localhost` or an address of loopback, an IPv6 one with or without brackets. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/u.test(host);

/** True for https, and for http that does not leave this machine: nobody in between can read or change what is sent. */
export const isConfidential = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
