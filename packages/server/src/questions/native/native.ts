/** The client's own forms, over the protocol: what it says the person answered. */
import { firstSpelling } from '@midcall/core/form';
import { formParams } from '../../request/index.ts';
import type { AskChannel, ChannelCall, FormQuestion } from '../channel.ts';
import type { ClientAsk } from '../outgoing.ts';
import { type FormRoute, putForm } from '../put-form.ts';
import { withProblems } from '../validated.ts';

export const native: AskChannel = {
  name: 'native',
  byDefault: true,
  onWhereNamed: false,
  byHost: true,
  reaches: (_, { request: { client } }) => client.can.form && client.asks !== 'none',
  assurance: () => 'in-band',
  put: (question, call) => putForm(question, call, nativeRoute(question, call)),
};

/** The route of a form to the client, in the notation that the client knows. */
export function nativeRoute<T>({ ask, form, withdrawn, wayBack }: FormQuestion<T>, call: ChannelCall): FormRoute<T> {
  const { client } = call.request;
  const spelled = client.firstForms ? firstSpelling(form) : form;
  return {
    channel: 'native',
    assurance: 'in-band',
    form: spelled,
    outgoing: (message, before): ClientAsk => ({
      to: 'client',
      channel: 'native',
      method: 'elicitation/create',
      params: formParams(client.asks, message, before ? withProblems(spelled.schema, before) : spelled.schema, {
        app: ask.app,
        wayBack,
      }),
      key: ask.key,
      timeoutMs: ask.timeoutMs ?? call.config.askTimeoutMs,
      withdrawn,
    }),
  };
}
