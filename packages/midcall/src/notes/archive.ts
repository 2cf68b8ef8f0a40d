/** `notes_archive`: moves a note out of the way; asks every time, even if only one note matches. */
import { z } from 'zod';
import { label } from './note.ts';
import { notebook } from './notebook.ts';
import { oneLine } from './one-line.ts';
import { choices, multiple, newest } from './pick.ts';
import { notFound, overtaken, refused } from './refusal.ts';
import { type Registry, titleArguments } from './registry.ts';
import { data, outcomeShape, reply } from './reply.ts';

const confirm = { type: 'boolean', title: 'Move it to the archive' } as const;

const always = 'The person is asked every time, so this takes a client that can ask.';

export function registerArchive({ mid, server, clock, files }: Registry): void {
  mid.tool(
    server,
    'notes_archive',
    {
      title: 'Archive a note',
      description:
        'Moves the note with this title to the archive folder, where it can be read but is no longer listed. The person ' +
        'is asked every time.',
      inputSchema: z.strictObject(titleArguments),
      outputSchema: outcomeShape,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    async ({ title, path }, call) => {
      const notes = notebook(await files(call), clock);
      const matches = await call.step('find', async () => newest(await notes.find(title, path)));
      const [first] = matches.shown;
      if (!first) return notFound(title);

      const answer =
        matches.total === 1
          ? await call.elicit({
              message: `Archive ${label(first)}?`,
              form: { type: 'object', properties: { confirm }, required: ['confirm'] },
            })
          : await call.elicit({
              message: `Archive '${oneLine(title)}'? ${multiple(matches)}`,
              form: {
                type: 'object',
                properties: { note_id: { type: 'string', title: 'Note', oneOf: choices(matches.shown) }, confirm },
                required: ['note_id', 'confirm'],
              },
            });
      if (answer.action !== 'accept' || !answer.content.confirm) return refused(answer, 'archived', matches, always);
      const picked = 'note_id' in answer.content ? answer.content.note_id : first.id;
      const note = matches.shown.find(each => each.id === picked)!;

      const moved = await call.step('archive', () => notes.archive(note), { effect: true });
      if (moved.outcome !== 'moved') return overtaken(moved, note, 'archived');
      return reply(`Archived ${label(note)}. It is now at ${moved.to}.`, {
        outcome: 'archived',
        note: data(note),
        moved_to: moved.to,
      });
    },
  );
}
