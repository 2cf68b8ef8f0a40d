/**
 * What a tool says if it did nothing. A refusal, a closed question and a client that cannot ask are three different things to
 * the reader of the result, so each has its own wording. Pure.
 */

import type { Answer } from '@midcall/core/form';
import { notDone, whyNot } from '@midcall/server';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { label, type Note } from './note.ts';
import type { Moved } from './notebook.ts';
import { oneLine } from './one-line.ts';
import type { Matches } from './pick.ts';
import { count, data, lines, reply } from './reply.ts';

/** The result if there is nothing to ask about. */
export const notFound = (title: string): CallToolResult =>
  reply(`No note is called '${oneLine(title)}'. Use notes_search to find it.`, { outcome: 'not-found' });

/**
 * The result for an answer other than yes; if nobody could be asked, it lists what the person would have seen.
 * @param what - what was not done, as in `deleted`
 * @param way - what would help if nobody could be asked
 */
export function refused(
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
export function overtaken(moved: Exclude<Moved, { outcome: 'moved' }>, note: Note, what: string): CallToolResult {
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
