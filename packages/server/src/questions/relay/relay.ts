/**
 * The relay: the weakest channel to a person, for clients that cannot be asked. The model puts the question to the person and
 * brings the answer; see ./leave.ts. It is off by default, and for a tool that may be destructive the ask itself must enable
 * it. A question that the host was asked is not given to the model as well.
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
