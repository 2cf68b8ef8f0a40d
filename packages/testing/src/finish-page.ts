/** A visitor of a server's pages, made of `fetch`: opens the link of a question, fills in the page and sends it. */
import { textFormats } from '@midcall/core/form';
import { anything, checkKind, checkOptions, flag, func, type Kinds } from '@midcall/core/options';
import type { PersonRequest } from './person.ts';

/** What is entered on a page, by the names of its inputs; the others are filled in with values that fit. */
export type PageInput = Readonly<Record<string, string | readonly string[]>>;

/** How a page is finished. */
export interface FinishPageOptions {
  /** What is entered, by the names of the inputs. */
  readonly input?: PageInput;
  /** True to decline on the page. */
  readonly decline?: boolean;
  /** Answers the requests for the page, such as `pages.fetch` if it is mounted elsewhere; `fetch` if absent. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

const kinds: Kinds<FinishPageOptions> = { input: anything, decline: flag, fetch: func };

/**
 * Finishes the page of a question in URL mode, as the person would in their browser: enters the code that the question shows,
 * fills in every input, form after form, and sends it. Pages that lead to another site, such as a sign-in, are not finished.
 * @throws Error if the page is not finished, with what it says; TypeError for an option that is unknown or invalid
 * @example
 * ```ts
 * const onPage = async (asked: PersonRequest) => {
 *   await finishPage(asked, { input: { secret: 'abc' } });
 *   return { action: 'accept' };
 * };
 * const person = scriptedPerson([onPage]);
 * ```
 */
export async function finishPage(asked: PersonRequest, options: FinishPageOptions = {}): Promise<void> {
  const isQuestion = (value: unknown): boolean =>
    typeof (value as PersonRequest | undefined)?.params?.['url'] === 'string';
  checkKind('finishPage', 'the first argument', asked, { words: 'a question in URL mode', fits: isQuestion });
  checkOptions('finishPage', options, kinds);
  const { url, code } = pageIn(asked.params);
  const missing = await visitPage({ ...options, url: url!, code });
  if (missing.length > 0) throw new Error(`The page was finished, but has no input '${missing.join("', '")}'.`);
}

/** The link and the code that a question shows, in its URL or in its text. */
export function pageIn(params: PersonRequest['params']): {
  readonly url: string | undefined;
  readonly code: string | undefined;
  /** True if the next question shows the code. */
  readonly codeFollows: boolean;
} {
  const message = typeof params['message'] === 'string' ? params['message'] : '';
  const link = params['mode'] === 'url' ? params['url'] : /^Open this page in your browser: (\S+)$/m.exec(message)?.[1];
  return {
    url: typeof link === 'string' ? link : undefined,
    code: /^Your code for the page: ([A-Z0-9-]+)\./m.exec(message)?.[1],
    codeFollows: /^The code that the page asks for comes next\.$/m.test(message),
  };
}

/** Forms in a row on one page: a wizard's, and one that asks for the code. */
const mostForms = 50;

/** A page, and the visit to it. */
export interface PageVisit extends FinishPageOptions {
  readonly url: string;
  readonly code: string | undefined;
}

/**
 * @returns the names in `input` that the page has no input for
 * @throws Error if the page is not finished, with what it says
 */
export async function visitPage({ url, code, input = {}, decline = false, fetch: send = fetch }: PageVisit) {
  const cookies = new Map<string, string>();
  const ask = async (body?: URLSearchParams): Promise<Response> => {
    const headers = {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(body && { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }),
    };
    const how = body ? { method: 'POST', body } : {};
    const response = await send(new Request(url, { ...how, headers, redirect: 'manual' }));
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  };
  const missing = new Set(Object.keys(input));
  let [response, asksCode] = [await ask(), false];
  for (let forms = 0; forms < mostForms; forms++) {
    if (response.status === 303) {
      await response.arrayBuffer();
      // Sent, and accepted: only the code leads back to the same page.
      if (forms > 0 && !asksCode) break;
      response = await ask();
    }
    const page = await response.text();
    const form = /<form[^>]*method="post"[^>]*>([\s\S]*?)<\/form>/.exec(page)?.[1];
    const problem = textOf(/<p class="(?:problem|error)"[^>]*>([\s\S]*?)<\/p>/.exec(page)?.[1]);
    const heading = textOf(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(page)?.[1]);
    const action = /<button[^>]*name="do" value="(code|send)"/.exec(form ?? '')?.[1];
    if (form === undefined || action === undefined) throw new Error(`The page was not finished: it says '${heading}'.`);
    if (problem !== '') throw new Error(`The page '${heading}' did not take what was entered: ${problem}`);
    asksCode = action === 'code';
    const values = filled(form, { ...input, ...(asksCode && { code: code ?? '' }) });
    for (const name of values.keys()) missing.delete(name);
    const entries = [...values].flatMap(([name, all]) => all.map(each => [name, each]));
    response = await ask(new URLSearchParams([...entries, ['do', decline && !asksCode ? 'decline' : action]]));
  }
  if (response.status !== 303) throw new Error(`The page showed more than ${mostForms} forms.`);
  return [...missing];
}

type Attributes = Readonly<Record<string, string>>;

/** Every input of a form, by its name, filled in. */
function filled(form: string, input: PageInput): Map<string, readonly string[]> {
  const values = new Map<string, readonly string[]>();
  const options = new Map<string, Attributes[]>();
  const rest = form.replaceAll(/<(select|textarea)\b([^>]*)>([\s\S]*?)<\/\1>/g, (_, tag, attributes, inner) => {
    const all = attributesOf(attributes);
    const { name = '' } = all;
    if (tag === 'textarea') values.set(name, [textOf(inner) || sized('Some words', all)]);
    else {
      const choices = [...String(inner).matchAll(/<option\b([^>]*)>/g)].map(each => attributesOf(each[1]!));
      const chosen = choices.find(each => 'selected' in each) ?? choices.find(({ value }) => value !== '');
      values.set(name, [chosen?.['value'] ?? '']);
    }
    return '';
  });
  for (const [, attributes = ''] of rest.matchAll(/<input\b([^>]*)>/g)) {
    const all = attributesOf(attributes);
    const { name = '', type = 'text', value = '' } = all;
    if (type === 'radio' || type === 'checkbox') options.set(name, [...(options.get(name) ?? []), all]);
    else if (type === 'hidden') values.set(name, [...(values.get(name) ?? []), value]);
    else values.set(name, [value || fitting(type, all)]);
  }
  for (const [name, all] of options) {
    const checked = all.filter(each => 'checked' in each);
    values.set(
      name,
      (checked.length > 0 ? checked : all.slice(0, 1)).map(({ value = 'on' }) => value),
    );
  }
  for (const [name, entered] of Object.entries(input)) if (values.has(name)) values.set(name, [entered].flat());
  return values;
}

/** A value that fits an input, as far as its attributes tell. */
function fitting(type: string, all: Attributes): string {
  if (type === 'number') return String(Math.min(Math.max(1, Number(all['min'] ?? 1)), Number(all['max'] ?? Infinity)));
  if (type === 'datetime-local') return '2026-08-01T12:00';
  const format = Object.values(textFormats).find(each => each.input?.type === type);
  return format?.example ?? sized('Some words', all);
}

const sized = (words: string, { minlength = '0', maxlength = 'Infinity' }: Attributes): string =>
  words.padEnd(Number(minlength), 'x').slice(0, Number(maxlength));

const attributesOf = (written: string): Attributes =>
  Object.fromEntries(
    [...written.matchAll(/(?<![\w-])([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [
      name,
      unescaped(value),
    ]),
  );

const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
/** Text without the escapes of markup. */
const unescaped = (written: string): string =>
  written.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name) => characters[name]!);

/** The text of an element, without markup. */
const textOf = (markup = ''): string => unescaped(markup.replaceAll(/<[^>]*>/g, '')).trim();
