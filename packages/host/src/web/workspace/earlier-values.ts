/**
 * Values that a person gave the arguments of a tool in earlier calls, to be offered again. They come from the calls that are
 * remembered, and are forgotten with them. Pure.
 */
import { isCardNumber } from '@midcall/core/form';
import { type CallContext, mask, maskedArguments, secretNames } from '../../index.ts';

/** The most values of one field, characters of a value, calls that are examined, and items of a list. */
const [mostValues, longest, mostCalls, mostItems] = [8, 200, 100, 20];

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(each => (typeof each === 'object' ? [] : textsIn(each)));
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const text = String(value);
  return text === '' || text.length > longest || text.includes('\n') || text.includes(mask) || isCardNumber(text)
    ? []
    : [text];
}

/** The value of an argument with every secret in it masked; only the beginning of a list. */
function openValue(all: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = Object.hasOwn(all, name) ? all[name] : undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return undefined;
  return maskedArguments({ [name]: Array.isArray(value) ? value.slice(0, mostItems) : value })[name];
}

/**
 * The values given before, by field, newest first; nothing of a field that asks for a secret.
 * @param calls - newest first; those made `here` count, and those of an `earlier` session
 * @param fields - as a form has them; their names, titles and descriptions tell which ask for a secret
 * @example
 * ```ts
 * const values = earlierValues(calls, { serverId: 'tables', kind: 'tool', name: 'table_book' }, fields);
 * const guests = values.get('guests')?.[0];
 * ```
 */
export function earlierValues(
  calls: readonly {
    readonly serverId: string;
    readonly context: Pick<CallContext, 'kind' | 'name' | 'arguments'>;
    readonly here?: boolean;
    readonly earlier?: boolean;
  }[],
  of: { readonly serverId: string; readonly kind: CallContext['kind']; readonly name: string },
  fields: readonly { readonly kind: string; readonly name: string }[],
): ReadonlyMap<string, readonly string[]> {
  const own = calls.filter(
    ({ serverId, context, here, earlier }) =>
      (here === true || earlier === true) &&
      serverId === of.serverId &&
      context.kind === of.kind &&
      context.name === of.name,
  );
  const secrets = secretNames(fields);
  const open = fields.filter(field => !secrets.has(field.name));
  const valuesOf = (name: string): readonly string[] => [
    ...new Set(own.slice(0, mostCalls).flatMap(({ context }) => textsIn(openValue(context.arguments, name)))),
  ];
  return new Map(open.map(({ name }) => [name, valuesOf(name).slice(0, mostValues)]));
}
