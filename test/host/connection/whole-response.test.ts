/** A server whose responses JSON-RPC does not allow: each of them ends its request. */

import { wholeResponse } from '@midcall/core/sdk-seam';
import type { CallOutcome } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { agentReply } from '../../../packages/host/src/agents/agent-reply.ts';
import { exitOf } from '../../../packages/midcall/src/cli/call-outcome.ts';
import { callOpen, type Wired, wired } from '../wire-server.ts';

type Json = Readonly<Record<string, unknown>>;

const frame = (members: object): Json => ({ jsonrpc: '2.0', id: 1, ...members });
const said = (code: number, message: string, more: object = {}) => frame({ error: { code, message, ...more } });
const withOutput = {
  name: 'act',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { a: { type: 'string' } } },
};
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
    ['a result beside an error that is null', frame({ result: { a: 1 }, error: null }), frame({ result: { a: 1 } })],
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

  /** The outcome of a call that is answered so. @param as - what becomes of the id of the call in the answer */
  async function outcomeOf(frame: object, as: (id: unknown) => unknown = id => id): Promise<CallOutcome | undefined> {
    const { host, ended } = await callOpen(era, [withOutput]);
    let outcome: CallOutcome | undefined;
    host.attachment.subscribe(event => {
      if (event.type === 'call-ended') outcome = event.outcome;
    });
    await host.respondBy({ ...frame, id: as(host.calls()[0]!.id) });
    await ended;
    return outcome;
  }

  it.each([
    ['a result that is a text', { result: 'done' }, 'is not a JSON-RPC 2.0 response.'],
    ['neither a result nor an error', {}, 'is not a JSON-RPC 2.0 response.'],
    ['a task that cannot be read', { result: { task: { taskId: 't', status: 'queued' } } }, 'does not allow'],
    ['questions without the type of a round', { result: { inputRequests: {}, requestState: 's' } }, 'does not allow'],
    ['an error that is a text', { error: 'broken' }, 'is not a JSON-RPC 2.0 response.'],
  ])(
    'a call that is answered with %s may have been carried out, and whoever made it is told',
    async (_, frame, why) => {
      const outcome = await outcomeOf(frame);
      expect(outcome).toEqual({ how: 'abandoned', message: expect.stringContaining(why), inDoubt: true });
      expect(agentReply(outcome!).text).toMatch(/[^.]\. The request may have been carried out: /u);
      expect(exitOf(outcome!)).toBe('noServer');
    },
  );

  it('structured content that does not fit the schema of its tool is given, with how it differs', async () => {
    const structuredContent = { a: 1 };
    expect(await outcomeOf({ result: { resultType: 'complete', content: [], structuredContent } })).toEqual({
      how: 'completed',
      result: expect.objectContaining({ content: [], structuredContent }),
      misfit: expect.stringMatching(/^Structured content does not match the tool's output schema: a must be /),
    });
  });

  it.each([
    ['that it refuses it', { error: { code: -32602, message: 'No such tool.' } }],
    ['an error whose code is a text', { error: { code: 'E', message: 'No such tool.' } }],
  ])('a call of which the server says %s is not in doubt', async (_, frame) => {
    expect(await outcomeOf(frame)).toMatchObject({ how: 'refused', message: 'No such tool.' });
  });

  it('a result whose id is written as a text is read like any other', async () => {
    const content = [{ type: 'hologram' }];
    const result = { resultType: 'complete', content, structuredContent: {} };
    expect(await outcomeOf({ result }, String)).toMatchObject({ how: 'completed', result: { content } });
  });

  it('progress whose token is written as a text is that of its call', async () => {
    const seen: number[] = [];
    const host: Wired = await wired(era, {
      tool: async ({ notify }) => {
        await notify('notifications/progress', { progressToken: String(host.calls()[0]!.id), progress: 1 });
      },
    });
    await host.attachment.run({ kind: 'tool', name: 'act' }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1]);
  });

  it('a result of a tool without content and type is shown', async () => {
    expect(await outcomeOf({ result: { structuredContent: { a: 'b' } } })).toEqual({
      how: 'completed',
      result: { content: [], structuredContent: { a: 'b' } },
    });
  });
});
