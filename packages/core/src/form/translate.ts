/**
 * Translates JSON Schema, as libraries and people write it, to the restricted schema of the wire, as far as nothing is lost. What
 * remains is refused by the reader that follows.
 */
import { isRecord, isTexts, type JsonObject, own } from '../json/index.ts';
import { textFormats } from './format.ts';
import { assertions } from './problem.ts';

/** Where a schema came from. */
export interface TranslateOptions {
  /**
   * True if a library judges the answer afterwards: local references are followed, `null` becomes an empty field, and
   * patterns stay with the library.
   */
  readonly library: boolean;
}

/** A property in the wire's spelling. */
export interface Translated {
  readonly schema: unknown;
  /** True if an empty field stands for `null`. */
  readonly nullable: boolean;
  /** The patterns that the library will match with an answer; their flags are unknown. */
  readonly patterns: readonly string[];
}

const formatNames = new Map(
  Object.entries(textFormats).flatMap(([format, { aliases = [] }]) => aliases.map(alias => [alias, format] as const)),
);

/** Format names that Zod gives to what is only a pattern. */
const patternFormats = new Set(['regex', 'starts_with', 'ends_with', 'includes', 'lowercase', 'uppercase']);

const mostReferences = 10;

/** Follows `$ref` into the schema's own `$defs`; anything else stays as it is. */
export function resolve(schema: unknown, root: JsonObject): unknown {
  let current = schema;
  for (let hops = 0; hops < mostReferences && isRecord(current); hops += 1) {
    const match = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String(own(current, '$ref') ?? ''));
    const definitions = match && own(root, match[1]!);
    const target = isRecord(definitions) ? own(definitions, match![2]!) : undefined;
    if (!isRecord(target)) return current;
    const { $ref: _, ...beside } = current;
    current = { ...target, ...beside };
  }
  return current;
}

/** Rewrites one property. */
export function translate(schema: unknown, root: JsonObject, options: TranslateOptions): Translated {
  const resolved = options.library ? resolve(schema, root) : schema;
  if (!isRecord(resolved)) return { schema: resolved, nullable: false, patterns: [] };
  let property: Record<string, unknown> = { ...resolved };
  let nullable = false;
  if (options.library) {
    if (Array.isArray(property['type']) && property['type'].includes('null')) {
      const rest = property['type'].filter(each => each !== 'null');
      property['type'] = rest.length === 1 ? rest[0] : rest;
      nullable = true;
    }
    for (const key of ['anyOf', 'oneOf'] as const) {
      const branches = property[key];
      if (!Array.isArray(branches)) continue;
      const rest = branches.map(each => resolve(each, root)).filter(each => !isNull(each));
      nullable ||= rest.length < branches.length;
      const { [key]: __, ...outer } = property;
      property = rest.length === 1 && isRecord(rest[0]) ? { ...rest[0], ...outer } : { ...outer, [key]: rest };
    }
    if (Array.isArray(property['enum']) && property['enum'].includes(null)) {
      property['enum'] = property['enum'].filter(each => each !== null);
      nullable = true;
    }
  }
  property = withChoices(property, 'oneOf');
  const patterns = options.library ? takePatterns(property) : [];
  if (property['type'] === 'string') text(property, options);
  if (property['type'] === 'integer') whole(property);
  if (property['type'] === 'number' && property['multipleOf'] === 1) {
    property['type'] = 'integer';
    delete property['multipleOf'];
  }
  if (property['type'] === 'array') list(property, root, options);
  if (nullable && property['default'] === null) delete property['default'];
  return { schema: property, nullable, patterns };
}

const isNull = (schema: unknown): boolean =>
  isRecord(schema) && (own(schema, 'type') === 'null' || own(schema, 'const') === null);

/** Unions of fixed texts, however they are written, become `enum` or titled options under `titledKey`. */
function withChoices(property: Record<string, unknown>, titledKey: 'oneOf' | 'anyOf'): Record<string, unknown> {
  if (typeof property['const'] === 'string') {
    const { const: value, ...outer } = property;
    return { ...outer, type: outer['type'] ?? 'string', enum: [value] };
  }
  if (Array.isArray(property['enum'])) {
    return isTexts(property['enum']) ? { ...property, type: property['type'] ?? 'string' } : property;
  }
  const key = Array.isArray(property['anyOf']) ? 'anyOf' : 'oneOf';
  const branches = property[key];
  if (!Array.isArray(branches) || branches.length === 0) return property;
  const options: { const: string; title: string }[] = [];
  for (const branch of branches) {
    if (!isRecord(branch)) return property;
    const values = own(branch, 'const') === undefined ? own(branch, 'enum') : [own(branch, 'const')];
    const stray = Object.keys(branch).some(each => assertions.has(each) && each !== 'const' && each !== 'enum');
    if (stray || !Array.isArray(values) || values.some(each => typeof each !== 'string')) return property;
    const title = own(branch, 'title');
    for (const value of values as string[]) {
      options.push({ const: value, title: typeof title === 'string' && values.length === 1 ? title : value });
    }
  }
  const { anyOf: _, oneOf: __, ...outer } = property;
  const type = outer['type'] ?? 'string';
  return options.some(each => each.title !== each.const)
    ? { ...outer, type, [titledKey]: options }
    : { ...outer, type, enum: options.map(each => each.const) };
}

function text(property: Record<string, unknown>, options: TranslateOptions): void {
  const format = property['format'];
  if (typeof format === 'string') property['format'] = formatNames.get(format) ?? format;
  if (!options.library) return;
  if (typeof format === 'string' && patternFormats.has(format)) delete property['format'];
}

/** Removes the patterns of a text, which Zod lists in `allOf` if there are several. */
function takePatterns(property: Record<string, unknown>): string[] {
  if (property['type'] !== 'string') return [];
  const patterns: string[] = [];
  const all = property['allOf'];
  if (Array.isArray(all) && all.every(isPattern)) {
    patterns.push(...all.map(({ pattern }) => pattern));
    delete property['allOf'];
  }
  if (typeof property['pattern'] === 'string') patterns.push(property['pattern']);
  delete property['pattern'];
  return patterns;
}

const isPattern = (schema: unknown): schema is { readonly pattern: string } =>
  isRecord(schema) && Object.keys(schema).length === 1 && typeof own(schema, 'pattern') === 'string';

/** Exclusive bounds of whole numbers move by one; the bounds of what a number can hold are no rule for a person. */
function whole(property: Record<string, unknown>): void {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = property;
  if (typeof above === 'number') {
    property['minimum'] = Math.max(Math.floor(above) + 1, typeof minimum === 'number' ? minimum : -Infinity);
    delete property['exclusiveMinimum'];
  }
  if (typeof below === 'number') {
    property['maximum'] = Math.min(Math.ceil(below) - 1, typeof maximum === 'number' ? maximum : Infinity);
    delete property['exclusiveMaximum'];
  }
  if (typeof property['minimum'] === 'number' && property['minimum'] <= Number.MIN_SAFE_INTEGER)
    delete property['minimum'];
  if (typeof property['maximum'] === 'number' && property['maximum'] >= Number.MAX_SAFE_INTEGER)
    delete property['maximum'];
  if (property['multipleOf'] === 1) delete property['multipleOf'];
}

function list(property: Record<string, unknown>, root: JsonObject, options: TranslateOptions): void {
  const items = options.library ? resolve(property['items'], root) : property['items'];
  if (!isRecord(items)) return;
  const choices = withChoices({ ...items }, 'anyOf');
  if (Array.isArray(choices['anyOf'])) delete choices['type'];
  property['items'] = choices;
}
