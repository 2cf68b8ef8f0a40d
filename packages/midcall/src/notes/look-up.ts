/** `notes_list`, `notes_search` and `notes_read`: reading, without changing anything. */
import { z } from 'zod';
import { notebook } from './notebook.ts';
import { oneLine } from './one-line.ts';
import { noteArguments, pathArgument, type Registry, whichNote } from './registry.ts';
import { count, data, lines, noteShape, reply } from './reply.ts';

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

const mostHits = 20;

const folder = pathArgument
  .optional()
  .describe('Only this folder and what is below it. The archive is the folder archive.');

function capped(total: number, shown: number): string {
  return total > shown ? `\nThe first ${shown} are listed; give a folder to narrow it down.` : '';
}

export function registerLookUp({ mid, server, clock, files, preferences }: Registry): void {
  mid.tool(
    server,
    'notes_list',
    {
      title: 'List notes',
      description:
        'Lists notes with title, folder and date, newest first or as the person prefers. Archived and deleted notes are left out.',
      inputSchema: z.strictObject({ folder }),
      outputSchema: z.object({ total: z.number(), unreadable: z.number(), notes: z.array(noteShape) }),
      annotations,
    },
    async ({ folder }, call) => {
      const { notes, unreadable } = await notebook(await files(call), clock).list(folder);
      const { order, listed } = preferences();
      const sorted = order === 'title' ? notes.toSorted((a, b) => a.title.localeCompare(b.title)) : notes;
      const firstNotes = sorted.slice(0, listed);
      const missing = unreadable > 0 ? `\n${count(unreadable, 'file')} could not be read.` : '';
      const text =
        firstNotes.length === 0 ? 'There are no notes here.' : `${count(notes.length)}:\n${lines(firstNotes)}`;
      return reply(`${text}${capped(notes.length, firstNotes.length)}${missing}`, {
        total: notes.length,
        unreadable,
        notes: firstNotes.map(data),
      });
    },
  );

  mid.tool(
    server,
    'notes_search',
    {
      title: 'Search notes',
      description: 'Finds notes whose title or text has all words of the query, best first.',
      inputSchema: z.strictObject({
        query: z.string().trim().min(1).max(500).describe('Words, in any order and case.'),
        folder,
      }),
      outputSchema: z.object({ total: z.number(), notes: z.array(noteShape.extend({ excerpt: z.string() })) }),
      annotations,
    },
    async ({ query, folder }, call) => {
      const hits = await notebook(await files(call), clock).search(query, folder);
      const firstHits = hits.slice(0, mostHits);
      const text = firstHits.map(hit => `${lines([hit])}${hit.excerpt && `\n  ${hit.excerpt}`}`).join('\n');
      return reply(
        firstHits.length === 0
          ? `Nothing found for '${oneLine(query)}'.`
          : `${count(hits.length)} found:\n${text}${capped(hits.length, firstHits.length)}`,
        { total: hits.length, notes: firstHits.map(hit => ({ ...data(hit), excerpt: hit.excerpt })) },
      );
    },
  );

  mid.tool(
    server,
    'notes_read',
    {
      title: 'Read a note',
      description: 'Gives the whole text of one note, named by its path or its note_id.',
      inputSchema: z.strictObject(noteArguments),
      outputSchema: z.object({ note: noteShape, text: z.string() }),
      annotations,
    },
    async (selector, call) => {
      const { note, text } = await notebook(await files(call), clock).read(whichNote(selector));
      return reply(text, { note: data(note), text });
    },
  );
}
