/** Results of tools: one text for the model and the person, and the same as data if a tool has an output schema. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { label, type Note } from './note.ts';

/** A note as tools return it. */
export const noteShape = z.object({
  note_id: z.string(),
  title: z.string(),
  folder: z.string(),
  date: z.string().describe('YYYY-MM-DD'),
  path: z.string().describe('Names the note in other calls.'),
});

/** The outcome for a note that was to be moved. */
export const outcomeShape = z.object({
  outcome: z.string().describe('What was done, or in one word why nothing was.'),
  note: noteShape.optional(),
  moved_to: z.string().optional().describe('Where the note lies now.'),
  matches: z.array(noteShape).optional().describe('The notes the person had to choose from.'),
});

/** A result as text and as data. */
export function reply(text: string, data?: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text }], ...(data && { structuredContent: data }) };
}

/** A note as data. */
export function data(note: Note): z.infer<typeof noteShape> {
  const { id, title, folder, date, path } = note;
  return { note_id: id, title, folder, date, path };
}

/** Notes as lines: what distinguishes each, and how to name it in a call. */
export function lines(notes: readonly Note[]): string {
  return notes.map(note => `- ${label(note)} (path: ${note.path}, note_id: ${note.id})`).join('\n');
}

/** `1 note`, `1,234 notes`. */
export function count(number: number, one = 'note'): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : `${one}s`}`;
}
