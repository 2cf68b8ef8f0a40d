/**
 * `notes_tidy`: the model proposes titles and tags, the person picks which to apply. Both happen within one call, and a refusal
 * of either ends it with every note unchanged.
 */

import { notDone, whyNot } from '@midcall/server';
import { z } from 'zod';
import { replied, withoutReply } from './no-model.ts';
import { notebook } from './notebook.ts';
import { choicesOf, picked, readProposals, tidyRequest } from './proposal.ts';
import { pathArgument, type Registry } from './registry.ts';
import { count, data, noteShape, reply } from './reply.ts';

/** The most notes in one form: people do not read a longer one. */
const mostTidied = 12;

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
