/** `notes_write`: creates a note or replaces its text, in one step, inside the boundary. */
import { z } from 'zod';
import { maxNoteBytes, notebook } from './notebook.ts';
import { pathArgument, type Registry } from './registry.ts';
import { data, noteShape, reply } from './reply.ts';

export function registerWrite({ mid, server, clock, files }: Registry): void {
  mid.tool(
    server,
    'notes_write',
    {
      title: 'Write a note',
      description:
        'Creates a note, or replaces the whole text of one. Missing folders are created. The name ends in .md.',
      inputSchema: z.strictObject({
        path: pathArgument.describe('Relative to a root, absolute, or a file: URI.'),
        text: z.string().max(maxNoteBytes).describe('The whole text, Markdown.'),
      }),
      outputSchema: z.object({ outcome: z.enum(['created', 'replaced']), note: noteShape }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    async ({ path, text }, call) => {
      const notes = notebook(await files(call), clock);
      // A step that fails is in doubt, although nothing is written at such a path.
      await notes.checkPath(path);
      const { note, created } = await call.step('write', () => notes.write(path, text), { effect: true });
      const outcome = created ? 'created' : 'replaced';
      return reply(`${created ? 'Created' : 'Replaced'} ${note.path}: '${note.title}'.`, { outcome, note: data(note) });
    },
  );
}
