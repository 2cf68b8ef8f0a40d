/** Whether a reply may end a question. Every view's replies pass this check, whatever the view has checked before. Pure. */
import type { Issue } from '@midcall/core/form';
import { isRecord, isTexts } from '@midcall/core/json';
import { checkAsked } from '@midcall/core/json-schema';
import { nearest, oneOf } from '@midcall/core/options';
import { visible } from '@midcall/core/text';
import {
  type CallQuestion,
  type Question,
  type Reply,
  readGrantChoice,
  type SamplingReplyQuestion,
  type SamplingRequestQuestion,
} from '../question/index.ts';

type Content = Readonly<Record<string, unknown>>;

type Wrong = { readonly ok: false; readonly issues: readonly Issue[] };

/** The content to send, or what is wrong with it. */
type ContentCheck = { readonly ok: true; readonly content?: Content; readonly leftOut?: readonly string[] } | Wrong;

/** What a reply does, with the content to send; or what is wrong with it. */
export type ReplyCheck = (Extract<ContentCheck, { ok: true }> & { readonly action: Reply['action'] }) | Wrong;

const wrong = (rule: string, message: string, field?: string): Wrong => ({
  ok: false,
  issues: [{ rule, message, ...(field !== undefined && { field }) }],
});

const actions: readonly string[] = ['accept', 'decline', 'dismiss'] satisfies readonly Reply['action'][];
const isAction = (action: unknown): action is Reply['action'] => actions.includes(action as string);

/**
 * Checks a reply against its question. Only the word `accept` accepts it.
 * @param reply - what the view sent; untrusted
 */
export function checkReply(question: Question, reply: unknown): ReplyCheck {
  if (!isRecord(reply)) return wrong('type', 'The reply is not an object: { action, content }.');
  const { action, content } = reply;
  if (!isAction(action)) return wrong('action', unknownAction(action));
  if (action !== 'accept') return { ok: true, action };
  const checked = checkAccepted(question, content);
  return checked.ok ? { ...checked, action } : checked;
}

function unknownAction(action: unknown): string {
  const must = `action must be ${oneOf(...actions).words}`;
  if (typeof action !== 'string') return `${must}; got ${action === undefined ? 'nothing' : 'something else'}.`;
  // The protocol's word for a question that was closed without an answer.
  const meant = action === 'cancel' ? 'dismiss' : nearest(action, actions);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  return `${must}; got '${visible(action, { max: 40 })}'.${hint}`;
}

function checkAccepted(question: Question, content: unknown): ContentCheck {
  if (content !== undefined && (typeof content !== 'object' || content === null || Array.isArray(content)))
    return wrong('type', 'The answer is not an object.');
  const values = content as Content | undefined;
  switch (question.kind) {
    case 'form': {
      return checkAsked(question.fields, values, question.schema);
    }
    case 'url':
      return question.url.openable
        ? { ok: true }
        : wrong('scheme', 'Only a well-formed http or https address can be opened.');
    case 'url-finish':
      return { ok: true };
    case 'call':
      return checkGrantChoice(question, values ?? {});
    case 'sign-in':
      return wrong(
        'unfinished',
        'Nobody has signed in yet. Open the page and sign in there; this question then ends by itself.',
      );
    case 'sampling-request':
      return checkRequestEdit(question, values ?? {});
    case 'sampling-reply':
      return checkReplyEdit(question, values ?? {});
    case 'roots':
      return checkGrant(
        question.roots.map(root => root.uri),
        values ?? {},
      );
  }
}

const isBlock = (block: unknown): boolean =>
  typeof block === 'object' && block !== null && typeof (block as { type?: unknown }).type === 'string';

const isMessage = (message: unknown): boolean => {
  if (typeof message !== 'object' || message === null) return false;
  const { role, content } = message as { role?: unknown; content?: unknown };
  return (role === 'user' || role === 'assistant') && Array.isArray(content) && content.every(isBlock);
};

/** True if all blocks are texts without a letter in them. */
const saysNothing = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.every(
    block => (block as Content)?.['type'] === 'text' && !/[^\s\p{Cf}]/u.test(String((block as Content)['text'])),
  );

function checkRequestEdit(question: SamplingRequestQuestion, edit: Content): ContentCheck {
  const { systemPrompt, messages, maxTokens, model } = edit;
  if (model !== undefined && !question.models.includes(model as string))
    return wrong('enum', 'Only one of your own models can be chosen.', 'model');
  if (systemPrompt !== undefined && typeof systemPrompt !== 'string')
    return wrong('type', 'The system prompt is not text.', 'systemPrompt');
  if (messages !== undefined && !(Array.isArray(messages) && messages.length > 0 && messages.every(isMessage)))
    return wrong('type', 'The messages are not a list of messages.', 'messages');
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && (maxTokens as number) > 0))
    return wrong('minimum', 'The limit of tokens is a whole number above 0.', 'maxTokens');
  // client/sampling, "Sampling Parameters": the server's limit is respected.
  if (maxTokens !== undefined && (maxTokens as number) > question.maxTokens)
    return wrong('maximum', `The server asked for at most ${question.maxTokens} tokens.`, 'maxTokens');
  return {
    ok: true,
    content: {
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(messages !== undefined && { messages }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(model !== undefined && { model }),
    },
  };
}

function checkReplyEdit(question: SamplingReplyQuestion, edit: Content): ContentCheck {
  const { content } = edit;
  if (question.model.byHand && saysNothing(content ?? question.content))
    return wrong(
      'required',
      'The reply is empty. Write it, or refuse the request: an empty text would pass for a reply.',
    );
  if (content === undefined) return { ok: true, content: {} };
  if (!Array.isArray(content) || content.length === 0 || !content.every(isBlock))
    return wrong('type', 'The reply is not a list of content blocks.', 'content');
  return { ok: true, content: { content } };
}

function checkGrantChoice({ grants }: CallQuestion, { grant, persist }: Content): ContentCheck {
  // Whether it counts is decided by the rule.
  if (persist === 'session' || persist === 'always') return { ok: true, content: { persist } };
  if (grant === undefined) return { ok: true };
  const read = readGrantChoice(grants, grant);
  return 'choice' in read ? { ok: true, content: { grant: read.choice } } : wrong('enum', read.wrong, read.field);
}

function checkGrant(offered: readonly string[], grant: Content): ContentCheck {
  const { uris = [], added = [] } = grant;
  if (!Array.isArray(uris) || !uris.every(uri => typeof uri === 'string' && offered.includes(uri)))
    return wrong('enum', 'Only directories that were offered can be granted.', 'uris');
  if (!isTexts(added)) return wrong('type', 'The added directories are not a list of URIs.', 'added');
  if (uris.length + added.length === 0)
    return wrong('minItems', 'Choose at least one directory to share. To share none, decline.');
  return { ok: true, content: { uris: [...new Set(uris)], ...(added.length > 0 && { added: [...new Set(added)] }) } };
}
