/**
 * What is known about a URL before anybody opens it; pure. Nothing is fetched or resolved.
 *
 * The parts shown are those of the text that was sent, so that a person sees what would be opened and not what a parser made of
 * it; a difference between the two is a warning.
 */

import { domainToUnicode } from 'node:url';
import { hides } from '@midcall/core/text';
import { isLoopback } from '@midcall/core/url';
import { parse } from 'tldts';
import { latinReading, mixedScripts, skeleton } from './confusable.ts';

/** Signs that are part of ordinary names: the Catalan, Greek, Hebrew and Japanese ones IDNA knows (RFC 5892, A). */
const ordinary = /[·͵׳״・]/gu;

/** Matches what is no letter, mark or digit. */
const noLetter = /[^\p{L}\p{M}\p{N}._-]/u;

/** Kana and Han strokes that pass for a slash or a dash where they touch a Latin letter. */
const strokes = /\p{Script=Latin}[ノソンゾ丶丿〳〵一ー〆]|[ノソンゾ丶丿〳〵一ー〆]\p{Script=Latin}/u;

/** Latin letters of phonetic and medieval writing, except those of alphabets in use today. */
const phonetic = /(?![ɓɔɖɗəɛɣɨɩɲʉʊʋʒ])[\u0250-\u02AF\u1D00-\u1DBF\uA720-\uA7FF\uAB30-\uAB6F]/u;

/**
 * True if a host name, in readable form, contains characters that are not ordinary writing: those that pass for a slash, a dash
 * or a letter. By rule, not by list; browsers' address bars and registries refuse most of them.
 */
function oddSigns(host: string): boolean {
  return noLetter.test(host.replaceAll(ordinary, '')) || strokes.test(host) || phonetic.test(host);
}

/** One thing to look at before opening. */
export interface UrlWarning {
  readonly rule:
    | 'malformed'
    | 'scheme'
    | 'rewritten'
    | 'control'
    | 'user-info'
    | 'ip-host'
    | 'local-host'
    | 'not-https'
    | 'port'
    | 'punycode'
    | 'mixed-scripts'
    | 'odd-signs'
    | 'latin-lookalike'
    | 'lookalike'
    | 'length';
  readonly message: string;
}

/** A URL as it is shown to a person who is asked to open it. */
export interface UrlJudgement {
  /** Exactly what was sent. */
  readonly href: string;
  /** True only for a well-formed http(s) URL; others are shown and can never be opened. */
  readonly openable: boolean;
  /** The parts around the registrable domain, so that a view can make it stand out: `before + domain + after === href`. */
  readonly parts: { readonly before: string; readonly domain: string; readonly after: string };
  /** The host in readable form, if that differs (punycode). */
  readonly readableHost?: string;
  readonly warnings: readonly UrlWarning[];
}

/** What a link is compared with. */
export interface UrlOptions {
  /** Registrable domains the person opened before; a new one that looks like one of them is warned about. */
  readonly trusted?: Iterable<string>;
}

/** The longest URL without a warning: the end of a longer one, where things hide, is out of sight. */
const longUrl = 500;
/** Longer ones are refused; browsers and mail gateways cut somewhere beyond. */
const longest = 8_192;

const unopenable = (href: string, rule: UrlWarning['rule'], message: string): UrlJudgement => ({
  href,
  openable: false,
  parts: { before: href, domain: '', after: '' },
  warnings: [{ rule, message }],
});

/**
 * Judges a URL that a server wants opened (2025-11-25 and 2026-07-28, client/elicitation, "Safe URL Handling").
 * @param href - as sent
 * @example
 * ```ts
 * const { warnings } = judgeUrl('https://xn--pple-43d.com/login');
 * for (const { rule, message } of warnings) console.log(rule, message);
 * ```
 */
export function judgeUrl(href: string, options: UrlOptions = {}): UrlJudgement {
  if (href.length > longest) return unopenable(href, 'length', `The address is ${href.length} characters long.`);
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return unopenable(href, 'malformed', 'This is not a complete web address.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return unopenable(
      href,
      'scheme',
      `Addresses that start with ${url.protocol} are never opened, only http and https.`,
    );
  if (hides(href) || /\s/.test(href))
    return unopenable(href, 'control', 'The address contains hidden or blank characters.');

  const host = url.hostname;
  const about = parse(host, { allowPrivateDomains: true });
  const domain = about.isIp || about.domain === null ? host : about.domain;
  const readable = host.startsWith('[') ? host : domainToUnicode(host);
  const warnings = warningsFor(url, href, {
    domain,
    readable,
    isIp: about.isIp === true,
    listedDomain: about.isIcann === true || about.isPrivate === true,
    trusted: options.trusted ?? [],
  });
  return {
    href,
    openable: true,
    parts: partsOf(href, domain),
    ...(readable !== host && { readableHost: readable }),
    warnings,
  };
}

interface HostFacts {
  readonly domain: string;
  readonly readable: string;
  readonly isIp: boolean;
  readonly listedDomain: boolean;
  readonly trusted: Iterable<string>;
}

