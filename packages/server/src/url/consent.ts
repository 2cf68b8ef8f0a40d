/** The host's consent to a page: asked as any question, and judged without a form. */
import type { By } from '@midcall/core/form';
import { readRecorded, suspicion } from '../asking/judge.ts';
import type { Config } from '../config.ts';
import type { Run } from '../engine/run.ts';
import type { WireAsk } from '../wire-ask.ts';
import type { UrlAnswer } from './ask.ts';

/** How consent is asked for. */
export interface ConsentRequest {
  readonly identity: unknown;
  readonly label: string;
  readonly detail: WireAsk;
  readonly channel: By['channel'];
}

/** @returns what the host said; an accept is consent alone (client/elicitation, "Response Actions") */
export async function askConsent(
  run: Run<unknown>,
  config: Config,
  { channel, ...ask }: ConsentRequest,
): Promise<{ readonly id: string; readonly fresh: boolean; readonly answer: UrlAnswer<never> }> {
  const { id, value, fresh } = await run.ask({ kind: 'url', ...ask });
  const recorded = readRecorded(value);
  const by: By = {
    channel,
    assurance: 'in-band',
    elapsedMs: recorded.ms,
    ...suspicion(recorded, config.suspectBelowMs),
  };
  const said = 'got' in recorded ? (recorded.got as { action?: unknown } | null)?.action : undefined;
  const answer = ((): UrlAnswer<never> => {
    if (said === 'accept') return { action: 'accept', completed: false, by };
    if (said === 'decline') return { action: 'decline', by };
    if (said === 'cancel') return { action: 'cancel', reason: 'dismissed', by };
    return { action: 'cancel', reason: 'none' in recorded ? recorded.none : 'error', by };
  })();
  return { id, fresh, answer };
}
