/**
 * The field by which a person goes back to an earlier form of a wizard. A request names it in its `_meta`, so that a host that
 * knows it can offer it as a way out of the form; for any other host it is an optional field like others. Pure.
 */
import { isRecord, own } from '../json/index.ts';
import type { Field } from './field.ts';
import { type ReadForm, readForm } from './read-form.ts';

const KEY = 'io.github.midcall/way-back';

/** The `_meta` of a request whose form has a way back. @param field - the name of a select field that is not required */
export const wayBackMeta = (field: string): Readonly<Record<string, unknown>> => ({ [KEY]: field });

/** Marks the select field of this name as the way back. */
export const withWayBackField = (fields: readonly Field[], name: unknown): readonly Field[] =>
  fields.map(field =>
    field.name === name && field.kind === 'select' && !field.required ? { ...field, wayBack: true } : field,
  );

/** Reads the form of an `elicitation/create`, and which of its fields is the way back. @param params - untrusted */
export function readFormParams(params: unknown): ReadForm {
  const read = readForm(own(params, 'requestedSchema'));
  const meta = own(params, '_meta');
  return read.ok && isRecord(meta) ? { ...read, fields: withWayBackField(read.fields, own(meta, KEY)) } : read;
}
