/** What a fleet keeps in Redis is sealed for the place where it lies. */
import { expect, it } from 'vitest';
import { type Member, openAt, sealAt } from '../../packages/server/src/fleet/member.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';

const member = { sealer: createSealer(keyRing(Uint8Array.from({ length: 32 }, (_, n) => 17 * n + 5))) } as Member;
const events = 'fleet:{s}:events:call-7';

it.each<[string, object]>([
  ['a question', { jsonrpc: '2.0', id: 'call-7.ask', method: 'elicitation/create', params: { message: 'Go on?' } }],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, progressToken: 2 } }],
  ['a result', { jsonrpc: '2.0', id: 3, result: { content: [] } }],
])('a message, such as %s, is opened as it was written, from its own stream only', (_, message) => {
  const sealed = sealAt(member, events, message);
  expect(openAt(member, events, sealed)).toEqual(message);
  expect(openAt(member, `${events}8`, sealed)).toBeUndefined();
});
