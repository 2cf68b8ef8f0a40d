/**
 * The relay: the weakest channel to a person, for clients that cannot be asked. The model puts the question to the person
 * and brings the answer; ./leave.ts has how. Off unless switched on, and where the tool may be destructive it needs the
 * ask's own word. A question that the host was asked is not put to the model as well.
 */

import type { AskChannel } from '../channel.ts';
import type { ModelAsk } from '../outgoing.ts';
import { putForm } from '../put-form.ts';

export const relay: AskChannel = {
  name: 'relay',
  onWhereNamed: false,
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
      outgoing: (message): ModelAsk => ({
        to: 'model',
        channel: 'relay',
        message,
        fields: form.fields,
        timeoutMs: ask.timeoutMs ?? call.config.askTimeoutMs,
      }),
    });
  },
};
