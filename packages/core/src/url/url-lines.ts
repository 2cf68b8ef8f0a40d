/** An address that a person is asked to open, as lines of text. Pure. */
import { visible } from '../text/index.ts';

/** An address, and what is known about it; see `judgeUrl` of `@midcall/host`. */
export interface JudgedAddress {
  readonly href: string;
  readonly parts: { readonly domain: string };
  readonly readableHost?: string | undefined;
  readonly warnings: readonly { readonly message: string }[];
}

/** A URL in full, with what is known about it. */
export function urlLines(url: JudgedAddress): readonly string[] {
  return [
    `  Address: ${visible(url.href, { max: 8_192 })}`,
    ...(url.parts.domain === '' ? [] : [`  Domain:  ${visible(url.parts.domain, { max: 300 })}`]),
    ...(url.readableHost === undefined ? [] : [`  Reads:   ${visible(url.readableHost, { max: 300 })}`]),
    ...url.warnings.map(warning => `  ! ${visible(warning.message, { max: 400 })}`),
  ];
}
