/** Consent to open another server's page, in the words of that server. */
import { checkOptions, type Kinds, name, positive, required } from '@midcall/core/options';
import { type CallRequest, type Config, type Consent, type GatewayPage, urlParams } from '../../request/index.ts';
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
