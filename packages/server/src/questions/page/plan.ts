/**
 * How a page reaches the person: how it is announced, and how its visitor is checked. Decided once per ask, and recorded, so
 * that a replay sees the same link whatever has changed since.
 *
 * - plan-N1 Of the enabled ways, the first one is used that reaches the client and can give the demanded assurance.
 * - plan-N2 The code is part of a text only if the host shows that text to the person: URL mode and forms. It is in no tool
 *   result, error or progress message. No text has both the code and the link: URL mode carries the link separately from its
 *   text, and if a page is announced by forms, one form has the link and the next one the code.
 * - plan-N3 A host that refuses faster than a person reads may have no way to ask, or a person who has muted this server. So if
 *   a level is demanded, they only get a link in the result, and nothing is asked or opened again.
 */
import { isMidcallError } from '@midcall/core/errors';
import { type Assurance, assures, type Channel } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import type { Json } from '../../base/index.ts';
import type { CallRequest, Config, PersonCheck } from '../../request/index.ts';
import { type AskChannel, isOn } from '../channel.ts';
import { native } from '../native/native.ts';
import type { WaitingWords } from '../outgoing.ts';
import { quoted } from '../quoted.ts';
import type { PageCall } from './page-call.ts';

/**
 * `url`: the host's URL mode; `form`: a form in the host that shows the link; `browser`: opened on this machine; `link`: a text
 * for the model; `error`: -32042.
 */
export type Announce = 'url' | 'form' | 'browser' | 'link' | 'error';

/** True if the host shows the announcement to the person, and asks for their consent. */
export const asksConsent = (announce: Announce): boolean => announce === 'url' || announce === 'form';

/** The channel of an announcement. */
export const channelOf = (announce: Announce): 'native' | 'page' =>
  announce === 'url' || announce === 'error' ? 'native' : 'page';

