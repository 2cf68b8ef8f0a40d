/**
 * The operator's rules about calls, as they are written. Reading them is where a mistake is found: a rule that could be
 * misunderstood is an error that says what must be.
 *
 * - rules-R1 The `where` of a rule that allows is closed and typed: it names every argument that a call may have, and says what
 *   each may be. What the schema engine does not judge has no place in it.
 * - rules-R2 Only a rule that names its server relies on annotations to allow a call.
 * - rules-R3 What is unknown, or not there yet, is an error and never ignored.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import { nearest } from '@midcall/core/options';
import { visible } from '@midcall/core/text';
import { type GrantScope, grantScopes } from '../question/index.ts';

/** Tools that a rule selects by what their server says of them. */
export type Annotated = 'read-only' | 'not-destructive';

/** What happens before a tool is called. The first rule that is about a call decides. */
export interface Rule {
  /** A server's id in this host, or `*` for every server. */
  readonly server: string;
  /**
   * `*` for every tool; names, in which `*` stands for any text; or what the server's annotations say: `read-only`
   * (`readOnlyHint: true`) or `not-destructive` (that, or `destructiveHint: false`).
   */
  readonly tools: '*' | readonly string[] | { readonly annotated: Annotated };
  /** JSON Schema over the arguments; the rule is about every call if absent. Closed and typed in a rule that allows. */
  readonly where?: Readonly<Record<string, unknown>>;
  readonly effect: 'allow' | 'ask' | 'refuse';
  /**
   * `out-of-band`: the answer must not pass through the host of the call. `in-band`: it may, and what that host says of the time
   * after its yes counts as well. `present`: it comes from an inbox, with a passkey. If absent, it may pass through the host, and a
   * host's yes is for one call.
   */
  readonly assurance?: 'in-band' | 'out-of-band' | 'present';
  /** The group whose people are asked in place of whoever makes the call. */
  readonly from?: string;
  /** How many of the group must agree; 1 if absent. */
  readonly count?: number;
  /** `requester`: whoever makes the call has no vote. */
  readonly not?: 'requester';
  /** How many milliseconds the person has to answer; an hour if absent. */
  readonly within?: number;
  /** The operator's words for arguments, by their names. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * How far the person's yes may let later calls pass, if they choose so: `none` (it is for one call), `exact` (the same arguments),
   * `fields` (that, or some of the arguments equal), or `tool` (that, or every call of the tool). Default `tool`.
   */
  readonly grant?: 'none' | GrantScope;
  /** How many milliseconds that lasts at most; a day if absent. */
  readonly grantFor?: number;
}

/** True if a rule asks in an inbox: others than the requester, or the requester with a passkey. */
export const isForInbox = ({ from, assurance }: Rule): boolean => from !== undefined || assurance === 'present';

/** The longest time that a grant lasts, in milliseconds. */
export const longestGrantMs = 24 * 3_600_000;
/** The most rules in one list. */
const mostRules = 500;
/** The most people who may have to agree to a call. */
const mostApprovers = 100;

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 200;
const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
const oneOf =
  (...words: readonly string[]) =>
  (value: unknown): boolean =>
    words.includes(value as string);

const annotated = oneOf('read-only', 'not-destructive');
const isTools = (value: unknown): boolean =>
  value === '*' ||
  (Array.isArray(value) && value.length > 0 && value.every(isName)) ||
  (isRecord(value) && Object.keys(value).length === 1 && annotated(value['annotated']));

/** What each member must be, in words that follow "must be". */
const members: Readonly<Record<keyof Rule, readonly [fits: (value: unknown) => boolean, words: string]>> = {
  server: [isName, 'the name of a server, or "*"'],
  tools: [isTools, '"*", a list of names such as ["delete_*"], or { "annotated": "read-only" } or "not-destructive"'],
  where: [isRecord, 'a JSON Schema over the arguments, as an object'],
  effect: [oneOf('allow', 'ask', 'refuse'), '"allow", "ask" or "refuse"'],
  assurance: [oneOf('in-band', 'out-of-band', 'present'), '"in-band", "out-of-band" or "present"'],
  from: [isName, 'the name of a group'],
  count: [
    value => isPositive(value) && (value as number) <= mostApprovers,
    `a whole number from 1 to ${mostApprovers}`,
  ],
  not: [oneOf('requester'), '"requester"'],
  within: [isPositive, 'a number of milliseconds above 0'],
  labels: [
    value => isRecord(value) && Object.values(value).every(isName),
    'an object of texts of at most 200 characters, by the names of arguments',
  ],
  grant: [oneOf('none', ...grantScopes), '"none", "exact", "fields" or "tool"'],
  grantFor: [
    value => isPositive(value) && (value as number) <= longestGrantMs,
    `a number of milliseconds above 0, and at most ${longestGrantMs} (a day)`,
  ],
};
const required = ['server', 'tools', 'effect'] as const;
const forAsking = ['assurance', 'from', 'within', 'labels', 'grant', 'grantFor'] as const;
const forApprovers = ['count', 'not'] as const;

