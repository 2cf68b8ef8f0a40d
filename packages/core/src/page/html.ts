/**
 * HTML that cannot be injected into: a template tag that escapes every value, the shell of a page, and the few style
 * tokens that make all of Midcall's pages one family. Pure, and free of inline script and style, so that every page
 * holds under a policy of `default-src 'none'`.
 */

/** An element within some markup that whoever has it need not be sent again. */
export interface Part {
  /** Identifies one element: no other element has it. */
  readonly name: string;
  /** Where it begins and ends in the text. */
  readonly start: number;
  readonly end: number;
  /** What stands in its place for whoever has it. */
  readonly instead: string;
}

const noParts: readonly Part[] = [];

/** Markup that is safe to send as it is; made by {@link html}. */
export class Html {
  readonly text: string;
  /** In their order; none within another. */
  readonly parts: readonly Part[];

  constructor(text: string, parts: readonly Part[] = noParts) {
    this.text = text;
    this.parts = parts;
  }

  /** This markup for somebody who has some of its parts. */
  without(had: ReadonlySet<string>): Html {
    let text = '';
    let at = 0;
    for (const { name, start, end, instead } of this.parts) {
      if (!had.has(name)) continue;
      text += this.text.slice(at, start) + instead;
      at = end;
    }
    return at === 0 ? this : new Html(text + this.text.slice(at));
  }

  toString(): string {
    return this.text;
  }
}

/** What a template may contain: text is escaped, lists are joined, undefined becomes empty. */
export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text with every character escaped that has a meaning in markup; for content and for quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!);
}

/** @param parts - gets the parts of what is rendered, by their places in the whole, where that begins at `from` */
function rendered(value: HtmlValue, from: number, parts: Part[]): string {
  if (value instanceof Html) {
    for (const part of value.parts) parts.push({ ...part, start: part.start + from, end: part.end + from });
    return value.text;
  }
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value)) return '';
  let text = '';
  for (const each of value) text += rendered(each, from + text.length, parts);
  return text;
}

/**
 * Builds markup; every value is escaped unless it is {@link Html} itself. Attribute values must be quoted.
 * @example
 * ```ts
 * const body = html`<p>${'<b>'} is shown as it is written.</p>`;
 * ```
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0]!;
  const parts: Part[] = [];
  for (let index = 0; index < values.length; index += 1)
    text += rendered(values[index], text.length, parts) + strings[index + 1]!;
  return parts.length === 0 ? new Html(text) : new Html(text, parts);
}

/** Takes text as markup. Only for text written in this repository, such as an icon. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** Attributes from an object: true gives a bare name; undefined and false give nothing. */
export function attributes(all: Readonly<Record<string, string | number | boolean | undefined>>): Html {
  let text = '';
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined || value === false) continue;
    text += value === true ? ` ${name}` : ` ${name}="${escaped(String(value))}"`;
  }
  return new Html(text);
}

/** What a page is made of. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  /** The colours, if they are not those of the person's system. */
  readonly theme?: 'light' | 'dark' | undefined;
  /** Path of the icon; {@link icon} at the root if absent. */
  readonly icon?: string;
  /** Path of the manifest of an app that the page belongs to. */
  readonly manifest?: string;
  /** Path of its icon as a PNG, for phones that show no other. */
  readonly touchIcon?: string;
  /** Paths of style sheets and ES modules on this origin. */
  readonly styles: readonly string[];
  readonly modules?: readonly string[];
  /** Where a browser without client script is redirected, and after how many seconds. */
  readonly refreshWithoutScript?: { readonly after: number; readonly to: string };
  /** An http(s) address the page leads to at once. */
  readonly leadsTo?: string;
  readonly bodyAttributes?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** A whole document. */
export function page(all: Page): string {
  return html`<!doctype html>
<html lang="en"${attributes({ 'data-theme': all.theme })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${all.title}</title>
<link rel="icon" href="${all.icon ?? '/assets/icon.svg'}" type="image/svg+xml">
${all.manifest !== undefined && html`<link rel="manifest" href="${all.manifest}">\n`}${all.touchIcon !== undefined && html`<link rel="apple-touch-icon" href="${all.touchIcon}">\n`}${all.styles.map(path => html`<link rel="stylesheet" href="${path}">\n`)}${(all.modules ?? []).map(path => html`<script type="module" src="${path}"></script>\n`)}${
  all.refreshWithoutScript !== undefined &&
  html`<noscript><meta http-equiv="refresh" content="${all.refreshWithoutScript.after};url=${all.refreshWithoutScript.to}"></noscript>\n`
}${all.leadsTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${all.leadsTo}">\n`}</head>
<body${attributes(all.bodyAttributes ?? {})}>
${all.body}
</body>
</html>
`.text;
}

/** The mark of the family, as an SVG document of its own. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b74"/><path d="M9 9h14v11h-6l-4 4v-4H9z" fill="none" stroke="#fff" stroke-width="2.4" stroke-linejoin="round"/></svg>`;

