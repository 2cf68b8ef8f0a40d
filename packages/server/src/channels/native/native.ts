/** The client's own forms, over the protocol: what it says the person answered. */
import { firstSpelling } from '@midcall/core/form';
import { withProblems } from '../../asking/validated.ts';
import { formParams } from '../../era.ts';
import type { AskChannel, ChannelCall, FormQuestion } from '../channel.ts';
import type { ClientAsk } from '../outgoing.ts';
import { type FormPutting, putForm } from '../put-form.ts';

export const native: AskChannel = {
  name: 'native',
  onWhereNamed: false,
  reaches: (_, { request: { client } }) => client.can.form && client.asks !== 'none',
  assurance: () => 'in-band',
  put: (question, call) => {
    const { form } = question;
    const spelled = call.request.client.firstForms ? firstSpelling(form) : form;
    return putForm(question, call, asNative(question, call, spelled));
  },
};

/** @param form - in the notation that the client knows */
export function asNative<T>(
  { ask, withdrawn, wayBack }: FormQuestion<T>,
  { config, request }: ChannelCall,
  form: FormPutting<T>['form'] & { readonly schema: object },
): FormPutting<T> {
  return {
    channel: 'native',
    assurance: 'in-band',
    form,
    outgoing: (message, before): ClientAsk => ({
      to: 'client',
      channel: 'native',
      method: 'elicitation/create',
      params: formParams(request.client.asks, message, before ? withProblems(form.schema, before) : form.schema, {
        app: ask.app,
        wayBack,
      }),
      key: ask.key,
      timeoutMs: ask.timeoutMs ?? config.askTimeoutMs,
      withdrawn,
    }),
  };
}
