/** Calls whose server cannot be connected: when it is known that nothing of them was sent, and what is said then. */
import { MidcallError } from '@midcall/core/errors';
import { type CallOutcome, type CallQuestion, type Question, type Reply, Rules } from '@midcall/host';
import { eras } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { agentReply } from '../../../packages/host/src/agents/agent-reply.ts';
import { exitOf, printOutcome } from '../../../packages/midcall/src/cli/call-outcome.ts';
import { memoryStore } from '../../../packages/server/src/stores/memory.ts';
import { grown } from '../../fixtures/grown.ts';
import { nextQuestion } from '../person.ts';
import { type Wired, type WiredOptions, WireError, wired } from '../wire-server.ts';

const nothingSent = 'The server cannot be reached. Nothing was sent.';
const inDoubt = 'It is not known what the call has done.';
const yes: Reply = { action: 'accept' };

const failure = (cause: Error): Error => new TypeError('fetch failed', { cause });
const ofNetwork = (code: string): Error => Object.assign(new Error('connect'), { code });
const refused = ofNetwork('ECONNREFUSED');

/** From now on, no call gets through. @returns has them get through again */
function cut({ client }: Pick<Wired, 'client'>, cause = refused): () => void {
  const transport = client.transport!;
  const { send } = transport;
  transport.send = (message, options) =>
    'method' in message && message.method === 'tools/call'
      ? Promise.reject(failure(cause))
      : send.call(transport, message, options);
  return () => {
    transport.send = send;
  };
}

/** What a model and a person in a terminal are told. */
function toldOf(outcome: CallOutcome): readonly string[] {
  const lines: string[] = [];
  printOutcome(outcome, { plain: true, say: said => void lines.push(...said) });
  return [agentReply(outcome).text, lines.join('\n')];
}

const run = ({ attachment }: Pick<Wired, 'attachment'>, signal: AbortSignal): Promise<unknown> =>
  attachment.run({ kind: 'tool', name: 'act', arguments: {} }, { signal }).catch((error: unknown) => error);

it('a script learns by its exit code that a call may have been carried out, and does not take it for an unanswered question', () => {
  const abandoned = { how: 'abandoned', message: 'It broke off.' } as const;
  expect(exitOf({ ...abandoned, inDoubt: true })).toBe('noServer');
  expect(exitOf(abandoned)).toBe('unanswered');
});

