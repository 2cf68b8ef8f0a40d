/** The questions of another server: its forms and pages, in its words, which the client judges. */
import { isRecord } from '@midcall/core/json';
import { checkOptions, having, type Kinds, positive, required } from '@midcall/core/options';
import {
  type CallRequest,
  type Config,
  elicitationParams,
  type GatewayQuestion,
  type Passed,
} from '../../request/index.ts';
import type { Unstamped } from '../../state/index.ts';
import { answeredEvent, type CallRun } from '../outgoing.ts';
import { askConsent } from './native.ts';

const kinds: Kinds<GatewayQuestion> = {
  params: required(having('the parameters of elicitation/create, an object')),
  timeoutMs: positive,
};

export async function gatewayQuestion(
  run: CallRun,
  config: Config,
  { client }: Pick<CallRequest, 'client'>,
  audit: (event: Unstamped) => void,
  question: GatewayQuestion,
  withdrawn: AbortSignal | undefined,
): Promise<Passed> {
  checkOptions('call.pass', question, kinds);
  const { params, timeoutMs = config.askTimeoutMs } = question;
  const isPage = params['mode'] === 'url';
  if (!(isPage ? client.can.url : client.can.form) || client.asks === 'none') {
    return { action: 'cancel', reason: 'unavailable', by: { channel: 'native', assurance: 'in-band', elapsedMs: 0 } };
  }
  const { id, fresh, answer, got } = await askConsent(run, config, {
    kind: isPage ? 'url' : 'elicit',
    identity: ['gateway', params],
    label: String(params['message']),
    channel: 'native',
    detail: {
      to: 'client',
      channel: 'native',
      method: 'elicitation/create',
      params: elicitationParams(client.asks, params),
      timeoutMs,
      withdrawn,
    },
  });
  if (fresh) audit(answeredEvent(id, answer));
  return isRecord(got) ? { ...answer, result: got } : answer;
}
