/** `notes_summarize`: one note, summarized by the client's model or the operator's. */
import { z } from 'zod';
import { replied, withoutReply } from './no-model.ts';
import { notebook } from './notebook.ts';
import { beginning } from './one-line.ts';
import { summaryRequest } from './proposal.ts';
import { noteArguments, type Registry, whichNote } from './registry.ts';
import { data, noteShape, reply } from './reply.ts';

/** How many characters of a note are summarized. */
const mostRead = 16_000;

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
