/** What the audit records about a question when it is sent; see `audited` of an outgoing question. */

import type { OpenAsk } from '../engine/index.ts';
import type { Outgoing } from '../questions/index.ts';
import type { Unstamped } from '../state/index.ts';

/** @returns nothing for questions that no person sees (roots, and sampling), and for the second half of a question */
export function askedEvent(ask: OpenAsk<Outgoing>): Unstamped | undefined {
  if (ask.kind !== 'elicit' && ask.kind !== 'url') return undefined;
  const { channel, audited } = ask.detail;
  return audited === 'already' ? undefined : { kind: 'asked', ask: ask.id, channel, ...audited };
}
