/** A server whose responses JSON-RPC does not allow: each of them ends its request. */

import { wholeResponse } from '@midcall/core/sdk-seam';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { callOpen } from '../wire-server.ts';

type Json = Readonly<Record<string, unknown>>;

const frame = (members: object): Json => ({ jsonrpc: '2.0', id: 1, ...members });
const said = (code: number, message: string, more: object = {}) => frame({ error: { code, message, ...more } });
const noReason = 'The server answered with an error, and gave no reason.';
const noResponse = 'The server answered with something that is not a JSON-RPC 2.0 response.';

describe('what a server has sent', () => {
  it.each([
    ['a result', frame({ result: { content: [], more: 1 } })],
    ['an error', said(-32601, 'no', { data: { a: 1 }, more: 1 })],
    ['a request', frame({ method: 'ping' })],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/message', params: {} }],
  ])('what a server has sent is read as it came where it is %s', (_, message) => {
    expect(wholeResponse(message, 'server')).toBe(message);
  });

  it.each<[string, Json, Json]>([
    ['a result with another member', frame({ result: { a: 1 }, more: 1 }), frame({ result: { a: 1 } })],
    ['a result without its version', { id: 1, result: {}, more: 1 }, frame({ result: {} })],
    ['both a result and an error', frame({ result: {}, error: { code: 1, message: 'no' } }), said(1, 'no')],
    ['a result that is no object', frame({ result: 'done' }), said(-32603, noResponse)],
    ['an error that is no object', frame({ error: 'broken' }), said(-32603, noResponse)],
    ['neither', frame({}), said(-32603, noResponse)],
    [
      'a code that is a text',
      frame({ error: { code: 'E', message: 'broken', data: 1 } }),
      said(-32603, 'broken', { data: 1 }),
    ],
    ['a code with a fraction', frame({ error: { code: 1.5, message: 'broken' } }), said(-32603, 'broken')],
    ['no reason', frame({ error: { code: 7 } }), said(7, noReason)],
    ['a reason that is no text', frame({ error: { code: 7, message: { a: 1 } } }), said(7, noReason)],
    ['an error with another member', { ...said(7, 'no'), more: 1 }, said(7, 'no')],
  ])('what a server has sent ends its request where it has %s', (_, message, read) => {
    expect(wholeResponse(message, 'server')).toEqual(read);
  });
});

describe.each(eras)('%s', era => {
  it('a call ends with what can be said of its server’s odd error', async () => {
    const { host, ended } = await callOpen(era);
    await host.respondBy({ error: { code: 'E_BROKEN', message: 'The disk is full.' } });
    expect(await ended).toMatchObject({ message: expect.stringContaining('The disk is full.') });
  });
});
