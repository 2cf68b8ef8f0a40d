/**
 * The relay: the weakest channel to a person, for clients that cannot be asked. The model puts the question to the person and
 * brings the answer; see ../../eras/leave.ts. It is off by default, and for a tool that may be destructive the ask itself must
 * enable it. A question that the host was asked is not given to the model as well.
 */

import { assures } from '@midcall/core/form';
import { RESUME, waitingResult } from '../../request/index.ts';
import type { AskChannel } from '../channel.ts';
import type { ResultAsk } from '../outgoing.ts';
import { putForm } from '../put-form.ts';
import { relayText } from './relay-text.ts';

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
