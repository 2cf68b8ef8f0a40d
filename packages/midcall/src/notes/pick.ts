/** The question of which of several notes is meant: its choices, its wording, and how many choices are shown. Pure. */
import { label, type Note } from './note.ts';
import { count } from './reply.ts';

/** The most notes to choose from; the newest are shown. */
const mostChoices = 50;

/** The matches that a question can show, and how many there are; plain JSON, so that a step can record it. */
export interface Matches<N extends Note = Note> {
  readonly total: number;
  readonly shown: N[];
}

/** The newest matches of a list that is sorted newest first. */
export function newest<N extends Note>(notes: readonly N[]): Matches<N> {
  return { total: notes.length, shown: notes.slice(0, mostChoices) };
}

/** The choices of a titled single-select: the value is the id, the title tells the notes apart. */
export function choices(notes: readonly Note[]): { const: string; title: string }[] {
  const labels = notes.map(label);
  const alike = (text: string): boolean => labels.indexOf(text) !== labels.lastIndexOf(text);
  return notes.map((note, index) => {
    const title = labels[index]!;
    return { const: note.id, title: alike(title) ? label({ ...note, folder: note.path }) : title };
  });
}

/** The part of the question after its first sentence. */
export function multiple({ total, shown }: Matches, what = 'notes'): string {
  const all = `Multiple ${what} match; pick one.`;
  return total === shown.length ? all : `${all} Only the newest ${shown.length} of ${count(total)} are listed.`;
}
