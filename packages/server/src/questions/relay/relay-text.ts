/** What a tool says to the model when the person can only be reached through it. Pure. */
import type { Field } from '@midcall/core/form';
import { visibleJson } from '@midcall/core/text';
import { quoted } from '../quoted.ts';

const rule = (field: Field): string => {
  switch (field.kind) {
    case 'text':
      return `text${field.format ? ` (${field.format})` : ''}`;
    case 'number':
      return field.integer ? 'whole number' : 'number';
    case 'boolean':
      return 'true or false';
    case 'select':
      return `one of ${choices(field.choices)}`;
    case 'multi-select':
      return `a list from ${choices(field.choices)}`;
  }
};

// As JSON, so that a text from elsewhere ends where it ends, and a value can be sent as it is.
const choices = (list: readonly { readonly value: string; readonly title: string }[]): string =>
  list
    .map(({ value, title }) => (value === title ? visibleJson(value) : `${visibleJson(value)} (${visibleJson(title)})`))
    .join(', ');

const nameOf = ({ name }: Field): string => (/^[\w.-]+$/.test(name) ? name : visibleJson(name));

const line = (field: Field): string =>
  `- ${nameOf(field)}${field.title && field.title !== field.name ? ` (${visibleJson(field.title)})` : ''}: ${rule(field)}${field.required ? '' : ', optional'}`;

export interface RelayText {
  readonly message: string;
  readonly fields: readonly Field[];
  readonly ticket: string;
  readonly tool: string;
  readonly minutes: number;
}

export function relayText({ message, fields, ticket, tool, minutes }: RelayText): string {
  return [
    'This call is waiting for the person, whom it cannot ask by itself. Nothing has been done yet.',
    'Put this question to the person in these words, and wait. Do not answer for them, and do not guess:',
    '',
    ...quoted(message),
    '',
    'They may accept with these fields, decline, or leave it:',
    ...fields.map(line),
    '',
    `Then call the tool "${tool}" with ticket "${ticket}", action "accept", "decline" or "cancel", and for accept the ` +
      `fields as "content". The ticket works once, within ${minutes} minutes.`,
  ].join('\n');
}
