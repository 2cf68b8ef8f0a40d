/**
 * All arguments as one JSON text instead of a form, and the conversion between the two, if it loses nothing. Pure.
 *
 * - json-arguments-J1 Arguments that a form cannot show exactly stay JSON, and the person is told which.
 * - json-arguments-J2 A secret is not written into the text: a mask stands for it, which is never sent.
 */
import type { Issue } from '@midcall/core/form';
import { canonical, isRecord, parseShallow } from '@midcall/core/json';
import { judgeBySchema } from '@midcall/core/json-schema';
import { mask, maskedArguments, secretNames } from '../../index.ts';
import { texts } from '../texts/index.ts';
import type { ArgumentField } from './argument-form.ts';
import { contentOf, type Draft, draftFrom, first } from './draft.ts';

/** The control that holds the text, and the name under which its issues are reported. */
export const jsonControl = 'json';

/** True if a draft is one JSON text. */
export const isJson = (draft: Draft): boolean => first(draft, 'as') === jsonControl;

type Arguments = Readonly<Record<string, unknown>>;

/** json-arguments-J2. A draft that is the JSON text of these arguments. */
function jsonDraft(fields: readonly ArgumentField[], content: Arguments): Draft {
  const secrets = secretNames(fields);
  const entries = Object.entries(maskedArguments(content)).map(([name, value]) => [
    name,
    secrets.has(name) ? mask : value,
  ]);
  return new Map([
    ['as', [jsonControl]],
    [jsonControl, [JSON.stringify(Object.fromEntries(entries), null, 2)]],
  ]);
}

/** json-arguments-J2. The arguments in which a mask stands for what the person has to type again. */
export function stillMasked(content: Arguments): readonly string[] {
  return Object.keys(content).filter(name => JSON.stringify(content[name])?.includes(mask));
}

const issue = (message: string): Issue => ({ field: jsonControl, rule: 'json', message });

/** The value of a JSON text, and whether it fits the whole schema. */
export function readJson(
  draft: Draft,
  schema: unknown,
): { readonly content: Arguments; readonly issues: readonly Issue[] } {
  const text = (first(draft, jsonControl) ?? '').trim();
  let content: unknown;
  try {
    content = parseShallow(text === '' ? '{}' : text);
  } catch (error) {
    return { content: {}, issues: [issue(texts.field.notJson((error as Error).message))] };
  }
  if (!isRecord(content)) return { content: {}, issues: [issue(texts.field.noObject)] };
  const masked = stillMasked(content);
  if (masked.length > 0) return { content, issues: [issue(texts.field.stillMasked(masked))] };
  const judged = judgeBySchema(schema, content, { root: schema });
  if (judged.verdict !== 'differs') return { content, issues: [] };
  return { content, issues: [issue(texts.field.inJson(judged.at.join('.'), judged.says))] };
}

/** A form's draft as JSON; unchanged if a field holds something that cannot be parsed. */
export function toJson(
  fields: readonly ArgumentField[],
  draft: Draft,
): { readonly draft: Draft; readonly issues: readonly Issue[] } {
  const { content, issues } = contentOf(fields, draft);
  if (issues.length > 0) return { draft, issues };
  return { draft: jsonDraft(fields, content), issues: [] };
}

const sameMoment = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' && Date.parse(one) === Date.parse(other);

/** json-arguments-J1. The names of the arguments that a form would change or leave out. */
function unshown(fields: readonly ArgumentField[], content: Arguments, draft: Draft): readonly string[] {
  const back = contentOf(fields, draft).content;
  return Object.keys(content).filter(name => {
    const field = fields.find(each => each.name === name);
    if (!field || !Object.hasOwn(back, name)) return true;
    if (field.kind === 'text' && field.format === 'date-time' && sameMoment(content[name], back[name])) return false;
    return canonical(back[name]) !== canonical(content[name]);
  });
}

/** Arguments as a form's draft, or as JSON if a form could not show all of them exactly. */
export function fittingDraft(fields: readonly ArgumentField[], content: Arguments, zone: string): Draft {
  const draft = draftFrom(fields, content, zone);
  return unshown(fields, content, draft).length === 0 ? draft : jsonDraft(fields, content);
}

/** A JSON text as a form's draft; unchanged if something in it would be lost, with the reason. */
export function toForm(
  fields: readonly ArgumentField[],
  draft: Draft,
  zone: string,
): { readonly draft: Draft; readonly issues: readonly Issue[] } {
  const { content, issues } = readJson(draft, {});
  if (issues.length > 0 && stillMasked(content).length === 0) return { draft, issues };
  const next = draftFrom(fields, content, zone);
  const lost = unshown(fields, content, next);
  if (lost.length > 0) return { draft, issues: [issue(texts.field.onlyJson(lost))] };
  // json-arguments-J2. A form shows no secret that it is given, not even to the person who typed it.
  const secrets = [...secretNames(fields)].filter(name => Object.hasOwn(content, name));
  return { draft: next, issues: secrets.map(field => ({ field, rule: 'secret', message: texts.field.secretLeft })) };
}
