/**
 * The tools that move notes out of the way and back. If several notes match, they ask which one is meant, and show only some of them.
 * If nothing was done, they say why: a refusal, a closed question and a client that cannot ask are three different things to the
 * reader of a result, so each has its own wording.
 */
import type { Answer } from '@midcall/core/form';
import { notDone, whyNot } from '@midcall/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { label, type Note } from './note.ts';
import { type DeletedNote, type Moved, notebook } from './notebook.ts';
import { oneLine } from './one-line.ts';
import { pathArgument, type Registry, titleArgument, titleArguments } from './registry.ts';
import { count, data, lines, noteShape, outcomeShape, reply } from './reply.ts';

/** The most notes to choose from; the newest are shown. */
const mostChoices = 50;

/** The matches that a question can show, and how many there are; plain JSON, so that a step can record it. */
interface Matches<N extends Note = Note> {
  readonly total: number;
  readonly shown: N[];
}

/** The newest matches of a list that is sorted newest first. */
function newest<N extends Note>(notes: readonly N[]): Matches<N> {
  return { total: notes.length, shown: notes.slice(0, mostChoices) };
}

/** The choices of a titled single-select: the value is the id, the title tells the notes apart. */
function choices(notes: readonly Note[]): { const: string; title: string }[] {
  const labels = notes.map(label);
  const alike = (text: string): boolean => labels.indexOf(text) !== labels.lastIndexOf(text);
  return notes.map((note, index) => {
    const title = labels[index]!;
    return { const: note.id, title: alike(title) ? label({ ...note, folder: note.path }) : title };
  });
}

/** The part of the question after its first sentence. */
function multiple({ total, shown }: Matches, what = 'notes'): string {
  const all = `Multiple ${what} match; pick one.`;
  return total === shown.length ? all : `${all} Only the newest ${shown.length} of ${count(total)} are listed.`;
}

/** The result if there is nothing to ask about. */
const notFound = (title: string): CallToolResult =>
  reply(`No note is called '${oneLine(title)}'. Use notes_search to find it.`, { outcome: 'not-found' });

/**
 * The result for an answer other than yes; if nobody could be asked, it lists what the person would have seen.
 * @param what - what was not done, as in `deleted`
 * @param way - what would help if nobody could be asked
 */
function refused(
  answer: Answer<unknown>,
  what: string,
  { total, shown }: Matches,
  way = 'Ask the person which one is meant, and say so with path.',
): CallToolResult {
  const outcome = notDone(answer);
  const sentence = `Nothing was ${what}: ${whyNot(answer)}`;
  const help = `${count(total)} with this title:\n${lines(shown)}\n${total > shown.length ? 'Only the newest are listed. ' : ''}`;
  return reply(outcome === 'unavailable' ? `${sentence} ${help}${way}` : sentence, {
    outcome,
    matches: shown.map(data),
  });
}

/** The result for a note that had changed by the time of the action. */
function notMoved(moved: Exclude<Moved, { outcome: 'moved' }>, note: Note, what: string): CallToolResult {
  const why = {
    gone: 'it is no longer there',
    changed: 'the file holds another note by now',
    occupied: 'something else has its place; move that away first',
  };
  return reply(`Nothing was ${what}. ${label(note)}: ${why[moved.outcome]}.`, {
    outcome: moved.outcome,
    note: data(note),
  });
}

const confirm = { type: 'boolean', title: 'Move it to the archive' } as const;

const always = 'The person is asked every time, so this takes a client that can ask.';

/** `notes_archive`: moves a note out of the way; asks every time, even if only one note matches. */
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
      if (moved.outcome !== 'moved') return notMoved(moved, note, 'archived');
      return reply(`Archived ${label(note)}. It is now at ${moved.to}.`, {
        outcome: 'archived',
        note: data(note),
        moved_to: moved.to,
      });
    },
  );
}

/**
 * `notes_delete`: a single match goes to the trash at once, since that can be undone; of several, the person picks one.
 * Everything that matters is in this one function, to be read from top to bottom; it knows no protocol revision and keeps no
 * state.
 */
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
      if (moved.outcome !== 'moved') return notMoved(moved, chosen, 'deleted');
      return reply(`Deleted ${label(chosen)}. notes_restore brings it back.`, {
        outcome: 'deleted',
        note: data(chosen),
        moved_to: moved.to,
      });
    },
  );
}

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

/** `notes_restore`: lists the trash, or restores a note to where it was. It never replaces a note. */
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
      if (moved.outcome !== 'moved') return notMoved(moved, visibleNote(chosen), 'restored');
      return reply(`Restored '${chosen.title}' to ${moved.to}.`, {
        outcome: 'restored',
        note: restorable(chosen),
        moved_to: moved.to,
      });
    },
  );
}
