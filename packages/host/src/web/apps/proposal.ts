/** What an App proposes for a form. Pure. */
import { type AskedField, checkContent, type Issue } from '@midcall/core/form';
import { isRecord, parseShallow } from '@midcall/core/json';
import { type Draft, draftFrom } from '../form/index.ts';

/** The most characters of a proposal. */
const longestProposal = 100_000;

/** A form's content with a proposal applied, or what is wrong with the proposal. */
export type Proposal =
  | { readonly ok: true; readonly draft: Draft }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * Reads a proposal. It is applied as a whole, or not at all.
 * @param text - content for some of the fields, as JSON
 * @param now - the form's content: fields that are not proposed stay as they are
 * @param form - `secrets`: names of the fields that only the person fills in
 */
export function readProposal(
  text: string,
  now: Draft,
  {
    fields,
    secrets,
    zone,
  }: { readonly fields: readonly AskedField[]; readonly secrets: ReadonlySet<string>; readonly zone: string },
): Proposal {
  const content = text.length <= longestProposal ? parsed(text) : undefined;
  if (!content)
    return { ok: false, issues: [{ rule: 'json', message: 'The proposal must be an object of field values.' }] };
  const isProposed = ({ name }: AskedField): boolean => Object.hasOwn(content, name) && !secrets.has(name);
  const proposed = fields.filter(isProposed);
  const values = Object.fromEntries(proposed.map(({ name }) => [name, content[name]]));
  const checked = checkContent(proposed, values);
  if (!checked.ok) return { ok: false, issues: checked.issues };
  const [draft, filled] = [new Map(now), draftFrom(fields, values, zone)];
  fields.forEach((field, at) => {
    if (!isProposed(field)) return;
    // Controls are named by position.
    for (const control of [`f${at}`, `f${at}.zone`]) {
      const value = filled.get(control);
      if (value) draft.set(control, value);
      else draft.delete(control);
    }
  });
  return { ok: true, draft };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseShallow(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
