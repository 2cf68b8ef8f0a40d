/**
 * Values that a person gave the arguments of a tool in earlier calls, to be offered again. They are those of the calls that
 * the desk remembers, so that they go with them. Pure.
 */
import { isCardNumber } from '@midcall/core/form';
import { mask, maskedArguments, secretNames } from '../../index.ts';
import type { ArgumentField } from '../form/argument-form.ts';
import type { CallView, OfferKind } from './views.ts';

/** Values of one field, and characters of a value. */
const [mostValues, longest] = [8, 200];

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(each => (typeof each === 'object' ? [] : textsIn(each)));
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const text = String(value);
  return text === '' || text.length > longest || text.includes('\n') || text.includes(mask) || isCardNumber(text)
    ? []
    : [text];
}

/**
 * By field, newest first; nothing of a field that asks for a secret.
 * @param calls - newest first
 */
export function earlierValues(
  calls: readonly CallView[],
  of: { readonly serverId: string; readonly kind: OfferKind; readonly name: string },
  fields: readonly ArgumentField[],
): ReadonlyMap<string, readonly string[]> {
  const own = calls.filter(
    ({ serverId, context, here, earlier }) =>
      (here === true || earlier === true) &&
      serverId === of.serverId &&
      context.kind === of.kind &&
      context.name === of.name,
  );
  const given = own.map(({ context }) => maskedArguments(context.arguments));
  const secrets = secretNames(fields);
  const open = fields.filter(field => !secrets.has(field.name));
  const valuesOf = (name: string): readonly string[] => [
    ...new Set(given.flatMap(all => textsIn(Object.hasOwn(all, name) ? all[name] : undefined))),
  ];
  return new Map(open.map(({ name }) => [name, valuesOf(name).slice(0, mostValues)]));
}
