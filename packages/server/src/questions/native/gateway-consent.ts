/** The questions of another server: consent to open its page, in its words, and its forms, which the client judges. */
import { isRecord } from '@midcall/core/json';
import { checkOptions, type Kinds, name, positive, required } from '@midcall/core/options';
import {
  type CallRequest,
  type Config,
  type Consent,
  type GatewayPage,
  type GatewayQuestion,
  type Passed,
  urlParams,
} from '../../request/index.ts';
import type { Unstamped } from '../../state/index.ts';
import { checkMessage } from '../ask-message.ts';
import type { CallRun } from '../outgoing.ts';
import { askConsent } from './consent.ts';

const kinds: Kinds<GatewayPage> = {
  message: required(name),
  url: required(name),
  elicitationId: required(name),
  timeoutMs: positive,
};

export async function gatewayConsent(
  run: CallRun,
  config: Config,
  { client }: Pick<CallRequest, 'client'>,
  audit: (event: Unstamped) => void,
  page: GatewayPage,
  withdrawn: AbortSignal | undefined,
): Promise<Consent> {
  checkOptions('call.consent', page, kinds);
  checkMessage(page.message);
  const { message, url, elicitationId, timeoutMs = config.askTimeoutMs } = page;
  if (!client.can.url || client.asks === 'none') {
    return { action: 'cancel', reason: 'unavailable', by: { channel: 'native', assurance: 'in-band', elapsedMs: 0 } };
  }
  const { id, fresh, answer } = await askConsent(run, config, {
    identity: ['gateway', message, url, elicitationId],
    label: message,
    channel: 'native',
    detail: {
      to: 'client',
      channel: 'native',
      method: 'elicitation/create',
      params: urlParams(client.asks, message, url, elicitationId),
      timeoutMs,
      withdrawn,
    },
  });
  if (fresh) {
    const reason = answer.action === 'cancel' ? { reason: answer.reason } : {};
    audit({ kind: 'answered', ask: id, action: answer.action, ...reason, by: answer.by });
  }
  return answer;
}

export async function gatewayQuestion(
  run: CallRun,
  config: Config,
  { client }: Pick<CallRequest, 'client'>,
  audit: (event: Unstamped) => void,
  { params, timeoutMs = config.askTimeoutMs }: GatewayQuestion,
  withdrawn: AbortSignal | undefined,
): Promise<Passed> {
  if (!client.can.form || client.asks === 'none') {
    return { action: 'cancel', reason: 'unavailable', by: { channel: 'native', assurance: 'in-band', elapsedMs: 0 } };
  }
  const { id, fresh, answer, got } = await askConsent(run, config, {
    kind: 'elicit',
    identity: ['gateway', params],
    label: String(params['message']),
    channel: 'native',
    detail: {
      to: 'client',
      channel: 'native',
      method: 'elicitation/create',
      params: client.asks === 'rounds' ? { mode: 'form', ...params } : params,
      timeoutMs,
      withdrawn,
    },
  });
  if (fresh) {
    const reason = answer.action === 'cancel' ? { reason: answer.reason } : {};
    audit({ kind: 'answered', ask: id, action: answer.action, ...reason, by: answer.by });
  }
  return isRecord(got) ? { ...answer, result: got } : answer;
}
