/** What the checks of a question let pass and refuse, and what the audit and the handler hear where nobody can be asked. */
import { type Call, type MidcallOptions, midcall } from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  checkChannels,
  checkFallback,
  checkPageChannels,
} from '../../../packages/server/src/questions/check-channels.ts';
import { sampler } from '../../../packages/server/src/questions/sampler.ts';
import { recordedCheck } from '../../../packages/server/src/questions/validated.ts';
import { readWizard } from '../../../packages/server/src/questions/wizard.ts';

const tool = { registered: { method: 'tools/call', mayFallBack: true }, name: 'act' } as never;
const pages = connect({ name: 'Shop', reach: { kind: 'nobody', why: 'it is a test' } }) as never;
const config = (channels: readonly string[], withPages = true) =>
  ({ channels, pages: withPages ? pages : undefined }) as never;
const asks = (more: object) => ({ message: 'Which?', form: Boolean, ...more }) as never;

describe('the channels of a question', () => {
  it('the channels of a question are no mistake of the question where its server has none at all', () => {
    for (const channels of [['native'], ['relay'], ['page']]) {
      expect(() => checkChannels(asks({ channels }), tool, config([], false))).not.toThrow();
      expect(() => checkPageChannels(asks({ channels }), 'act', config([], false))).not.toThrow();
    }
  });

  it('the channels of a question may be any that is switched on, and the page where there are pages', () => {
    const may = (channels: readonly string[], on: readonly string[]) => {
      try {
        checkPageChannels(asks({ channels }), 'act', config(on));
        return true;
      } catch {
        return false;
      }
    };
    expect(may(['native'], ['native'])).toBe(true);
    expect(may(['page'], ['native'])).toBe(true);
    expect(may([], ['native'])).toBe(true);
    expect(may(['native', 'relay'], ['native'])).toBe(true);
    expect(may(['native'], ['page'])).toBe(false);
    expect(may(['relay'], ['native', 'relay'])).toBe(false);
  });

  it('the channels of a question leave a fallback beside an assurance that it has, and beside no other', async () => {
    const form = { library: true } as never;
    await checkFallback(asks({ fallback: true }), tool, form);
    await checkFallback(asks({ fallback: true, assurance: 'relayed' }), tool, form);
    for (const assurance of ['in-band', 'out-of-band', 'verified'])
      await expect(checkFallback(asks({ fallback: true, assurance }), tool, form)).rejects.toMatchObject({
        code: 'server/setup',
        message: `'act' gives a fallback for a question that demands '${assurance}', which a fallback never has: leave one of the two out.`,
      });
  });
});

describe('what a schema library makes of an answer', () => {
  const recorded = (value: unknown, content: unknown = { day: '2026-05-01' }) => {
    const written: unknown[] = [];
    const step = async (_name: string, work: () => { run: () => Promise<unknown> }) => {
      written.push(await work().run());
      return written[0];
    };
    const judged = recordedCheck({ step } as never, 'When?', 'id')(async () => ({ ok: true, value }), content);
    return judged.then(result => ({ result, written }));
  };

  it('what a schema library makes of an answer is refused where JSON would lose it, with what to do', async () => {
    await expect(recorded({ day: new Date(0) })).rejects.toMatchObject({
      code: 'form/unsupported',
      message: expect.stringMatching(
        /^The schema of this form makes .*Leave the field as it is there, and convert it in the handler\./,
      ),
    });
  });

  it('what a schema library makes of an answer is written down only where it is something else than the answer', async () => {
    expect(await recorded({ day: '2026-05-01' })).toEqual({
      result: { ok: true, value: { day: '2026-05-01' } },
      written: [{ ok: true, same: true }],
    });
    expect(await recorded(7)).toEqual({ result: { ok: true, value: 7 }, written: [{ ok: true, value: 7 }] });
    expect(await recorded(undefined)).toEqual({ result: { ok: true, value: undefined }, written: [{ ok: true }] });
  });
});

describe('a wizard', () => {
  it('a wizard with a form that has no usable name is refused with a code and what was got', () => {
    const named =
      (name: string, form: unknown = Boolean) =>
      () =>
        readWizard({ message: 'Plan', forms: { [name]: { title: 'One', form } } } as never);
    for (const name of ['1st', 'a b', 'x'.repeat(33), ''])
      expect(named(name)).toThrow(
        expect.objectContaining({
          code: 'form/unsupported',
          message: `The name of a form must be 1 to 32 letters, digits, dashes and underscores, beginning with a letter; got '${name}'.`,
        }),
      );
    expect(named('y'.repeat(60))).toThrow(`got '${'y'.repeat(40)}'.`);
    expect(named('x'.repeat(32))).not.toThrow();
  });
});

describe('a model of the client', () => {
  it.each([
    ['push', false, 'asked'],
    ['rounds', true, 'asked'],
    ['rounds', false, 'the operator has not allowed asking'],
    ['none', true, 'the operator has not allowed asking'],
  ] as const)(
    'a model of the client that is asked by %s, allowed on 2026-07-28 %s: %s',
    async (by, samplingOn2026, comes) => {
      const run = { ask: () => Promise.reject(new Error('asked')) };
      const client = { asks: by, can: { sampling: true, samplingTools: true } };
      const made = sampler(
        run as never,
        { client } as never,
        { samplingOn2026, warnOnce() {}, askTimeoutMs: 9 } as never,
      );
      const request = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };
      await expect(made.sample(request as never)).rejects.toThrow(comes);
    },
  );
});

describe.each(eras)('%s', era => {
  async function act(does: (call: Call) => Promise<string>, options: MidcallOptions, capabilities?: object) {
    const told: unknown[] = [];
    const mid = midcall({ suspectBelowMs: 0, warn: () => {}, audit: event => void told.push(event), ...options });
    const factory = () => {
      const server = new McpServer({ name: 'test', version: '1.0.0' });
      mid.tool(server, 'act', {}, async (_args, call) => ({ content: [{ type: 'text', text: await does(call) }] }));
      return server;
    };
    const person = scriptedPerson([{ action: 'cancel' }]);
    await using pair = await connectPair(factory, { era, ...(capabilities ? { capabilities } : { person }) });
    const result = await pair.client.callTool({ name: 'act', arguments: {} });
    return { text: (result.content[0] as { text: string }).text, told };
  }
  const why = async (call: Call) => {
    const answer = await call.elicit({ message: 'Sure?', form: Boolean });
    return answer.action === 'cancel' ? answer.reason : answer.action;
  };

  it('the audit hears for what reason a question was cancelled', async () => {
    const { text, told } = await act(why, {});
    expect(text).toBe('dismissed');
    expect(told).toContainEqual(expect.objectContaining({ kind: 'answered', action: 'cancel', reason: 'dismissed' }));
  });

  it('a handler that cannot go on unasked ends, and the model hears what is missing', async () => {
    const does = async (call: Call) =>
      (await call.elicit({ message: 'Sure?', form: Boolean, required: true, assurance: 'out-of-band' })).action;
    const { text } = await act(does, {});
    expect(text).toContain(
      "This needs an answer from the person ('Sure?'), and no enabled channel can give one that counts.",
    );
  });
});
