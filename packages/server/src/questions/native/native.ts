/** The client's own forms, over the protocol: what it says the person answered. */
import { firstSpelling } from '@midcall/core/form';
import { formParams } from '../../request/index.ts';
import type { AskChannel, ChannelCall, FormQuestion } from '../channel.ts';
import type { ClientAsk } from '../outgoing.ts';
import { type FormPutting, putForm } from '../put-form.ts';
import { type NotTaken, withProblems } from '../validated.ts';

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

/**
 * @param form - in the notation that the client knows
 * @param instead - see {@link FormPutting.instead}
 */
export const asNative = <T>(
  question: FormQuestion<T>,
  call: ChannelCall,
  form: SpelledForm<T>,
  instead?: FormPutting<T>['instead'],
): FormPutting<T> => new NativePutting(question, call, form, instead);

type SpelledForm<T> = FormPutting<T>['form'] & { readonly schema: object };

class NativePutting<T> implements FormPutting<T> {
  readonly form: SpelledForm<T>;
  readonly instead: FormPutting<T>['instead'];
  readonly #question: FormQuestion<T>;
  readonly #call: ChannelCall;

  constructor(question: FormQuestion<T>, call: ChannelCall, form: SpelledForm<T>, instead: FormPutting<T>['instead']) {
    this.form = form;
    this.instead = instead;
    this.#question = question;
    this.#call = call;
  }

  get channel(): 'native' {
    return 'native';
  }

  get assurance(): 'in-band' {
    return 'in-band';
  }

  outgoing(message: string, before?: NotTaken): ClientAsk {
    const { ask, withdrawn, wayBack } = this.#question;
    const { config, request } = this.#call;
    const { schema } = this.form;
    return {
      to: 'client',
      channel: 'native',
      method: 'elicitation/create',
      params: formParams(request.client.asks, message, before ? withProblems(schema, before) : schema, {
        app: ask.app,
        wayBack,
      }),
      key: ask.key,
      timeoutMs: ask.timeoutMs ?? config.askTimeoutMs,
      withdrawn,
    };
  }
}
