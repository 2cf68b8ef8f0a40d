/** The events of calls in the record; one for every entry that says the same. */
import type { CallOutcome } from '../calls/index.ts';
import type { HostEvent } from './audit-entry.ts';

export const callStarted: HostEvent = { type: 'call', state: 'started' };

const ends = new Map<CallOutcome['how'], HostEvent>();

export function callEnded(how: CallOutcome['how']): HostEvent {
  const event = ends.get(how) ?? { type: 'call', state: 'ended', how };
  ends.set(how, event);
  return event;
}