const got = (value: unknown): string => (value === undefined ? 'nothing' : visible(JSON.stringify(value), { max: 80 }));

/**
 * Reads a list of rules.
 * @param value - as parsed from JSON; untrusted
 * @throws MidcallError `cli/usage` that names the first rule that is wrong, and says what must be
 */
export function readRules(value: unknown): readonly Rule[] {
  if (!Array.isArray(value)) throw wrong(`Rules must be a list, such as [{ "server": "*", … }]; got ${got(value)}.`);
  if (value.length > mostRules) throw wrong(`Rules must be at most ${mostRules}; got ${value.length}.`);
  return value.map((each, at) => readRule(each, `Rule ${at + 1}`));
}

const wrong = (message: string): MidcallError => new MidcallError('cli/usage', message);

function readRule(value: unknown, which: string): Rule {
  if (!isRecord(value)) throw wrong(`${which} must be an object; got ${got(value)}.`);
  for (const name of Object.keys(value)) if (!Object.hasOwn(members, name)) throw wrong(unknownMember(name, which));
  for (const name of required)
    if (value[name] === undefined) throw wrong(`${which} has no "${name}": it must be ${members[name][1]}.`);
  for (const [name, [fits, words]] of Object.entries(members))
    if (value[name] !== undefined && !fits(value[name]))
      throw wrong(`${which}: "${name}" must be ${words}; got ${got(value[name])}.`);
  const rule = value as unknown as Rule;
  for (const name of forAsking)
    if (rule[name] !== undefined && rule.effect !== 'ask')
      throw wrong(`${which}: only a rule whose effect is "ask" can have "${name}".`);
  for (const name of forApprovers)
    if (rule[name] !== undefined && rule.from === undefined)
      throw wrong(`${which}: only a rule that has "from" can have "${name}".`);
  if (rule.from !== undefined && rule.assurance === 'in-band')
    throw wrong(`${which}: others than the requester never answer "in-band": leave "assurance" or "from" out.`);
  if (isForInbox(rule) && rule.grant !== undefined && rule.grant !== 'none')
    throw wrong(`${which}: a yes from an inbox is for one call: leave "grant" out.`);
  if (rule.effect !== 'allow') return rule;
  if (isRecord(rule.tools) && rule.server === '*')
    throw wrong(
      `${which}: a rule that allows tools by their annotations must name its server, whose annotations it trusts.`,
    );
  return rule.where === undefined ? rule : { ...rule, where: closed(rule.where, `${which}: "where"`) };
}

function unknownMember(name: string, which: string): string {
  const quoted = `"${visible(name, { max: 60 })}"`;
  const meant = nearest(name, Object.keys(members));
  return `${which} has an unknown member ${quoted}.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
}

/** What may stand beside `type`, by keyword. */
const constraints = new Set([
  'type',
  'const',
  'enum',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'title',
  'description',
]);
const types = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);

/**
 * A schema that no value fits beyond what it names (rules-R1).
 * @param place - where it is, for errors
 */
function closed(schema: unknown, place: string, isRoot = true): Readonly<Record<string, unknown>> {
  if (!isRecord(schema)) throw wrong(`${place} must be a schema with a type; got ${got(schema)}.`);
  for (const name of Object.keys(schema))
    if (!constraints.has(name))
      throw wrong(
        `${place}: a rule that allows cannot use "${visible(name, { max: 60 })}", which might let through more than it says. ` +
          'Use types, constants, lists of values, limits and patterns; write several rules for alternatives.',
      );
  if (schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false)
    throw wrong(`${place}: "additionalProperties" must be false, or absent, in a rule that allows.`);
  const type = isRoot ? (schema['type'] ?? 'object') : schema['type'];
  if (isRoot && type !== 'object') throw wrong(`${place}: "type" must be "object"; got ${got(type)}.`);
  const fixed = Object.hasOwn(schema, 'const') || Array.isArray(schema['enum']);
  if (!isRoot && fixed && type === undefined) return schema;
  const each = Array.isArray(type) ? type : [type];
  if (each.length === 0 || !each.every(name => types.has(name as string)))
    throw wrong(`${place} must have a "type", "const" or "enum", since the rule allows; got ${got(schema)}.`);
  const { properties = {}, items } = schema as { readonly properties?: unknown; readonly items?: unknown };
  if (!isRecord(properties)) throw wrong(`${place}: "properties" must be an object of schemas.`);
  const named = Object.entries(properties).map(
    ([name, part]) => [name, closed(part, `${place}, "${visible(name, { max: 60 })}"`, false)] as const,
  );
  return {
    ...schema,
    type,
    ...(each.includes('object') && { properties: Object.fromEntries(named), additionalProperties: false }),
    ...(each.includes('array') && { items: closed(items, `${place}, "items"`, false) }),
  };
}
