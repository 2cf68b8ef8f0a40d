/**
 * What an `elicitation/create` says, judged before anybody sees it (2025-11-25 and 2026-07-28, client/elicitation). Pure. It
 * reads what the transport received, not what the SDK made of it.
 */
import type { AskedField } from '@midcall/core/form';
import { own } from '@midcall/core/json';
import { readAskedForm } from '@midcall/core/json-schema';
import type { Ending } from './question.ts';

/** The modes a host declares. */
export type ElicitationMode = 'form' | 'url';

/** A request that can be shown, or why it cannot. */
export type Elicitation =
  | {
      readonly ok: true;
      readonly mode: 'form';
      readonly message: string;
      readonly fields: readonly AskedField[];
      readonly schema?: Readonly<Record<string, unknown>>;
      /** What of the form is not shown, and why. */
      readonly notes: readonly string[];
      /** The URI of an MCP App (`_meta.ui.resourceUri`). */
      readonly app?: string;
    }
  | {
      readonly ok: true;
      readonly mode: 'url';
      readonly message: string;
      readonly href: string;
      readonly elicitationId?: string;
    }
  | { readonly ok: false; readonly why: string };

/** A plan or a diff fits; views show the beginning of a longer text than they have room for. */
const longestMessage = 1_000_000;

const bad = (why: string): Elicitation => ({ ok: false, why });

/**
 * Reads the params of an elicitation.
 * @param params - as they were on the wire
 * @param options - `withId`: true if URL mode has an elicitation id; `modes`: those that were declared
 */
export function readElicitation(
  params: Readonly<Record<string, unknown>>,
  options: { readonly withId: boolean; readonly modes: readonly ElicitationMode[] },
): Elicitation {
  const mode = params['mode'] === undefined ? 'form' : params['mode'];
  const message = params['message'];
  if (mode !== 'form' && mode !== 'url') return bad('The mode must be form or url.');
  if (!options.modes.includes(mode)) return bad(`This client does not support ${mode} mode.`);
  if (typeof message !== 'string') return bad('The message must be text.');
  if (message.length > longestMessage)
    return bad(`The message has ${message.length} characters; at most ${longestMessage} are shown.`);
  return mode === 'form' ? readFormMode(params, message) : readUrlMode(params, message, options.withId);
}

/** The most characters the URI of an App may have. */
const LONGEST_URI = 2_000;

/** The MCP App that is named by the `_meta.ui.resourceUri` of a tool, or of the params of a question; undefined if it names none, or names it wrongly. */
export function appUri(naming: unknown): string | undefined {
  const uri = own(own(own(naming, '_meta'), 'ui'), 'resourceUri');
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= LONGEST_URI ? uri : undefined;
}

function readFormMode(params: Readonly<Record<string, unknown>>, message: string): Elicitation {
  const form = readAskedForm(params);
  if (!form.ok) return bad(form.why);
  // An App only helps with the form, so an invalid name is ignored.
  const app = appUri(params);
  return {
    ok: true,
    mode: 'form',
    message,
    fields: form.fields,
    ...(form.schema && { schema: form.schema }),
    notes: form.notes.map(note => note.message),
    ...(app !== undefined && { app }),
  };
}

function readUrlMode(params: Readonly<Record<string, unknown>>, message: string, withId: boolean): Elicitation {
  const { url, elicitationId } = params;
  if (typeof url !== 'string' || !URL.canParse(url)) return bad('The url must be a complete web address.');
  // A page without its id can be opened all the same; only its end is not heard of.
  const id = withId && typeof elicitationId === 'string' && elicitationId !== '' && { elicitationId };
  return { ok: true, mode: 'url', message, href: url, ...id };
}

/** The result a server gets (schema.json, `ElicitResult`): whatever is neither accept nor decline is `cancel`. */
export type ElicitResult =
  | { action: 'accept'; content?: Readonly<Record<string, unknown>> }
  | { action: 'decline' }
  | { action: 'cancel' };

/** Converts an ending to the result that goes on the wire. */
export function elicitResult(ending: Ending, mode: ElicitationMode): ElicitResult {
  if (ending.how === 'declined') return { action: 'decline' };
  if (ending.how !== 'answered') return { action: 'cancel' };
  if (mode === 'url') return { action: 'accept' };
  return { action: 'accept', content: ending.content ?? {} };
}
