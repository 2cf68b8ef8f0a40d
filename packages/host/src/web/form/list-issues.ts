/** What is wrong in the rows of a list, each at its own control. Pure. */
import { own } from '@midcall/core/json';
import { checkArgument, newReading, unwrap } from '@midcall/core/json-schema';
import type { ListField } from './argument-form.ts';
import { cellName, type Draft, type FieldIssue, isBlank, rowsOf, valueFrom } from './draft.ts';

/**
 * @param name - of the list's controls
 * @param schema - of the list; untrusted
 * @param root - the whole schema
 */
export function listIssues(
  list: ListField,
  name: string,
  draft: Draft,
  schema: unknown,
  root: unknown,
): readonly FieldIssue[] {
  const { document, work } = newReading(root);
  const items = unwrap(own(unwrap(schema, document, work).schema, 'items'), document, work).schema;
  const members = own(items, 'properties');
  return rowsOf(draft, name)
    .filter(row => !isBlank(draft, list, name, row))
    .flatMap(row =>
      list.columns.flatMap((column, at) => {
        const cell = cellName(name, row, at);
        const { value, issue } = valueFrom(column, cell, draft);
        const part = list.ofObjects ? own(members, column.name) : items;
        const found = issue ?? checkArgument({ ...column, schema: part, root }, value);
        return found ? [{ ...found, field: list.name, cell }] : [];
      }),
    );
}
