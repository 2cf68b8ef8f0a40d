/** `notes_restore`: lists the trash, or restores a note to where it was. It never replaces a note. */
import { z } from 'zod';
import { label } from './note.ts';
import { type DeletedNote, notebook } from './notebook.ts';
import { oneLine } from './one-line.ts';
import { choices, multiple, newest } from './pick.ts';
import { overtaken, refused } from './refusal.ts';
import { pathArgument, type Registry, titleArgument } from './registry.ts';
import { count, data, noteShape, reply } from './reply.ts';

const deletedShape = noteShape.extend({
  path: z.string().describe('Where the note was, and goes back to.'),
  deleted_at: z.string().optional(),
});

/** What distinguishes it for a person: where it was, and when it was deleted. */
const visibleNote = (note: DeletedNote): DeletedNote => ({
  ...note,
  path: note.from,
  date: `deleted ${note.deletedAt.slice(0, 16).replace('T', ' ')}`,
});

const restorable = (note: DeletedNote): z.infer<typeof deletedShape> => ({
  ...data(note),
  path: note.from,
  deleted_at: note.deletedAt,
});

export function registerRestore({ mid, server, clock, files }: Registry): void {
  mid.tool(
    server,
    'notes_restore',
    {
      title: 'Restore a deleted note',
      description:
        'Brings a deleted note back to where it was. Without arguments it lists what can be restored. It never replaces a ' +
        'note that has taken the place since.',
      inputSchema: z.strictObject({
        title: titleArgument.optional().describe('The title of the deleted note, in full.'),
        path: pathArgument
          .optional()
          .describe('Where the deleted note was. Of several the one deleted last is restored.'),
      }),
      outputSchema: z.object({
        outcome: z.string(),
        note: deletedShape.optional(),
        moved_to: z.string().optional(),
        matches: z.array(deletedShape).optional(),
      }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async ({ title, path }, call) => {
      const notes = notebook(await files(call), clock);
      const deleted = await call.step('find', async () => newest(await notes.deleted({ title, path })));
      const list = deleted.shown.map(note => `- ${label(visibleNote(note))} (path: ${note.from})`).join('\n');
      if (title === undefined && path === undefined) {
        const text =
          deleted.total === 0
            ? 'The trash is empty.'
            : `${count(deleted.total)} in the trash, last deleted first:\n${list}`;
        return reply(text, { outcome: 'listed', matches: deleted.shown.map(restorable) });
      }
      let [note] = deleted.shown;
      if (!note) {
        return reply(
          `The trash holds no note ${title === undefined ? `from '${oneLine(path!)}'` : `called '${oneLine(title)}'`}.`,
          {
            outcome: 'not-found',
          },
        );
      }

      if (deleted.total > 1 && path === undefined) {
        const answer = await call.elicit({
          message: `Restore '${oneLine(title!)}'? ${multiple(deleted, 'deleted notes')}`,
          form: {
            type: 'object',
            properties: {
              note_id: { type: 'string', title: 'Deleted note', oneOf: choices(deleted.shown.map(visibleNote)) },
            },
            required: ['note_id'],
          },
        });
        if (answer.action !== 'accept') {
          return refused(answer, 'restored', { total: deleted.total, shown: deleted.shown.map(visibleNote) });
        }
        const picked = answer.content.note_id;
        note = deleted.shown.find(each => each.id === picked)!;
      }

      const chosen = note;
      const moved = await call.step('restore', () => notes.restore(chosen), { effect: true });
      if (moved.outcome !== 'moved') return overtaken(moved, visibleNote(chosen), 'restored');
      return reply(`Restored '${chosen.title}' to ${moved.to}.`, {
        outcome: 'restored',
        note: restorable(chosen),
        moved_to: moved.to,
      });
    },
  );
}
