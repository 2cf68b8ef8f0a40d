/** Problems of a single question: its words, its form, its address, and how it was sent. Pure. */

import { isMidcallError } from '@midcall/core/errors';
import {
  type AskedField,
  type FormProblem,
  labelOf,
  readForm,
  refuseSecretMessage,
  secretIn,
} from '@midcall/core/form';
import { isRecord, own } from '@midcall/core/json';
import { readAskedForm } from '@midcall/core/json-schema';
import { visible } from '@midcall/core/text';
import { type Era, judgeUrl } from '@midcall/host';
import type { Breach } from './lint-finding.ts';
import { asksForm, capabilityOf, type LintAsk, linkIn, opensPage, type PlayName } from './lint-play.ts';
import { longList } from './procedure.ts';

type Json = Readonly<Record<string, unknown>>;

/** What is known about the tool that asked. */
export interface AskingTool {
  /** Names of the tool's own arguments. */
  readonly argumentNames: readonly string[];
}

const mostFields = 10;

const visiblePart = (text: unknown, max = 80): string => visible(String(text), { max });

/**
 * Judges one question.
 * @param play - determines what the client had declared
 */
export function judgeAsk(ask: LintAsk, tool: AskingTool, era: Era, play: PlayName): readonly Breach[] {
  const way = judgeWay(ask, era, play);
  if (ask.method !== 'elicitation/create') return way;
  const { message } = ask.params;
  const silent: readonly Breach[] =
    typeof message === 'string' && message.trim() !== ''
      ? []
      : [{ rule: 'message-missing', message: 'The question has no message.' }];
  const judged = asksForm(ask) ? judgeForm(ask.params, tool) : judgeAddress(ask.params, era);
  return [...way, ...silent, ...judgeLink(ask, play), ...judged];
}

function judgeWay({ method, params, pushed }: LintAsk, era: Era, play: PlayName): readonly Breach[] {
  const breaches: Breach[] = [];
  if (pushed && era === '2026-07-28')
    breaches.push({
      rule: 'wrong-wire',
      message: `${method} was sent as a request; 2026-07-28 has no server requests.`,
    });
  const declared = capabilityOf(play);
  const mode = params['mode'] === 'url' ? 'url' : 'form';
  if (method === 'sampling/createMessage')
    breaches.push({ rule: 'undeclared-request', message: 'It asks for sampling, which the client did not declare.' });
  if (method === 'elicitation/create' && (declared === undefined || !(mode in declared)))
    breaches.push({
      rule: 'undeclared-request',
      message: `It asks in ${mode} mode, which the client did not declare (elicitation: ${JSON.stringify(declared) ?? 'absent'}).`,
    });
  return breaches;
}

/** A client that declares forms only cannot be asked in URL mode, so that a form may announce a page there. */
function judgeLink(ask: LintAsk, play: PlayName): readonly Breach[] {
  if (!asksForm(ask)) return [];
  const declared = capabilityOf(play);
  if (declared && !('url' in declared) && opensPage(ask) === 'form') return [];
  const { message, requestedSchema } = ask.params;
  const texts = [message, ...texted(requestedSchema, 0)].filter(each => typeof each === 'string');
  const link = texts.map(linkIn).find(each => each !== undefined);
  return link === undefined
    ? []
    : [{ rule: 'link-in-form', message: `The form's text has a link: ${visiblePart(link)}.` }];
}

function judgeAddress(params: Json, era: Era): readonly Breach[] {
  const { url, elicitationId } = params;
  const breaches: Breach[] = [];
  if (era === '2026-07-28' && elicitationId !== undefined)
    breaches.push({ rule: 'wrong-wire', message: 'It has an elicitationId, which 2026-07-28 does not define.' });
  if (era === '2025-11-25' && typeof elicitationId !== 'string')
    breaches.push({
      rule: 'wrong-wire',
      message: 'It has no elicitationId, which 2025-11-25 requires in URL mode.',
    });
  const judged = judgeUrl(typeof url === 'string' ? url : '');
  const [first] = judged.warnings;
  if (!judged.openable)
    return [...breaches, { rule: 'url-not-openable', message: first?.message ?? 'The address cannot be opened.' }];
  if (judged.warnings.some(({ rule }) => rule === 'not-https'))
    breaches.push({
      rule: 'url-not-https',
      message: `The page is not encrypted: ${visiblePart(new URL(judged.href).origin)}.`,
    });
  const parsed = new URL(judged.href);
  const names = [...parsed.searchParams.keys(), ...new URLSearchParams(parsed.hash.slice(1)).keys()];
  const secret = names.find(name => secretIn({ name }) !== undefined || /^(email|e-mail|phone|ssn)$/i.test(name));
  if (parsed.username !== '' || parsed.password !== '')
    breaches.push({ rule: 'url-carries-secret', message: 'The address has a user name or a password in it.' });
  else if (secret !== undefined)
    breaches.push({
      rule: 'url-carries-secret',
      message: `The address has a parameter '${visiblePart(secret, 40)}'.`,
      certainty: 'suspected',
    });
  return breaches;
}

