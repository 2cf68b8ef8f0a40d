/**
 * `notes_delete`: a single match goes to the trash at once, since that can be undone; of several, the person picks one.
 * Everything that matters is in this one function, to be read from top to bottom; it knows no protocol revision and keeps no
 * state.
 */
import { z } from 'zod';
import { label } from './note.ts';
import { notebook } from './notebook.ts';
import { oneLine } from './one-line.ts';
import { choices, multiple, newest } from './pick.ts';
import { notFound, overtaken, refused } from './refusal.ts';
import { type Registry, titleArguments } from './registry.ts';
import { data, outcomeShape, reply } from './reply.ts';

export function registerDelete({ mid, server, clock, files }: Registry): void {
  mid.tool(
    server,
    'notes_delete',
    {
      title: 'Delete a note',
      description:
        'Moves the note with this title to the trash; notes_restore brings it back. Where several notes have the title, ' +
        'the person is asked which one. Do not guess for them.',
      inputSchema: z.strictObject(titleArguments),
      outputSchema: outcomeShape,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    },
    async ({ title, path }, call) => {
      const notes = notebook(await files(call), clock);
      const matches = await call.step('find', async () => newest(await notes.find(title, path)));
      let [note] = matches.shown;
      if (!note) return notFound(title);

      if (matches.total > 1) {
        const answer = await call.elicit({
          message: `Delete '${oneLine(title)}'? ${multiple(matches)}`,
          form: {
            type: 'object',
            properties: {
              note_id: { type: 'string', title: 'Note', oneOf: choices(matches.shown) },
              confirm: { type: 'boolean', title: 'Move it to the trash' },
            },
            required: ['note_id', 'confirm'],
          },
        });
        if (answer.action !== 'accept' || !answer.content.confirm) return refused(answer, 'deleted', matches);
        const picked = answer.content.note_id;
        note = matches.shown.find(each => each.id === picked)!;
      }

      const chosen = note;
      const moved = await call.step('delete', () => notes.trash(chosen), { effect: true });
      if (moved.outcome !== 'moved') return overtaken(moved, chosen, 'deleted');
      return reply(`Deleted ${label(chosen)}. notes_restore brings it back.`, {
        outcome: 'deleted',
        note: data(chosen),
        moved_to: moved.to,
      });
    },
  );
}
