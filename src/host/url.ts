/** What is known about a URL before anybody opens it; pure. */

/** A URL as it is shown to a person who is asked to open it. */
export interface UrlJudgement {
  /** Exactly what was sent. */
  readonly href: string;
  /** True only for a well-formed http(s) URL; others are shown and can never be opened. */
  readonly openable: boolean;
  /** The parts around the registrable domain, so that a view can make it stand out: `before + domain + after === href`. */
  readonly parts: { readonly before: string; readonly domain: string; readonly after: string };
  /** The host in readable form, where it differs (punycode). */
  readonly readableHost?: string;
  readonly warnings: readonly { readonly rule: string; readonly message: string }[];
}
