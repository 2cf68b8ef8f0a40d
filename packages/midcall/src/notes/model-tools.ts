/** The tools that need a model, and what they say if there is no reply: its owner refused, there is no model, or it is unusable. */
import { isMidcallError } from '@midcall/core/errors';
import { type SamplingResult, textOf } from '@midcall/core/sampling';
import { notDone, whyNot } from '@midcall/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { notebook } from './notebook.ts';
import { beginning, oneLine } from './one-line.ts';
import { choicesOf, picked, readProposals, summaryRequest, tidyRequest } from './proposal.ts';
import { noteArguments, pathArgument, type Registry, whichNote } from './registry.ts';
import { count, data, noteShape, reply } from './reply.ts';

/** Why there is no reply. */
type NoReply = 'model-refused' | 'model-refused-unread' | 'no-model' | 'model-failed';

/**
 * Waits for a reply.
 * @throws any error that is not about the model
 */
async function replied(
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
function withoutReply(missing: NoReply, what: string): CallToolResult {
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

/** How many characters of a note are summarized. */
const mostRead = 16_000;

/** `notes_summarize`: one note, summarized by the client's model or the operator's. */
export function registerSummarize({ mid, server, clock, files }: Registry): void {
  mid.tool(
    server,
    'notes_summarize',
    {
      title: 'Summarize a note',
      description: 'Summarizes one note, named by its path or its note_id, with a language model of the client.',
      inputSchema: z.strictObject(noteArguments),
      outputSchema: z.object({
        outcome: z.string().describe('summarized, or in one word why nothing was.'),
        note: noteShape.optional(),
        summary: z.string().optional(),
        model: z.string().optional(),
        shortened: z.boolean().optional().describe('True where the note was too long and only its beginning was read.'),
      }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async (selector, call) => {
      const notes = notebook(await files(call), clock);
      const { note, text, shortened } = await call.step('read', async () => {
        const { note, text } = await notes.read(whichNote(selector));
        return { note, text: beginning(text, mostRead), shortened: text.length > mostRead };
      });
      const sampled = await replied(call.sample(summaryRequest(note, text)));
      if ('missing' in sampled) return withoutReply(sampled.missing, 'summarized');
      const { text: summary, model } = sampled;
      return reply(summary, { outcome: 'summarized', note: data(note), summary, model, shortened });
    },
  );
}

/** The most notes in one form: people do not read a longer one. */
const mostTidied = 12;

/**
 * `notes_tidy`: the model proposes titles and tags, the person picks which to apply. Both happen within one call, and a refusal
 * of either ends it with every note unchanged.
 */
export function registerTidy({ mid, server, clock, files }: Registry): void {
  mid.tool(
    server,
    'notes_tidy',
    {
      title: 'Tidy notes',
      description:
        'Lets a language model of the client propose titles and tags for the newest notes; the person picks which of them ' +
        'are applied. They go into the front matter; the text of a note stays as it is.',
      inputSchema: z.strictObject({
        folder: pathArgument.optional().describe('Only this folder and what is below it, or one note.'),
      }),
      outputSchema: z.object({
        outcome: z.string().describe('tidied, or in one word why nothing was.'),
        changed: z
          .array(z.object({ note: noteShape, title: z.string().optional(), tags: z.array(z.string()).optional() }))
          .optional(),
        left: z
          .array(z.object({ path: z.string(), why: z.string() }))
          .optional()
          .describe('Picked, but not possible.'),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    async ({ folder }, call) => {
      const notes = notebook(await files(call), clock);
      const seen = await call.step('look', () => notes.glance(folder, mostTidied));
      if (seen.length === 0) return reply('There are no notes here.', { outcome: 'nothing' });

      const sampled = await replied(call.sample(tidyRequest(seen)));
      if ('missing' in sampled) return withoutReply(sampled.missing, 'tidied');
      const proposals = readProposals(sampled.text, seen);
      if (!proposals) return withoutReply('model-failed', 'tidied');
      if (proposals.length === 0) return reply('The notes are tidy: nothing was proposed.', { outcome: 'nothing' });

      const choices = choicesOf(proposals);
      const answer = await call.elicit({
        message: `Tidy ${count(proposals.length)}? Pick the changes to apply; they were proposed by a language model.`,
        form: {
          type: 'object',
          properties: { apply: { type: 'array', title: 'Changes to apply', items: { anyOf: choices } } },
          required: ['apply'],
        },
      });
      if (answer.action !== 'accept')
        return reply(`Nothing was tidied: ${whyNot(answer)}`, { outcome: notDone(answer) });
      const chosen = picked(proposals, answer.content.apply);
      if (chosen.length === 0)
        return reply('Nothing was tidied: the person picked nothing.', { outcome: 'not-confirmed' });

      const changed = [];
      const left = [];
      for (const { note, ...change } of chosen) {
        const { outcome } = await call.step(`tidy ${note.path}`, () => notes.amend(note, change), { effect: true });
        if (outcome === 'amended') changed.push({ note: data(note), ...change });
        else left.push({ path: note.path, why: outcome });
      }
      const rest = left.map(({ path, why }) => `\n- ${path} was left alone: it is ${why}.`).join('');
      return reply(`Tidied ${count(changed.length)}.${rest}`, { outcome: 'tidied', changed, left });
    },
  );
}
