import { visible } from '../text/index.ts';

/** True for a host that is this machine: `localhost` or an address of loopback, an IPv6 one with or without brackets. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/u.test(host);

/** True for https, and for http that does not leave this machine: nobody in between can read or change what is sent. */
export const isConfidential = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));

/** An address, and what is known about it; see `judgeUrl` of `@midcall/host`. */
export interface JudgedAddress {
  readonly href: string;
  readonly parts: { readonly domain: string };
  readonly readableHost?: string | undefined;
  readonly warnings: readonly { readonly message: string }[];
}

/** A URL that a person is asked to open, in full and with what is known about it, as lines of text. */
export function urlLines(url: JudgedAddress): readonly string[] {
  return [
    `  Address: ${visible(url.href, { max: 8_192 })}`,
    ...(url.parts.domain === '' ? [] : [`  Domain:  ${visible(url.parts.domain, { max: 300 })}`]),
    ...(url.readableHost === undefined ? [] : [`  Reads:   ${visible(url.readableHost, { max: 300 })}`]),
    ...url.warnings.map(warning => `  ! ${visible(warning.message, { max: 400 })}`),
  ];
}
