/** The client's own forms, over the protocol: what it says the person answered. */
import { type By, toFirstForm } from '@midcall/core/form';
import { type Config, type Consent, formParams } from '../../request/index.ts';
import type { AskChannel, ChannelCall, FormQuestion } from '../channel.ts';
import { suspicion } from '../judge.ts';
import type { CallRun, ClientAsk } from '../outgoing.ts';
import { type FormRoute, putForm } from '../put-form.ts';
import { elapsed, readRecording } from '../recording.ts';
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
  const spelled = client.firstForms ? toFirstForm(form) : form;
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

/** How consent is asked for. */
export interface ConsentRequest {
  /** Default: `url`. */
  readonly kind?: 'elicit' | 'url';
  readonly identity: unknown;
  readonly label: string;
  readonly detail: ClientAsk;
  readonly channel: By['channel'];
}

/** Asks for the host's consent to open a page: like any question, and checked without a form. */
export async function askConsent(
  run: CallRun,
  config: Config,
  { channel, ...ask }: ConsentRequest,
): Promise<{ readonly id: string; readonly fresh: boolean; readonly answer: Consent; readonly got: unknown }> {
  const { id, value, fresh } = await run.ask({ kind: 'url', ...ask });
  const recording = readRecording(value);
  const by: By = {
    channel,
    assurance: 'in-band',
    elapsedMs: elapsed(recording),
    ...suspicion(recording, config.suspectBelowMs),
  };
  const got = recording.kind === 'answered' ? recording.got : undefined;
  const action = (got as { action?: unknown } | null | undefined)?.action;
  const answer = ((): Consent => {
    if (action === 'accept' || action === 'decline') return { action, by };
    if (action === 'cancel') return { action: 'cancel', reason: 'dismissed', by };
    return { action: 'cancel', reason: recording.kind === 'unanswered' ? recording.why : 'error', by };
  })();
  return { id, fresh, answer, got };
}
