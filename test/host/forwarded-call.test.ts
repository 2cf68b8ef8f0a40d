/** Calls whose result is only handed on, as it came. */
import { describe, expect, it } from 'vitest';
import { forwardedCall } from '../../packages/host/src/attach/forwarded-call.ts';
import type { RunningCall } from '../../packages/host/src/calls/calls.ts';
import type { CallProgress } from '../../packages/host/src/calls/runner.ts';
import type { ForwardedAnswer, ForwardOptions } from '../../packages/host/src/sdk-seam/forwarded-requests.ts';

const call = {} as RunningCall;

/** Runs a call whose server answers so. */
async function ran(answer: ForwardedAnswer, during: (options: Pick<ForwardOptions, 'onProgress'>) => void = () => {}) {
  const handedOver: ForwardedAnswer[] = [];
  const progress: CallProgress[] = [];
  const send = forwardedCall(
    { method: 'tools/call', params: { name: 'look' } },
    {
      send: (_, options, __, settle) => {
        during(options);
        settle(answer);
      },
      handOver: (_, given) => handedOver.push(given),
      bySdk: async () => ({ result: { by: 'the SDK' } }),
    },
  );
  const options = {
    signal: new AbortController().signal,
    onprogress: (told: CallProgress) => void progress.push(told),
  };
  return { sent: await send.send(options, call), handedOver, progress };
}

describe('a call whose result is only handed on', () => {
  it('gives the result as it came, without what belongs to its connection', async () => {
    const { sent, handedOver } = await ran({ result: { resultType: 'complete', content: 'no list', ours: [1] } });
    expect(sent).toEqual({ result: { content: 'no list', ours: [1] } });
    expect(handedOver).toEqual([]);
  });

  it.each([
    ['a round of questions', { result: { resultType: 'input_required', inputRequests: {} } }],
    ['a result of a kind that nobody here knows', { result: { resultType: 'later' } }],
    ['an error', { error: { code: -32042, message: 'Open a page.' } }],
  ])('gives the SDK %s, which goes on from there', async (_, answer) => {
    const { sent, handedOver } = await ran(answer);
    expect(sent).toEqual({ result: { by: 'the SDK' } });
    expect(handedOver).toEqual([answer]);
  });

  it('tells progress that is progress, and nothing of it that is of another type', async () => {
    const { progress } = await ran({ result: {} }, ({ onProgress }) => {
      onProgress?.({ progress: 1, total: 'much', message: { not: 'a text' } });
      onProgress?.({ progress: 'half' });
      onProgress?.({ progress: 2, total: 3, message: 'two' });
    });
    expect(progress).toEqual([{ progress: 1 }, { progress: 2, total: 3, message: 'two' }]);
  });
});
