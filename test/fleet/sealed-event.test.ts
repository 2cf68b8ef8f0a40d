/** Messages as they wait in a stream: nothing of one is lost, and those that are alike take no room for what they share. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { Member } from '../../packages/server/src/fleet/member.ts';
import { openEvent, sealEvent } from '../../packages/server/src/fleet/sealed-event.ts';
import { keyRing } from '../../packages/server/src/state/keys.ts';
import { createSealer } from '../../packages/server/src/state/seal.ts';

const member = { sealer: createSealer(keyRing(Uint8Array.from({ length: 32 }, (_, n) => 17 * n + 5))) } as Member;
const events = 'fleet:{s}:events:call-7';
const params = {
  message: 'Go on?',
  requestedSchema: { type: 'object', properties: { value: { type: 'boolean' } }, required: ['value'] },
};
const method = 'elicitation/create';

it.each<[string, object]>([
  ['a question', { jsonrpc: '2.0', id: 'call-7.ask', method, params }],
  ['a question that says its mode', { jsonrpc: '2.0', id: 'call-7.ask', method, params: { mode: 'form', ...params } }],
  ['a question of another call', { jsonrpc: '2.0', id: 'call-8.ask', method, params }],
  ['a question with a number', { jsonrpc: '2.0', id: 12, method, params }],
  ['a question about a task', { jsonrpc: '2.0', id: 'call-7.ask', method, params: { ...params, _meta: { a: 1 } } }],
  ['a request without parameters', { jsonrpc: '2.0', id: 'call-7.ask', method: 'roots/list' }],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1, progressToken: 2 } }],
  ['a result', { jsonrpc: '2.0', id: 3, result: { content: [] } }],
])('%s comes back as it was, from its own stream only', (_, message) => {
  const sealed = sealEvent(member, events, message as JSONRPCMessage);
  expect(JSON.stringify(openEvent(member, events, sealed))).toBe(JSON.stringify(message));
  expect(openEvent(member, `${events}8`, sealed)).toBeUndefined();
});

it('a question takes less than two thirds of the room of its text', () => {
  const message = { jsonrpc: '2.0', id: 'call-7.ask', method, params };
  const whole = member.sealer.seal(message, 'fleet', events);
  expect(sealEvent(member, events, message as JSONRPCMessage).length).toBeLessThan((whole.length * 2) / 3);
});
