/**
 * The field by which a person goes back to an earlier form of a wizard. A request names it in its `_meta`, so that a host that
 * knows it can offer it as a way out of the form; for any other host it is an optional field like others. Pure.
 */
import { own } from '../json/index.ts';
import type { AskedField, SelectField } from './field.ts';

const KEY = 'io.github.midcall/way-back';

/** The `_meta` of a request whose form has a way back. @param field - the name of a select field that is not required */
export const wayBackMeta = (field: string): Readonly<Record<string, unknown>> => ({ [KEY]: field });

/** Marks the select field of this name as the way back. */
export const withWayBackField = <F extends AskedField>(fields: readonly F[], name: unknown): readonly F[] =>
  fields.map(field =>
    field.name === name && field.kind === 'select' && !field.required ? { ...field, wayBack: true } : field,
  );

/** The name of the field that the params of an `elicitation/create` mark as the way back. @param params - untrusted */
export const wayBackName = (params: unknown): unknown => own(own(params, '_meta'), KEY);

/** True for the field of a wizard's form that leads to an earlier one. */
export const isWayBack = (field: AskedField): field is SelectField => field.kind === 'select' && field.wayBack === true;