describe.each(eras)('%s', era => {
  const host = async (options: Partial<WiredOptions> = {}) => {
    const on = await wired(era, { tool: async () => 'done', ...options });
    const ends: CallOutcome[] = [];
    on.attachment.subscribe(event => void (event.type === 'call-ended' && ends.push(event.outcome)));
    return { ...on, ends };
  };

  it('a call whose first request was refused a connection is said to have sent nothing, and is not in doubt', async () => {
    const on = await host();
    cut(on);
    expect(await on.call()).toMatchObject({ code: 'host/server-gone', message: nothingSent });
    expect(on.ends).toEqual([{ how: 'server-gone', message: nothingSent, nothingSent: true }]);
    expect(toldOf(on.ends[0]!)).toEqual([nothingSent, `midcall: ${nothingSent}`]);
  });

  it.each([ofNetwork('ECONNRESET'), Object.assign(ofNetwork('EHOSTUNREACH'), { syscall: 'read' })])(
    'a call whose connection broke off is in doubt: $code',
    async cause => {
      const on = await host();
      cut(on, cause);
      await on.call();
      expect(on.ends).toMatchObject([{ how: 'server-gone', message: expect.not.stringContaining(nothingSent) }]);
      for (const told of toldOf(on.ends[0]!)) expect(told).toContain(inDoubt);
    },
  );

  it('a call that the person cancels is in doubt once it was sent', async () => {
    const cancel = new AbortController();
    const on = await host({
      tool: async () => {
        cancel.abort();
        return 'too late';
      },
    });
    await run(on, cancel.signal);
    expect(on.ends).toEqual([{ how: 'cancelled' }]);
    for (const told of toldOf(on.ends[0]!)) expect(told).toContain(inDoubt);
  });

  it('a call that the person cancels while they are asked about it has sent nothing', async () => {
    const cancel = new AbortController();
    const rules = new Rules({ rules: [{ server: 'notes', tools: '*', effect: 'ask' }] });
    const on = await host({ rules, answer: () => void cancel.abort() });
    await run(on, cancel.signal);
    expect(on.calls()).toEqual([]);
    expect(on.ends).toEqual([{ how: 'cancelled', nothingSent: true }]);
    for (const told of toldOf(on.ends[0]!)) expect(told).toMatch(/Nothing was sent\.$/);
  });

  it('a call ends with what its sign-in says, if an authorization server is what was not reached', async () => {
    const on = await host();
    const message = 'Signing in failed: the authorization server cannot be reached.';
    cut(on, new MidcallError('host/unauthorized', message, { cause: refused }));
    await on.call();
    expect(on.ends).toEqual([{ how: 'abandoned', message }]);
  });

  it('a call is in doubt that was refused a connection after a page, since its first request was answered', async () => {
    const page = { mode: 'url', message: 'Sign in', url: 'https://example.com/', elicitationId: 'e-1' };
    const on = await host({
      answer: () => {
        cut(on);
        return yes;
      },
      tool: async () => {
        throw new WireError(-32042, { elicitations: [page] });
      },
    });
    await on.call();
    expect(on.shown.map(({ kind }: Question) => kind)).toEqual(['url', 'url-finish']);
    expect(on.ends).toMatchObject([{ how: 'server-gone' }]);
    for (const told of toldOf(on.ends[0]!)) expect(told).toContain(inDoubt);
  });

  if (era === '2026-07-28')
    it('a call is in doubt that was refused a connection at its second round', async () => {
      const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean' } } };
      const on = await host({
        answer: () => {
          cut(on);
          return { action: 'accept', content: { sure: true } };
        },
        tool: wire => wire.ask({ mode: 'form', message: 'Sure?', requestedSchema }),
      });
      await on.call();
      expect(on.shown).toHaveLength(1);
      expect(on.ends).toMatchObject([{ how: 'server-gone' }]);
      for (const told of toldOf(on.ends[0]!)) expect(told).toContain(inDoubt);
    });

  if (era === '2026-07-28')
    it('a call is in doubt that another process took up, and had sent before', async () => {
      const store = memoryStore();
      const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean' } } };
      const tool: WiredOptions['tool'] = wire => wire.ask({ mode: 'form', message: 'Sure?', requestedSchema });
      const first = await host({ store, tool });
      void first.call();
      await nextQuestion(first.inbox);
      await first.attachment.keepQuestions();
      await first.client.close();
      const next = await host({ store, tool, answer: () => ({ action: 'accept', content: { sure: true } }) });
      cut(next);
      expect(await next.attachment.resume()).toHaveLength(1);
      await grown(next.ends, ends => ends.length > 0);
      for (const told of toldOf(next.ends[0]!)) expect(told).toContain(inDoubt);
    });

  it('consent-C3: a later round that is forwarded is in doubt, since the first may have been sent', async () => {
    const rules = new Rules({ rules: [{ server: 'notes', tools: '*', effect: 'ask' }] });
    const on = await host({ rules, answer: () => yes });
    cut(on);
    for (const round of [{ requestState: 's' }, { inputResponses: {} }])
      expect(
        await on.attachment.forward({ method: 'tools/call', params: { name: 'act', arguments: {}, ...round } }),
      ).toMatchObject({ result: { _meta: { 'io.github.midcall/disposition': 'in-doubt' } } });
  });

  it.each(['called', 'forwarded'])(
    'consent-C3: a call (%s) that the person agreed to, and that was not sent, is not executed, and is not remembered as one in doubt',
    async way => {
      const rules = new Rules({ rules: [{ server: 'notes', tools: '*', effect: 'ask' }] });
      const on = await host({ rules, answer: () => yes });
      const make = async (): Promise<unknown> => {
        if (way === 'called') return on.attachment.run({ kind: 'tool', name: 'act', arguments: {} });
        const answer = await on.attachment.forward({ method: 'tools/call', params: { name: 'act', arguments: {} } });
        return 'result' in answer && answer.result;
      };
      const mend = cut(on);
      expect(await make()).toMatchObject({
        content: [{ text: expect.stringMatching(/^Not done\. .* Nothing was sent\./) }],
        _meta: { 'io.github.midcall/disposition': 'not-executed' },
      });
      mend();
      expect(await make()).toMatchObject({ _meta: { 'io.github.midcall/disposition': 'executed' } });
      expect(on.shown.map(question => (question as CallQuestion).why)).toEqual(['rule 1 says ask', 'rule 1 says ask']);
    },
  );
});
