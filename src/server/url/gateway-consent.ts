/** What a gateway asks besides: consent to a page that is another server's, in the words of that server. */
import { checkOptions, type Kinds, name, positive, required } from '../../check-options.ts';
import type { Answer, FormInput, FormValue } from '../../form/index.ts';
import { checkMessage } from '../asking/ask-message.ts';
import type { Unstamped } from '../audit.ts';
import type { Call, ElicitAsk } from '../call.ts';
import type { Config } from '../config.ts';
import type { Run } from '../engine/run.ts';
import { urlParams } from '../era.ts';
import type { CallRequest } from '../request.ts';
import type { UrlAnswer } from './ask.ts';
import { askConsent } from './consent.ts';

/** A page of another server. */
export interface GatewayPage {
  /** That server's own words. Up to 2,000 characters. */
  readonly message: string;
  readonly url: string;
  /** That server's, or one of yours, on 2025-11-25; tell the client yourself when the page is finished. */
  readonly elicitationId: string;
  /** Milliseconds the person has to consent; the server's `askTimeoutMs` where absent. */
  readonly timeoutMs?: number;
}

/** What the handler of `mid.handle` holds. */
export interface GatewayCall extends Call {
  /**
   * How many rounds of questions this call may still go through with the client; without an end on 2025-11-25. A form takes
   * up to three, since an answer that does not fit is asked for again. At 0 the next question ends the call with `ask/rounds`.
   */
  readonly roundsLeft: number;
  /**
   * Asks for consent to a page of another server, where `can.url` says that the client has URL mode. An accept is never
   * `completed`: what becomes of the page is that server's business. Must be awaited.
   * @param withdrawn - as of `elicit`
   */
  consent(page: GatewayPage, withdrawn?: AbortSignal): Promise<UrlAnswer<never>>;
  /** @param withdrawn - fires when that server takes its question back: a client of 2025-11-25 is told, and it is `cancel/error` */
  elicit<const I extends FormInput>(ask: ElicitAsk<I>, withdrawn?: AbortSignal): Promise<Answer<FormValue<I>>>;
}

const kinds: Kinds<GatewayPage> = {
  message: required(name),
  url: required(name),
  elicitationId: required(name),
  timeoutMs: positive,
};

export async function gatewayConsent(
  run: Run<unknown>,
  config: Config,
  { client }: Pick<CallRequest, 'client'>,
  audit: (event: Unstamped) => void,
  page: GatewayPage,
  withdrawn: AbortSignal | undefined,
): Promise<UrlAnswer<never>> {
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
      method: 'elicitation/create',
      params: urlParams(client.asks, message, url, elicitationId),
      timeoutMs,
      withdrawn,
    },
  });
  if (fresh) {
    const reason = answer.action === 'cancel' ? { reason: answer.reason } : {};
    audit({ kind: 'asked', ask: id, channel: 'native' });
    audit({ kind: 'answered', ask: id, action: answer.action, ...reason, by: answer.by });
  }
  return answer;
}
