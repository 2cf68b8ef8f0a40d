/** A model's reply, or why there is none: its owner refused, there is no model, or the reply is unusable. */

import { isMidcallError } from '@midcall/core/errors';
import { type SamplingResult, textOf } from '@midcall/core/sampling';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { oneLine } from './one-line.ts';
import { reply } from './reply.ts';

/** Why there is no reply. */
export type NoReply = 'model-refused' | 'model-refused-unread' | 'no-model' | 'model-failed';

/**
 * Waits for a reply.
 * @throws any error that is not about the model
 */
export async function replied(
  sampling: Promise<SamplingResult>,
): Promise<{ readonly text: string; readonly model: string } | { readonly missing: NoReply }> {
  try {
    const result = await sampling;
    const text = textOf(result).trim();
    return text === '' ? { missing: 'model-failed' } : { text, model: oneLine(result.model) };
  } catch (error) {
    if (isMidcallError(error, 'sampling/refused')) return { missing: 'model-refused' };
    if (isMidcallError(error, 'sampling/suspect')) return { missing: 'model-refused-unread' };
    if (isMidcallError(error, 'sampling/unavailable')) return { missing: 'no-model' };
    if (isMidcallError(error, 'sampling/invalid')) return { missing: 'model-failed' };
    if (isMidcallError(error, 'sampling/limit')) return { missing: 'model-failed' };
    throw error;
  }
}

/**
 * The result if there is no reply.
 * @param what - what was not done, as in `summarized`
 */
export function withoutReply(missing: NoReply, what: string): CallToolResult {
  return reply(`Nothing was ${what}: ${because[missing]}`, { outcome: missing });
}

const because: Record<NoReply, string> = {
  'model-refused': 'the person refused to let their model be used. Do not try again unless they ask for it.',
  'model-refused-unread':
    'the client refused the use of its model before anybody could have read the request. Tell the person, who may know ' +
    'nothing of it, and do not try again by yourself.',
  'no-model': 'no language model could be reached: the client offers none here, or it did not reply.',
  'model-failed': 'the model did not reply in the way it was asked to.',
};