/** The mark beside a name, in the colours of the style sheet (`brand-box`, `brand-line`). */
export const brandMark = trusted(
  '<svg class="brand-mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect class="brand-box" width="32" height="32" rx="8"/><path class="brand-line" d="M9 9h14v11h-6l-4 4v-4H9z" fill="none" stroke-width="2.4" stroke-linejoin="round"/></svg>',
);

const dark = `--canvas:#121516;--surface:#191d1f;--raised:#1d2224;--sunken:#14181a;--chip:#262c2f;--line:#2b3235;--line-strong:#727d83;
--ink:#e7eaeb;--muted:#9fa9ae;--accent:#64c3cb;--accent-ink:#062326;--accent-hover:#83d2d8;--accent-soft:#16302f;--accent-line:#2c5a5c;
--bad:#ff9d92;--bad-soft:#361d1a;--bad-line:#6d352f;
--shadow:0 1px 2px rgb(0 0 0/.3),0 8px 24px -8px rgb(0 0 0/.5);--edge:rgb(200 220 225/.26)`;

/**
 * Colours, spacing and type that every page starts from; dark where the person's system is, or where a page says so
 * ({@link Page.theme}).
 */
export const tokens = `:root{color-scheme:light dark;
--canvas:#f6f7f7;--surface:#fff;--raised:#fff;--sunken:#eff1f1;--chip:#e8ebeb;--line:#dfe3e4;--line-strong:#868f94;
--ink:#16191b;--muted:#566067;--accent:#0b6b74;--accent-ink:#fff;--accent-hover:#095860;--accent-soft:#e3f1f2;--accent-line:#a9d2d5;
--bad:#a8281d;--bad-soft:#fcedeb;--bad-line:#ecc4bf;
--shadow:0 1px 2px rgb(16 24 28/.05),0 6px 20px -6px rgb(16 24 28/.10);--edge:rgb(16 24 28/.2);
--radius:10px;--radius-small:7px;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif;
--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}
:root[data-theme=dark]{color-scheme:dark;${dark}}
:root[data-theme=light]{color-scheme:light}
*,*::before,*::after{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--ink);font:14px/1.5 var(--sans);-webkit-text-size-adjust:100%;text-size-adjust:100%}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure,blockquote,pre,fieldset,legend{margin:0;padding:0}
fieldset{border:0;min-width:0}
ul,ol{list-style:none}
a{color:var(--accent);text-underline-offset:2px}
code,pre,.mono{font-family:var(--mono);font-size:.925em}
button,input,select,textarea{font:inherit;color:inherit}
:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
:is(input:not([type=checkbox],[type=radio]),select,textarea):focus-visible{outline-offset:-1px}
input:is([type=checkbox],[type=radio]){appearance:none;display:inline-grid;place-content:center;width:16px;height:16px;margin:0;flex:none;border:1.5px solid var(--muted);border-radius:4px;background:var(--surface)}
input[type=radio]{border-radius:50%}
input:is([type=checkbox],[type=radio]):checked{border-color:var(--accent);background:var(--accent);color:var(--accent-ink)}
input:is([type=checkbox],[type=radio]):checked::before{content:"";background:currentColor;width:10px;height:10px;clip-path:polygon(8% 52%,22% 38%,40% 57%,79% 14%,93% 28%,40% 85%)}
input[type=radio]:checked::before{width:6px;height:6px;border-radius:50%;clip-path:none}
select:not([size],[multiple]){appearance:none;padding-inline-end:32px!important;background:linear-gradient(45deg,transparent 50%,var(--muted) 0) right 16px center/5px 5px no-repeat,linear-gradient(-45deg,transparent 50%,var(--muted) 0) right 11px center/5px 5px no-repeat,var(--surface)!important}
@media (forced-colors:active){select:not([size],[multiple]){appearance:auto;padding-inline-end:11px!important}input:is([type=checkbox],[type=radio]){appearance:auto}input:is([type=checkbox],[type=radio]):checked::before{content:none}}
@media (prefers-reduced-motion:reduce){*,*::before,*::after{animation:none!important;transition:none!important;scroll-behavior:auto!important}}
`;
