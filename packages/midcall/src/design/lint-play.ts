/**
 * The roles that a scripted person plays for a server, and what each answers. Answers are made from the form's schema, never
 * from its meaning. Pure.
 */
import type { AskedField } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import { readAskedForm } from '@midcall/core/json-schema';
import { fittingContent } from '@midcall/testing';

/** What the person does, or what the client cannot do. */
export type PlayName =
  | 'accept'
  | 'decline'
  | 'dismiss'
  /** Sends the form with its confirmation at no. */
  | 'unconfirmed'
  /** Accepts and sends no content, where the form requires some. */
  | 'bare'
  /** The client declares no elicitation. */
  | 'no-capability'
  /** The client declares forms only. */
  | 'form-only';

/** A play: what is done from question `from` on; questions before it are accepted. */
export interface Play {
  readonly name: PlayName;
  readonly from: number;
}

/** A question as it was on the wire. */
export interface LintAsk {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** True if it was a request of its own, and not part of a result. */
  readonly pushed: boolean;
  /** What was answered. */
  readonly reply: Readonly<Record<string, unknown>>;
}

/** The capability a play's client declares for elicitation. */
export function capabilityOf(play: PlayName): Readonly<Record<string, unknown>> | undefined {
  if (play === 'no-capability') return undefined;
  return play === 'form-only' ? { form: {} } : { form: {}, url: {} };
}

/** True for a question with a form; the mode may be left out. */
export const asksForm = (ask: Pick<LintAsk, 'method' | 'params'>): boolean =>
  ask.method === 'elicitation/create' && ask.params['mode'] !== 'url';

const link = /https?:\/\/[^\s<>"')]+/i;

/** The first link of a text. */
export const linkIn = (text: string): string | undefined => link.exec(text)?.[0];

/**
 * True for a form that stands for a URL question where a client has none: it has a link and nothing to fill in, so that
 * accepting it means no more than having opened the page.
 */
const announcesPage = ({ message, requestedSchema }: Readonly<Record<string, unknown>>): boolean =>
  typeof message === 'string' &&
  linkIn(message) !== undefined &&
  isRecord(requestedSchema) &&
  Object.keys((requestedSchema['properties'] ?? {}) as object).length === 0;

/** How a question asks to open a page: in URL mode, or by a form; undefined if it does not. */
export function opensPage({ method, params }: Pick<LintAsk, 'method' | 'params'>): 'url' | 'form' | undefined {
  if (method !== 'elicitation/create') return undefined;
  if (params['mode'] === 'url') return 'url';
  return announcesPage(params) ? 'form' : undefined;
}

/** The fields of a question's form; none if it cannot be read. */
export function fieldsOf(params: Readonly<Record<string, unknown>>): readonly AskedField[] {
  const form = readAskedForm(params);
  return form.ok ? form.fields : [];
}

const sure =
  /confirm|sure|proceed|continue|agree|approve|allow|accept|consent|really|delete|remove|move|overwrite|understand/i;

/** The yes-or-no fields that are confirmations, by their names; an optional one among several is only a preference. */
export function confirmations(fields: readonly AskedField[]): readonly AskedField[] {
  return fields.filter(field => {
    const words = `${field.name} ${field.title ?? ''} ${field.description ?? ''}`;
    if (field.kind !== 'boolean' || !(field.required || fields.length === 1)) return false;
    return sure.test(words);
  });
}

/** The wire result a play gives to question number `index` (from 0). */
export function replyOf(
  play: Play,
  index: number,
  ask: Pick<LintAsk, 'method' | 'params'>,
): Readonly<Record<string, unknown>> {
  const now = index < play.from ? 'accept' : play.name;
  // The client did not declare this kind of question, so nobody sees it and nobody accepts it.
  const declared = capabilityOf(play.name);
  const mode = ask.params['mode'] === 'url' ? 'url' : 'form';
  if (ask.method === 'elicitation/create' && (declared === undefined || !(mode in declared)))
    return { action: 'cancel' };
  if (now === 'decline') return { action: 'decline' };
  if (now === 'dismiss') return { action: 'cancel' };
  if (!asksForm(ask) || now === 'bare') return { action: 'accept' };
  const fields = fieldsOf(ask.params);
  const content = fittingContent(fields);
  if (now === 'unconfirmed') for (const field of confirmations(fields)) content[field.name] = false;
  return { action: 'accept', content };
}
