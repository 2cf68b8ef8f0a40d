/** `mid.withoutClient`: the handlers of a server, run from a command line (row 001-07). */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@midcall/core/sampling';
import { type Call, midcall } from '@midcall/server';
import { describe, expect, it } from 'vitest';

const ask = async (call: Call) => {
  const answer = await call.elicit({ message: 'Go on?', form: Boolean });
  return answer.action === 'cancel' ? answer.reason : answer.action;
};

describe('withoutClient', () => {
  it('001-07: a handler without a client asks nobody: every question is unavailable, by every channel', async () => {
    const mid = midcall({ channels: ['native', 'relay'] });
    expect(await mid.withoutClient(ask)).toBe('unavailable');
    expect(await mid.withoutClient(async call => call.can)).toEqual({
      form: false,
      url: false,
      roots: false,
      sampling: false,
      samplingTools: false,
    });
  });

  it('a handler without a client runs steps, cleans up, and knows whose process it is', async () => {
    const done: string[] = [];
    const result = await midcall().withoutClient(async call => {
      call.defer(() => void done.push('cleaned'));
      const { at } = await call.step('make', () => ({ at: new Date(0) }));
      return `${at} for ${call.principal?.issuer}`;
    });
    expect(result).toBe('1970-01-01T00:00:00.000Z for os');
    expect(done).toEqual(['cleaned']);
  });

  it('a handler without a client takes a fallback only where nothing can be destroyed, and passes errors on', async () => {
    const handler = async (call: Call) => {
      const answer = await call.elicit({ message: 'Colour?', form: ['red', 'green'], fallback: 'red' as never });
      return answer.action === 'accept' ? answer.content : answer.action;
    };
    const mid = midcall();
    expect(await mid.withoutClient(handler, { readOnlyHint: true })).toBe('red');
    await expect(mid.withoutClient(handler)).rejects.toMatchObject({ code: 'server/setup' });
    const required = mid.withoutClient(call => call.elicit({ message: 'Which?', form: String, required: true }));
    await expect(required).rejects.toMatchObject({ code: 'ask/unavailable' });
    const thrown = mid.withoutClient(() => Promise.reject(new Error('mine')));
    await expect(thrown).rejects.toThrow('mine');
  });

  it('a handler without a client has the operator’s files and model, and nothing else', async () => {
    const top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-unattended-')));
    await writeFile(join(top, 'a.txt'), 'inside');
    const model = {
      names: ['own'],
      tools: false,
      choose: () => ({ name: 'own', why: 'It is the only one.', leftOut: [] }),
      run: async () => ({
        result: { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'own' } as const,
        usage: { inputTokens: 1, outputTokens: 1, estimated: false },
        notes: [],
      }),
    };
    const hello = { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 9 } as const;
    const mid = midcall({ roots: { ceiling: [top] }, sampling: { model } });
    try {
      expect(await mid.withoutClient(async call => (await call.files()).readText('a.txt'))).toBe('inside');
      expect(await mid.withoutClient(call => call.roots())).toBeUndefined();
      expect(await mid.withoutClient(async call => textOf(await call.sample(hello)))).toBe('hello');
      await expect(midcall().withoutClient(call => call.files())).rejects.toMatchObject({ code: 'roots/none' });
      await expect(midcall().withoutClient(call => call.sample(hello))).rejects.toMatchObject({
        code: 'sampling/unavailable',
      });
    } finally {
      await rm(top, { recursive: true });
    }
  });
});