/** A page as it was opened and announced. */
export interface Announced {
  readonly announce: Announce;
  readonly pageId: string;
  readonly url: string;
  readonly note?: string;
  readonly code?: string;
  readonly check: PersonCheck;
  readonly elicitationId: string;
  /** When it was opened, in milliseconds since the epoch. */
  readonly at: number;
  /** When it may no longer be answered, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** What the model is told about a call that waits for a page. Pure. */
export function pageWords(message: string, { announce, url, note }: Announced): WaitingWords {
  const lines = [...quoted(message), `> ${url}`, ...(note === undefined ? [] : [`> ${note}`])];
  const how = 'Show the person these words and the link exactly as it is, and wait. Do not open the link yourself:';
  return {
    who: 'This call is waiting for the person, who answers on a web page and not through you.',
    ...(announce === 'link' && { passOn: { how, lines, page: { message, url, ...defined({ note }) } } }),
    reached: 'The page was opened for them already. Tell them that the call waits for it, and wait.',
    when: 'When they say that they are done',
    open: 'The page can be answered',
    unfinished: 'The person has not finished the page in time.',
  };
}

/** How this channel is switched on. */
export const pageSwitch = { name: 'page', onWhereNamed: true } as const;

export const noPages = "the server has no pages: give midcall() pages: connect(…) of '@midcall/server/connect'";

/** The record of a page before it is announced. */
export type Plan =
  | { readonly kind: 'announced'; readonly at: Announced }
  | { readonly kind: 'unavailable' }
  /** An earlier decline of the same question stands. */
  | { readonly kind: 'standing-decline' };

/** The question for the page. */
export interface PageQuestion {
  readonly message: string;
  readonly page: { readonly kind: string; readonly data: Json };
  readonly demanded: Assurance | undefined;
  readonly timeoutMs: number;
  readonly channels: readonly Channel[] | undefined;
  readonly asError: boolean;
  /** True if the host seems to have refused by itself: only a link remains, which interrupts nobody (plan-N3). */
  readonly onlyLink?: boolean;
}

type Surroundings = Pick<CallRequest, 'client' | 'registered' | 'principal'>;

/** The assurance of a page, by how its visitor is checked. */
export const gives: Record<PersonCheck, Assurance> = { 'sign-in': 'verified', code: 'out-of-band', none: 'in-band' };

/** The ways in which one page can be announced, in order, each with the check it allows (plan-N1). */
export function ways(
  question: PageQuestion,
  { client, registered, principal }: Surroundings,
  of: PageCall,
  config: Config,
) {
  const on = (channel: Pick<AskChannel, 'name' | 'onWhereNamed'>) => isOn(channel, question.channels, config);
  const possible: Announce[] = [];
  const reached = client.asks !== 'none';
  if (reached && client.can.url && on(native)) {
    // An error cannot show a code, so if one is needed the page is announced within the call.
    if (question.asError && client.asks === 'push') possible.push('error');
    possible.push('url');
  }
  if (on(pageSwitch)) {
    if (reached && client.can.form) possible.push('form');
    if (!of.http && of.service.local) possible.push('browser');
    if (registered.method === 'tools/call') possible.push('link');
  }
  return possible
    .filter(announce => !question.onlyLink || announce === 'link')
    .map(announce => {
      const mayShowCode = asksConsent(announce);
      return { announce, check: of.service.checkFor({ principal, http: of.http, mayShowCode }) };
    })
    .filter(({ check }) => question.demanded === undefined || assures(gives[check], question.demanded));
}

const nobodyProved =
  'midcall: a page was not offered, since over HTTP anybody might open it, and its question demands to know who does. Give connect() ' +
  'a baseUrl and signIn, and midcall() the option principal, from the same issuer.';

/** Opens the page in the first way that works. */
export async function plan(
  question: PageQuestion,
  surroundings: Surroundings,
  of: PageCall,
  config: Config,
): Promise<Plan> {
  const at = config.clock.now();
  const dueAt = at + question.timeoutMs;
  const pageId = of.service.newPageId();
  const possible = ways(question, surroundings, of, config);
  if (of.http && possible.length === 0) {
    const otherwise = ways({ ...question, demanded: undefined }, surroundings, of, config);
    if (otherwise.some(({ check }) => check === 'none')) config.warnOnce('pages over HTTP', nobodyProved);
  }
  for (const { announce, check } of possible) {
    const code = check === 'code' ? of.service.newCode() : undefined;
    try {
      const link = await of.service.open({
        pageId,
        kind: question.page.kind,
        data: question.page.data,
        message: question.message,
        check,
        ...(code === undefined ? {} : { code }),
        call: of.call,
        arguments: of.arguments,
        askedAt: at,
        dueAt,
      });
      const { method, name, principal, flow } = of.call;
      const call = { waitsFor: pageSwitch.name, method, name, principal, flow, since: at, until: dueAt } as const;
      await config.waiting.add({ kind: pageSwitch.name, ref: pageId, ...call });
      if (announce === 'browser' && !(await of.service.showLocally(link))) continue;
      const spoken = { ...link, ...(code === undefined ? {} : { code }) };
      const elicitationId = config.id();
      return { kind: 'announced', at: { announce, pageId, ...spoken, check, elicitationId, at, dueAt } };
    } catch (error) {
      if (!isMidcallError(error, 'connect/unavailable')) throw error;
      config.warnOnce('pages', `midcall: ${error.message}`);
    }
  }
  return { kind: 'unavailable' };
}

/** The first text the host shows the person: the author's message, and what they need to know to reach the page (plan-N2). */
export function spoken(message: string, { code, note, url, announce }: Announced): string {
  const lines = [
    ...(announce === 'form' ? [`Open this page in your browser: ${url}`] : []),
    ...(code === undefined || announce === 'form' ? [] : [codeText(code)]),
    ...(note === undefined ? [] : [note]),
    ...(announce === 'form' ? ['Accept when you have opened it.'] : []),
    ...(code !== undefined && announce === 'form' ? ['The code that the page asks for comes next.'] : []),
  ];
  return lines.length === 0 ? message : `${message}\n\n${lines.join('\n')}`;
}

/** The text of the next form, if the first one had the link; undefined if no code is left to show (plan-N2). */
export function spokenCode(message: string, { code, announce }: Announced): string | undefined {
  if (code === undefined || announce !== 'form') return undefined;
  return `${message}\n\n${codeText(code)}\nAccept when you have typed it.`;
}

const codeText = (code: string): string => `Your code for the page: ${code}. Type it only there, and tell nobody.`;
