/** What a schema says once it is taken out of what generators wrap around it. Pure. */
import { isRecord, own } from '../json/index.ts';
import type { Work } from '../patterns/index.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A schema without its wrapping. */
export interface Unwrapped {
  readonly schema: Schema;
  /** True if null is a value of it besides those that {@link schema} describes. */
  readonly nullable: boolean;
}

/** A schema that is wrapped more often stays as it is, so a circle of references ends. */
const mostLayers = 10;

/**
 * Follows `$ref` within the document, takes `allOf` of one and a choice between one schema and null for that schema, and leaves
 * out members that are null, which some generators write for absent ones. What stands beside a wrapped schema wins.
 * @param document - where references lead
 * @param work - pays for each member; when it is used up, the rest stays wrapped
 */
export function unwrap(wrapped: unknown, document: unknown, work: Work): Unwrapped {
  let schema = withoutNulls(isRecord(wrapped) ? wrapped : {}, work);
  let nullable = false;
  for (let layer = 0; layer < mostLayers; layer += 1) {
    const inner = innerOf(schema, document, work);
    if (!inner) break;
    nullable ||= inner.nullable;
    const { [inner.key]: _, ...beside } = schema;
    schema = withoutNulls({ ...inner.schema, ...beside }, work);
    if (work.usedUp) break;
  }
  return withoutNullType(schema, nullable);
}

interface Inner {
  readonly key: string;
  readonly schema: Schema;
  readonly nullable: boolean;
}

function innerOf(schema: Schema, document: unknown, work: Work): Inner | undefined {
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') {
    const target = targetOf(reference, document, work);
    return isRecord(target) ? { key: '$ref', schema: target, nullable: false } : undefined;
  }
  const all = own(schema, 'allOf');
  if (Array.isArray(all) && all.length === 1 && isRecord(all[0]))
    return { key: 'allOf', schema: all[0], nullable: false };
  for (const key of ['anyOf', 'oneOf']) {
    const branches = own(schema, key);
    if (!Array.isArray(branches) || branches.length > 2) continue;
    const rest = branches.filter(branch => !isNull(branch));
    const nullable = rest.length < branches.length;
    if (rest.length === 1 && isRecord(rest[0]) && (nullable || !Object.hasOwn(rest[0], 'const')))
      return { key, schema: rest[0], nullable };
  }
  return undefined;
}

const isNull = (schema: unknown): boolean =>
  isRecord(schema) && (own(schema, 'type') === 'null' || (Object.hasOwn(schema, 'const') && schema['const'] === null));

function withoutNullType(schema: Schema, nullable: boolean): Unwrapped {
  const { nullable: flag, ...rest } = schema;
  const type = own(rest, 'type');
  const types = Array.isArray(type) ? type.filter(each => each !== 'null') : undefined;
  const values = own(rest, 'enum');
  const others = Array.isArray(values) && values.length > 1 ? values.filter(value => value !== null) : undefined;
  return {
    schema: {
      ...rest,
      ...(types && { type: types.length === 1 ? types[0] : types }),
      ...(others && { enum: others }),
    },
    nullable:
      nullable ||
      flag === true ||
      (types !== undefined && types.length < (type as unknown[]).length) ||
      (others !== undefined && others.length < (values as unknown[]).length),
  };
}

/** These may be null on purpose. */
const ownNull = new Set(['const']);

function withoutNulls(schema: Schema, work: Work): Schema {
  if (work.usedUp) return schema;
  const entries = Object.entries(schema);
  work.spend(entries.length);
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || ownNull.has(name)));
}

/** The part of the document that a reference names by its path; undefined for any other. */
function targetOf(reference: string, document: unknown, work: Work): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let target: unknown = document;
  for (const part of reference.split('/').slice(1)) {
    if (!work.spend(1)) return undefined;
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined;
    target = (target as Schema)[name];
  }
  return target;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
