/** The paths of the desk's pages, as {@link Session.link} takes them. Pure. */
import type { Question } from '../../index.ts';
import { type CallView, manyOf, type OfferKind } from '../workspace/index.ts';

/** The path of a question: in its call's timeline, or on its own. */
export function questionPath(question: Question): string {
  const own = `#q-${question.id}`;
  return question.call ? `${callPath(question.call.id)}${own}` : `/questions/${encodeURIComponent(question.id)}${own}`;
}

/** Where a person decides about several calls: about these, and about none that come later. */
export const togetherPath = (questions: readonly Question[]): string =>
  `/calls-together?${questions.map(({ id }) => `question=${encodeURIComponent(id)}`).join('&')}`;

/** The page of a call. */
export const callPath = (id: string): string => `/calls/${encodeURIComponent(id)}`;

/** Where a call is compared with another of the same tool. */
export const comparePath = ({ context }: CallView): string => `${callPath(context.id)}/compare`;

/** Text as a segment of a path; half a surrogate pair, which no address can contain, becomes U+FFFD. */
const inPath = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'));

/** A path below a server. */
export function serverPath(id: string, ...rest: readonly string[]): string {
  return ['/servers', ...[id, ...rest].map(inPath)].join('/');
}

/** Where a tool, prompt or resource of a server is called. */
export const offerPath = (server: string, kind: OfferKind, name: string): string =>
  serverPath(server, manyOf[kind], name);

/** Where a call can be made again with the same arguments. */
export const againPath = ({ serverId, context }: CallView): string =>
  `${offerPath(serverId, context.kind, context.name)}?from=${encodeURIComponent(context.id)}`;
