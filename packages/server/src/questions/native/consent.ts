/** The host's consent to open a page: asked like any question, and checked without a form. */
import type { By } from '@midcall/core/form';
import type { Config, Consent } from '../../request/index.ts';
import { suspicion } from '../judge.ts';
import type { CallRun, ClientAsk } from '../outgoing.ts';
import { elapsed, readRecording } from '../recording.ts';

/** How consent is asked for. */
export interface ConsentRequest {
  /** Default: `url`. */
  readonly kind?: 'elicit' | 'url';
  readonly identity: unknown;
  readonly label: string;
  readonly detail: ClientAsk;
  readonly channel: By['channel'];
}

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
