/** What the audit is told of a question when it leaves; see `WireAsk.audited`. */
import type { Unstamped } from '../audit.ts';
import type { OpenAsk } from '../engine/seam.ts';
import { wireOf } from '../wire-ask.ts';

/** @returns nothing for what is put to no person: roots, and the model; nor for the second half of a question */
export function askedEvent(ask: OpenAsk): Unstamped | undefined {
  if (ask.kind !== 'elicit' && ask.kind !== 'url') return undefined;
  const { channel = 'native', audited } = wireOf(ask);
  return audited === 'already' ? undefined : { kind: 'asked', ask: ask.id, channel, ...audited };
}
