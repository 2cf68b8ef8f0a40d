/**
 * The relay: the weakest channel to a person, for clients that cannot be asked. The model puts the question to the person and
 * brings the answer; see ../../eras/park.ts. It is off by default, and for a tool that may be destructive the ask itself must
 * enable it. A question that the host was asked is not given to the model as well.
 */

import { assures, type Field } from '@midcall/core/form';
import { visibleJson } from '@midcall/core/text';
import { RESUME, waitingResult } from '../../request/index.ts';
import type { AskChannel } from '../channel.ts';
import type { ResultAsk } from '../outgoing.ts';
import { putForm } from '../put-form.ts';
import { quoted } from '../quoted.ts';

export const relay: AskChannel = {
  name: 'relay',
  onWhereNamed: false,
  tickets: 'unaskable-client',
  answeredBy: RESUME,
  noPages: 'a page is never relayed',
  whyNever({ registered, ask: { assurance } }) {
    if (registered.method !== 'tools/call') return 'the relay works for tools only';
    if (assurance === undefined || assures('relayed', assurance)) return undefined;
    return `the relay gives 'relayed', and '${assurance}' is demanded`;
  },
  reaches: ({ ask, before }, { request: { registered } }) =>
    !before &&
    registered.method === 'tools/call' &&
    (registered.mayFallBack || (ask.channels?.includes('relay') ?? false)),
  assurance: () => 'relayed',
  put: (question, call) => {
    const { ask, form } = question;
    return putForm(question, call, {
      channel: 'relay',
      assurance: 'relayed',
      form,
      outgoing: (message): ResultAsk => {
        const timeoutMs = ask.timeoutMs ?? call.config.askTimeoutMs;
        return {
          to: 'result',
          channel: 'relay',
          assurance: 'relayed',
          timeoutMs,
          ends: 'relayed',
          result(ticket, _, request) {
            const minutes = Math.max(1, Math.floor(timeoutMs / 60_000));
            return waitingResult(relayText({ message, fields: form.fields, ticket, tool: RESUME, minutes }), request);
          },
        };
      },
    });
  },
};

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

interface RelayText {
  readonly message: string;
  readonly fields: readonly Field[];
  readonly ticket: string;
  readonly tool: string;
  readonly minutes: number;
}

/** What a tool says to the model when the person can only be reached through it. */
export function relayText({ message, fields, ticket, tool, minutes }: RelayText): string {
  return [
    'This call is waiting for the person, whom it cannot ask by itself. It is not finished.',
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
