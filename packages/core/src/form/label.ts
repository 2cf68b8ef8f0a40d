/** What a field is called when it is shown to a person. */
import type { Field } from './field.ts';

/**
 * The field's title, or its name made readable: `note_id` becomes `Note id`, `maxPages` becomes `Max pages`.
 * Cut at 80 characters. A title that a server sent is untrusted text: views make control characters visible.
 */
export function labelOf(field: Pick<Field, 'name' | 'title'>): string {
  const title = field.title?.trim();
  const label = title || readable(field.name);
  return label.length > 80 ? `${label.slice(0, 79)}…` : label;
}

function readable(name: string): string {
  const words = name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .replace(/[\s_.-]+/gu, ' ')
    .trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