function warningsFor(url: URL, href: string, facts: HostFacts): UrlWarning[] {
  const warnings: UrlWarning[] = [];
  const warn = (rule: UrlWarning['rule'], message: string): void => void warnings.push({ rule, message });
  const local = isOwnMachine(url.hostname);
  const isName = !facts.isIp;
  // A name in letters that look like others tells nobody where it leads, so it is spelled as computers have it, too.
  const spelled = facts.readable === url.hostname ? facts.readable : `${facts.readable} (${url.hostname})`;

  if (url.username !== '' || url.password !== '')
    warn('user-info', `What stands before the @ is not where this leads: it leads to ${spelled}.`);
  if (facts.isIp && !local) warn('ip-host', 'The address is a bare number (IP), not a name.');
  else if (local) warn('local-host', 'This is a page on your own machine.');
  else if (!facts.listedDomain)
    warn('local-host', 'The name belongs to no public domain. The page is inside your own network.');
  if (url.protocol === 'http:' && !local) warn('not-https', 'The connection is not encrypted (http).');
  if (url.port !== '' && !local) warn('port', `It uses the unusual port ${url.port}.`);
  if (facts.readable !== url.hostname) warn('punycode', `The name has letters other than a to z: ${spelled}.`);
  if (mixedScripts(facts.readable)) warn('mixed-scripts', 'The name mixes letters of several alphabets.');
  if (isName && oddSigns(facts.readable))
    warn(
      'odd-signs',
      'The name has signs in it that ordinary names do not have; they can pass for a slash, a dash or a letter.',
    );
  const reading = isName ? disguised(facts.readable) : undefined;
  if (reading !== undefined)
    warn('latin-lookalike', `It reads like ${reading}, but these letters are of another alphabet that look the same.`);
  const twin = lookalike(facts.domain, facts.readable, facts.trusted);
  if (twin !== undefined) warn('lookalike', `It looks like ${twin}, which you have opened before, but it is another.`);
  if (!hostIn(href, url)) warn('rewritten', `The address is written in an unusual way; it leads to ${spelled}.`);
  if (href.length > longUrl) warn('length', `The address is very long (${href.length} characters).`);
  return warnings;
}

/** True for addresses that a browser takes to be this machine. */
const isOwnMachine = (host: string): boolean => isLoopback(host) || host.endsWith('.localhost');

/**
 * What a host name reads as, where a label of it is made of letters that look Latin. A name whose last label is of
 * another alphabet too is one nobody takes for Latin.
 */
function disguised(readable: string): string | undefined {
  const labels = readable.split('.');
  if (!/^[a-z0-9-]*$/.test(labels.at(-1)!)) return undefined;
  const read = labels.map(label => latinReading(label));
  return read.some(each => each !== undefined)
    ? labels.map((label, index) => read[index] ?? label).join('.')
    : undefined;
}

/** True if the text names the host that the parser found, in the same letters. */
function hostIn(href: string, url: URL): boolean {
  const authority = /^https?:\/\/([^/?#\\]*)/i.exec(href)?.[1];
  if (authority === undefined) return false;
  const written = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  // Among small letters it passes for an l, where any other capital reads as the letter that it is.
  if (/I/.test(written) && /[a-z]/.test(written)) return false;
  return written.toLowerCase() === url.hostname || written.toLowerCase() === domainToUnicode(url.hostname);
}

function partsOf(href: string, domain: string): UrlJudgement['parts'] {
  const authority = /^https?:\/\/[^/?#\\]*/i.exec(href)?.[0] ?? '';
  for (const spelling of new Set([domain, domainToUnicode(domain)])) {
    const at = inSmallLetters(authority).lastIndexOf(spelling);
    if (spelling !== '' && at >= 0) {
      const end = at + spelling.length;
      return { before: href.slice(0, at), domain: href.slice(at, end), after: href.slice(end) };
    }
  }
  return { before: href, domain: '', after: '' };
}

/** A text of the same length: a capital that becomes several characters is left as it is, so that all that follows stays in its place. */
const inSmallLetters = (text: string): string =>
  text.replace(/\p{Lu}/gu, capital => {
    const small = capital.toLowerCase();
    return small.length === capital.length ? small : capital;
  });

function lookalike(domain: string, readable: string, trusted: Iterable<string>): string | undefined {
  const own = readable.split('.').slice(-domain.split('.').length).join('.');
  for (const trustedDomain of trusted) {
    if (trustedDomain === domain) return undefined;
  }
  for (const trustedDomain of trusted) {
    const name = domainToUnicode(trustedDomain);
    if (alike(skeleton(name), skeleton(own))) return trustedDomain;
  }
  return undefined;
}

/**
 * True for equal names, and for names of at least six letters that differ by one slip: one letter more, less or different, or
 * two swapped.
 */
function alike(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.length < 6) return false;
  let start = 0;
  while (a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [restA, restB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (restA.length <= 1 && restB.length <= 1) return true;
  return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
}