function judgeForm(params: Json, tool: AskingTool): readonly Breach[] {
  const schema = params['requestedSchema'];
  const form = readForm(schema);
  const breaches: Breach[] = rawBreaches(params);
  // What is too much for us is not against the protocol.
  const problems = form.ok ? [] : form.problems.filter(({ rule }) => rule !== 'size');
  for (const problem of problems.slice(0, 5))
    breaches.push({
      rule: isNested(problem, schema) ? 'nested-schema' : 'unsupported-schema',
      message: visiblePart(problem.message, 300),
      ...(problem.field !== undefined && { field: problem.field }),
    });
  const asked = readAskedForm(params);
  if (!asked.ok) return [...breaches, ...secretsByName(schema)];
  const { fields } = asked;
  for (const note of form.ok ? form.notes : [])
    if (note.rule === 'default' || note.rule === 'enum' || note.rule === 'oneOf')
      breaches.push({
        rule: 'unsupported-schema',
        message: visiblePart(note.message, 300),
        ...(note.field !== undefined && { field: note.field }),
      });
  try {
    refuseSecretMessage(String(params['message'] ?? ''), fields);
  } catch (error) {
    if (!isMidcallError(error, 'form/secret')) throw error;
    breaches.push({ rule: 'secret-in-form', message: 'The message asks for a secret.', field: fields[0]!.name });
  }
  if (fields.length > mostFields)
    breaches.push({ rule: 'many-fields', message: `The form has ${fields.length} fields.` });
  for (const field of fields) breaches.push(...judgeField(field, tool));
  return breaches;
}

/** True if a property is an object, or a list of objects or lists; what is merely spelled otherwise is not nested. */
function isNested({ field }: FormProblem, schema: unknown): boolean {
  const property = field === undefined ? undefined : own(own(schema, 'properties'), field);
  const holds = (part: unknown): boolean =>
    own(part, 'type') === 'object' || isRecord(own(part, 'properties')) || own(part, 'type') === 'array';
  const isList = own(property, 'type') === 'array';
  return isList ? holds(own(property, 'items')) : holds(property);
}

function judgeField(field: AskedField, { argumentNames }: AskingTool): readonly Breach[] {
  const { name, title, description } = field;
  const breaches: Breach[] = [];
  const add = (rule: Breach['rule'], message: string, certainty?: Breach['certainty']): void =>
    void breaches.push({ rule, message, field: name, ...(certainty && { certainty }) });
  const label = visiblePart(name, 60);
  const secret = secretIn(field);
  if (secret) add('secret-in-form', `'${label}' asks for a secret: its ${secret.where} says '${secret.words}'.`);
  if (title === undefined || title.trim() === '')
    add('missing-title', `'${label}' has no title; people see '${visiblePart(labelOf(field))}'.`);
  if (description === undefined && (field.kind === 'text' || field.kind === 'number'))
    add('missing-description', `'${label}' has no description.`);
  if (argumentNames.includes(name))
    add('asks-for-argument', `The form asks for '${label}', which the tool takes as an argument.`, 'suspected');
  if ('choices' in field) {
    const { choices } = field;
    if (choices.length >= longList) add('many-choices', `'${label}' offers ${choices.length} choices.`);
    const opaque = choices.filter(({ value, title: text }) => String(value) === text && looksLikeId(text));
    if (opaque.length > 0 && opaque.length === choices.length)
      add(
        'opaque-choices',
        `The choices of '${label}' are ids, such as '${visiblePart(opaque[0]!.title, 40)}'.`,
        'suspected',
      );
  }
  return breaches;
}

const looksLikeId = (text: string): boolean =>
  /^[0-9]+$/.test(text) || /^[0-9a-f]{8,}(-[0-9a-f]+)*$/i.test(text) || /^[a-z]+[-_]?[0-9]{2,}$/i.test(text);

/** Problems that are visible without understanding the schema. */
function rawBreaches(params: Json): Breach[] {
  const breaches: Breach[] = [];
  for (const [name, property] of properties(params['requestedSchema'])) {
    if (property['pattern'] !== undefined)
      breaches.push({
        rule: 'pattern-sent',
        message: `'${visiblePart(name)}' has a pattern; clients drop it.`,
        field: name,
      });
    if (property['enumNames'] !== undefined)
      breaches.push({
        rule: 'enum-names',
        message: `'${visiblePart(name)}' titles its choices by enumNames.`,
        field: name,
      });
  }
  return breaches;
}

/** A form that cannot be parsed may still ask for a secret. */
function secretsByName(schema: unknown): readonly Breach[] {
  return properties(schema).flatMap(([name, property]) => {
    const { title, description, type } = property;
    if (type !== undefined && type !== 'string') return [];
    const secret = secretIn({
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
    });
    return secret
      ? [{ rule: 'secret-in-form', message: `'${visiblePart(name)}' asks for a secret.`, field: name } as const]
      : [];
  });
}

function properties(schema: unknown): readonly (readonly [string, Json])[] {
  const all = isRecord(schema) && Object.hasOwn(schema, 'properties') ? schema['properties'] : undefined;
  if (!isRecord(all)) return [];
  return Object.entries(all)
    .slice(0, 200)
    .flatMap(([name, each]) => (isRecord(each) ? [[name, each] as const] : []));
}

/** Titles and descriptions, wherever they are. */
function texted(value: unknown, depth: number): unknown[] {
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.slice(0, 500).flatMap(each => texted(each, depth + 1));
  if (!isRecord(value)) return [];
  const own = [value['title'], value['description']];
  return [
    ...own,
    ...Object.values(value)
      .slice(0, 500)
      .flatMap(each => texted(each, depth + 1)),
  ];
}
