/** Whether a tool lets the person pick from too many things for a form. Pure. */
import { isRecord } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { designWords, longList, says } from './procedure.ts';
import type { ToolFacts } from './tool-facts.ts';

type Json = Readonly<Record<string, unknown>>;

/** After a number: it is a measure, not a count of choices. */
const measures =
  /^(?:\s|-)*(?:%|percent|ms|milliseconds?|seconds?|s|minutes?|min|hours?|h|days?|weeks?|months?|years?|characters?|chars?|letters?|words?|tokens?|bits?|bytes?|[kmgt]i?b|pixels?|px|points?|dpi|requests?|times|steps?|m|km|miles?|metres?|meters?|eur|usd|dollars?|euros?)\b/i;

/** Before a number: it is a year. */
const dated = /\b(?:in|since|before|after|until|by)\s+$/i;

/** @returns the reason, as a sentence; undefined if there is no such list */
export function longListIn({
  description,
  args,
  inputSchema,
}: Pick<ToolFacts, 'description' | 'args' | 'inputSchema'>) {
  for (const { name, schema } of args) {
    const count = choicesIn(schema, inputSchema);
    if (count >= longList) return `The argument '${visible(name, { max: 60 })}' lists ${count} values.`;
  }
  if (says(description, designWords.list)) return 'Its description speaks of a long list.';
  const sentence = description
    .slice(0, 20_000)
    .split(/[.!?;\n](?:\s|$)/)
    .find(each => says(each, designWords.picks) && ofMany(each));
  return sentence === undefined ? undefined : 'Its description says that one of very many is picked.';
}

const ofMany = (sentence: string): boolean =>
  says(sentence, designWords.many) ||
  [...sentence.matchAll(/(?<![\d.,#$€£])\d{1,3}(?:[,' _]\d{3})+(?!\d)|(?<![\d.,#$€£])\d{3,}(?![\d.]*\d)/g)].some(
    ({ 0: match, index }) =>
      Number(match.replace(/\D/g, '')) >= longList &&
      !measures.test(sentence.slice(index + match.length)) &&
      !(/^(?:19|20)\d\d$/.test(match) && dated.test(sentence.slice(0, index))),
  );

/** The most values that a schema lets one choose from; references within the tool's own schema are followed. */
function choicesIn(schema: unknown, whole: Json, depth = 0): number {
  if (!isRecord(schema) || depth > 8) return 0;
  const { enum: values, oneOf, anyOf, items, $ref } = schema;
  const below = (each: unknown): number => choicesIn(each, whole, depth + 1);
  const listed = [oneOf, anyOf].flatMap(each => {
    if (!Array.isArray(each)) return [];
    return [each.filter(one => isRecord(one) && 'const' in one).length, ...each.slice(0, 20).map(below)];
  });
  return Math.max(
    Array.isArray(values) ? values.length : 0,
    ...listed,
    isRecord(items) ? below(items) : 0,
    typeof $ref === 'string' ? below(pointed($ref, whole)) : 0,
  );
}

/** The definition that a reference such as `#/$defs/City` names. */
function pointed(reference: string, whole: Json): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = whole;
  for (const part of reference.slice(2).split('/').slice(0, 8)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}
