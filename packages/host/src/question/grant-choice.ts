/** How far a person's yes to one call lets later ones pass: what is offered with the question, and what they choose. Pure. */
import { isRecord } from '@midcall/core/json';
import { oneOf } from '@midcall/core/options';

/** Which calls may pass: those with these arguments and no others; with some arguments equal to these; every call of the tool. */
export type GrantScope = 'exact' | 'fields' | 'tool';
/** From the narrowest. */
export const grantScopes = ['exact', 'fields', 'tool'] as const satisfies readonly GrantScope[];

/** When a grant ends: with the process that asks, or after an hour or a day. */
export type GrantEnd = 'session' | 'hour' | 'day';

/** What hosts say of the time after a yes, in `_meta.persist` of their answer. */
export type HostPersist = 'session' | 'always';

/** What a person may choose. */
export interface GrantOffer {
  readonly scopes: readonly GrantScope[];
  /** The arguments that may be demanded to be equal. */
  readonly fields: readonly string[];
  readonly ends: readonly GrantEnd[];
  /** The last calls of this tool that the person was asked about: whether all arguments were these, and which of the fields were. */
  readonly recent: readonly { readonly exact: boolean; readonly fields: readonly string[] }[];
}

/** What a person has chosen. */
export interface GrantChoice {
  readonly scope: GrantScope;
  /** For the scope `fields`: at least one. */
  readonly fields?: readonly string[];
  readonly end: GrantEnd;
}

/**
 * How many of the last calls a choice would have let pass.
 * @example
 * ```ts
 * const offer = { recent: [{ exact: false, fields: ['repo'] }] }; // `grants` of a question about a call
 * const passed = wouldPass(offer, { scope: 'fields', fields: ['repo'] }); // 1
 * ```
 */
export const wouldPass = (
  { recent }: Pick<GrantOffer, 'recent'>,
  { scope, fields = [] }: Pick<GrantChoice, 'scope' | 'fields'>,
): number =>
  recent.filter(call =>
    scope === 'tool' ? true : scope === 'exact' ? call.exact : fields.every(name => call.fields.includes(name)),
  ).length;

/**
 * Reads a choice.
 * @param value - what a view sent; untrusted
 * @returns the choice, or what is wrong with it
 */
export function readGrantChoice(
  offer: GrantOffer | undefined,
  value: unknown,
): { readonly choice: GrantChoice } | { readonly field: string; readonly wrong: string } {
  if (!offer) return { field: 'grant', wrong: 'The rule that asks lets a yes count for one call only.' };
  if (!isRecord(value)) return { field: 'grant', wrong: 'The grant is not an object: { scope, fields, end }.' };
  const { scope, fields, end } = value;
  const is = <T extends string>(all: readonly T[], one: unknown): one is T => all.includes(one as T);
  if (!is(offer.scopes, scope)) return { field: 'scope', wrong: `scope must be ${oneOf(...offer.scopes).words}.` };
  if (!is(offer.ends, end)) return { field: 'end', wrong: `end must be ${oneOf(...offer.ends).words}.` };
  if (scope !== 'fields') return { choice: { scope, end } };
  if (!Array.isArray(fields) || fields.length === 0 || !fields.every(name => is(offer.fields, name)))
    return { field: 'fields', wrong: 'Choose at least one of the arguments that must be equal.' };
  return { choice: { scope, fields: [...new Set(fields)], end } };
}
