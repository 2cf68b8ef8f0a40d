/** The host's consent to open a page: asked like any question, and checked without a form. */
import type { By, CancelReason } from '@midcall/core/form';
import { suspicion } from '../../asking/judge.ts';
import type { Config } from '../../config.ts';
import type { CallRun, ClientAsk } from '../outgoing.ts';
import { elapsed, readRecording } from '../recording.ts';

/** The host's answer about opening a page. An accept is only consent (client/elicitation, "Response Actions"). */
export type Consent =
  | { readonly action: 'accept'; readonly by: By }
  | { readonly action: 'decline'; readonly by: By }
  | { readonly action: 'cancel'; readonly reason: CancelReason; readonly by: By };

/** How consent is asked for. */
export interface ConsentRequest {
  readonly identity: unknown;
  readonly label: string;
  readonly detail: ClientAsk;
  readonly channel: By['channel'];
}

export async function askConsent(
  run: CallRun,
  config: Config,
  { channel, ...ask }: ConsentRequest,
): Promise<{ readonly id: string; readonly fresh: boolean; readonly answer: Consent }> {
  const { id, value, fresh } = await run.ask({ kind: 'url', ...ask });
  const recording = readRecording(value);
  const by: By = {
    channel,
    assurance: 'in-band',
    elapsedMs: elapsed(recording),
    ...suspicion(recording, config.suspectBelowMs),
  };
  const action = recording.kind === 'answered' ? (recording.got as { action?: unknown } | null)?.action : undefined;
  const answer = ((): Consent => {
    if (action === 'accept' || action === 'decline') return { action, by };
    if (action === 'cancel') return { action: 'cancel', reason: 'dismissed', by };
    return { action: 'cancel', reason: recording.kind === 'unanswered' ? recording.why : 'error', by };
  })();
  return { id, fresh, answer };
}
