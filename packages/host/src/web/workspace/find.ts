/** Finds servers, what they offer, open questions and pages by name. Pure. */
import type { Question } from '../../index.ts';
import { manyOf } from './offers.ts';
import type { OfferKind, OfferView, ServerView } from './views.ts';

/** Something that can be done from where one is: what a form would post. */
export interface Action {
  readonly name: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A search result. */
export type Hit =
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'page'; readonly path: string; readonly name: string }
  | { readonly kind: 'server'; readonly server: ServerView }
  | { readonly kind: 'action'; readonly action: Action }
  | { readonly kind: OfferKind; readonly server: ServerView; readonly offer: OfferView };

/** What is searched. */
export interface Findable {
  readonly servers: readonly ServerView[];
  readonly questions: readonly Question[];
  readonly pages: readonly { readonly path: string; readonly name: string }[];
  readonly actions: readonly Action[];
  /** How much the person uses an offer: the greater, the higher it is listed; 0 if never. */
  readonly useOf: (serverId: string, kind: OfferKind, name: string) => number;
}

interface Ranked {
  readonly hit: Hit;
  readonly rank: number;
  readonly use: number;
}

/** How well a text matches: 0 if a word of the query is missing. */
function fits(text: string, words: readonly string[]): number {
  const low = text.toLowerCase();
  let rank = 1;
  for (const word of words) {
    const at = low.indexOf(word);
    if (at < 0) return 0;
    if (at === 0) rank += 2;
    else if (/[^\p{L}\p{N}]/u.test(low[at - 1]!)) rank += 1;
  }
  return words.length === 1 && low === words[0] ? rank + 2 : rank;
}

const kinds = Object.keys(manyOf) as OfferKind[];

/** Everything that can be found, with its texts, the most important first. */
function* all({ servers, questions, pages, actions, useOf }: Findable) {
  for (const question of questions) {
    const message = 'message' in question ? question.message : '';
    const hit: Hit = { kind: 'question', question };
    yield { found: hit, use: 4, texts: [`${question.asker.id} ${question.call?.name ?? ''}`, message] };
  }
  for (const server of servers) {
    yield { found: { kind: 'server', server } as Hit, use: 0, texts: [server.id, server.self ?? ''] };
    for (const kind of kinds) {
      for (const offer of server[manyOf[kind]]) {
        const hit: Hit = { kind, server, offer };
        const { name, title = '', description = '' } = offer;
        yield {
          found: hit,
          use: useOf(server.id, kind, name),
          texts: [name, `${title} ${server.id} ${name}`, description],
        };
      }
    }
  }
  for (const page of pages) yield { found: { kind: 'page', ...page } as Hit, use: 0, texts: [page.name] };
  for (const action of actions) yield { found: { kind: 'action', action } as Hit, use: 0, texts: [action.name] };
}

/**
 * The best matches of a query, best first; for an empty one, open questions and what was used last.
 * @param most - the most to return
 */
export function find(
  query: string,
  where: Findable,
  most: number,
): { readonly found: readonly Hit[]; readonly more: number } {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const ranked: Ranked[] = [];
  for (const { found, use, texts } of all(where)) {
    const rank = Math.max(...texts.map((text, at) => fits(text, words) * 4 - at));
    const matches = words.length > 0 ? rank > 0 : use > 0 || !('offer' in found || 'action' in found);
    if (matches) ranked.push({ hit: found, rank: words.length > 0 ? rank + (use > 0 ? 2 : 0) : 0, use });
  }
  ranked.sort((a, b) => b.rank - a.rank || b.use - a.use);
  return { found: ranked.slice(0, most).map(each => each.hit), more: Math.max(0, ranked.length - most) };
}
