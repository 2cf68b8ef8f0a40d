/** What an upstream server a bridge asks, and who answers it, whichever revision each side speaks. */

import type { Inbox } from '@midcall/host';
import type { Midcall } from '@midcall/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { handClock } from '../host/clock.ts';
import { crossed, stage, textOf } from './stage.ts';
import { ring, until, untilAfterRoots, untilArmed } from './until.ts';

const says = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** A tool that asks, and acts on yes; `done` counts what it did. */
function asking() {
  const done: string[] = [];
  const serve = (mid: Midcall, server: McpServer) =>
    mid.tool(server, 'remove', { inputSchema: z.object({ name: z.string() }) }, async ({ name }, call) => {
      const answer = await call.elicit({
        message: `Remove ${name}?`,
        form: z.object({ sure: z.boolean(), why: z.enum(['old', 'wrong']) }),
      });
      if (answer.action !== 'accept' || !answer.content.sure) return says(`kept: ${answer.action}`);
      await call.step('remove', () => void done.push(name));
      return says(`removed, since it is ${answer.content.why}`);
    });
  return { done, serve };
}

const yes = { action: 'accept', content: { sure: true, why: 'old' } } as const;
const answerAtDesk = (inbox: Inbox) => inbox.reply(inbox.list()[0]!.id, yes, 'web');
const remove = { name: 'remove', arguments: { name: 'a.md' } };

describe.each(crossed)('a host of %s before a server of %s', (host, upstream) => {
  it('the host gets a form, and the server acts once on its answer', async () => {
    const { done, serve } = asking();
    await using on = await stage({ host, upstream, serve, answers: [yes] });
    expect(textOf(await on.client.callTool(remove))).toBe('removed, since it is old');
    expect(done).toEqual(['a.md']);
    expect(on.person.asked[0]?.params).toMatchObject({
      message: 'Remove a.md?',
      requestedSchema: { properties: { sure: { type: 'boolean' }, why: { enum: ['old', 'wrong'] } } },
    });
    expect(on.opened).toEqual([]);
  });

  it.each(['decline', 'cancel'] as const)('a %s of the host is passed on as it is', async action => {
    const { done, serve } = asking();
    await using on = await stage({ host, upstream, serve, answers: [{ action }] });
    expect(textOf(await on.client.callTool(remove))).toBe(`kept: ${action}`);
    expect(done).toEqual([]);
  });

  it('the desk asks where the host has no forms', async () => {
    const { done, serve } = asking();
    await using on = await stage({ host, upstream, serve, capabilities: {}, atDesk: answerAtDesk });
    expect(textOf(await on.client.callTool(remove))).toBe('removed, since it is old');
    expect(done).toEqual(['a.md']);
    expect(on.opened).toHaveLength(1);
  });

  it.each(['accept', 'decline'] as const)('the desk asks where the host answers by itself: %s', async action => {
    const { done, serve } = asking();
    const byItself = action === 'accept' ? { action, content: { sure: true, why: 'wrong' } } : { action };
    await using on = await stage({
      host,
      upstream,
      serve,
      answers: [byItself],
      atDesk: answerAtDesk,
      options: { suspectBelowMs: 60_000 },
    });
    expect(textOf(await on.client.callTool(remove))).toBe('removed, since it is old');
    expect(done).toEqual(['a.md']);
  });

  it('an automatic yes is none where there is no desk', async () => {
    const { done, serve } = asking();
    await using on = await stage({ host, upstream, serve, answers: [yes], options: { suspectBelowMs: 60_000 } });
    expect(textOf(await on.client.callTool(remove))).toBe('kept: cancel');
    expect(done).toEqual([]);
  });

  it('a question ends without a yes where nobody can be asked, and the model is told that nobody has refused', async () => {
    const { done, serve } = asking();
    await using on = await stage({ host, upstream, serve, capabilities: {} });
    const result = await on.client.callTool(remove);
    expect(textOf(result)).toBe('kept: cancel');
    expect(JSON.stringify(result.content)).toMatch(
      /Unavailable: .*could not be put to the person.*neither refused nor/,
    );
    expect(done).toEqual([]);
  });

  it('forward-B3: the model is told the way to a question the person does not see, and the call goes on when it is answered', async () => {
    const { done, serve } = asking();
    const way = 'The link is in a file.';
    await using on = await stage({ host, upstream, serve, capabilities: {}, way });
    const first = await on.client.callTool(remove);
    expect(first.isError).toBe(true);
    expect(textOf(first)).toMatch(
      /^Unavailable: .*not been asked.*not refused.*The link is in a file\. .*call 'remove' again .*\. Within 15 minutes, it goes on/,
    );
    expect(done).toEqual([]);
    await answerAtDesk(on.inbox);
    expect(textOf(await on.client.callTool(remove))).toBe('removed, since it is old');
    expect(done).toEqual(['a.md']);
  });

  /** A client without forms that has waited for the desk, and was sent away. */
  async function sentAway() {
    const { done, serve } = asking();
    const clock = handClock();
    const on = await stage({ host, upstream, serve, capabilities: {}, clock, atDesk: () => {} });
    const first = on.client.callTool(remove);
    await untilAfterRoots(clock, () => on.opened.length === 1);
    await untilArmed(clock, 45_000);
    clock.move(45_000);
    expect(textOf(await first)).toMatch(
      /call 'remove' again with the same arguments\. Within 15 minutes, it goes on where it is, and nothing is done twice\. Later, .* it is a new call: find out/,
    );
    return { ...on, done, clock };
  }

  it('a client that would wait too long for the desk is sent away, and the call goes on when it is back', async () => {
    await using on = await sentAway();
    await answerAtDesk(on.inbox);
    expect(textOf(await on.client.callTool(remove))).toBe('removed, since it is old');
    expect(on.done).toEqual(['a.md']);
  });

  it('the person is told until when the host waits, that it has stopped, and that it came back for the result', async () => {
    await using on = await sentAway();
    const until = on.clock.now();
    expect(on.waits).toEqual([
      { host: 'test-host', state: 'waits', until },
      { host: 'test-host', state: 'left' },
    ]);
    await answerAtDesk(on.inbox);
    await on.client.callTool(remove);
    expect(on.waits.slice(2)).toEqual([
      { host: 'test-host', state: 'waits' },
      { host: 'test-host', state: 'served' },
    ]);
  });

  it('the person is told nothing after an answer that the host has waited for', async () => {
    const { serve } = asking();
    await using on = await stage({ host, upstream, serve, capabilities: {}, atDesk: answerAtDesk });
    await on.client.callTool(remove);
    expect(on.waits.map(({ state }) => state)).not.toContain('served');
    expect(on.waits.map(({ state }) => state)).not.toContain('left');
  });

  it('another call is not taken for the one that the client was sent away from', async () => {
    await using on = await sentAway();
    const other = on.client.callTool({ name: 'remove', arguments: { name: 'b.md' } });
    await until(() => on.inbox.list().length === 2);
    for (const { id } of on.inbox.list()) await on.inbox.reply(id, yes, 'web');
    await other;
    expect([...on.done].sort()).toEqual(['a.md', 'b.md']);
  });

  it('a call that nobody comes back for is stopped', async () => {
    await using on = await sentAway();
    await untilArmed(on.clock, 900_000);
    on.clock.move(900_000);
    await until(() => on.inbox.list().length === 0);
    expect(on.done).toEqual([]);
    expect(on.waits.at(-1)).toEqual({ host: 'test-host', state: 'lost' });
  });

  it('the call upstream stops when the client takes it back', async () => {
    const { done, serve } = asking();
    await using on = await stage({ host, upstream, serve, capabilities: {}, atDesk: () => {} });
    const abort = new AbortController();
    const call = on.client.callTool(remove, { signal: abort.signal });
    await until(() => on.inbox.list().length === 1);
    abort.abort();
    await expect(call).rejects.toThrow();
    await until(() => on.inbox.list().length === 0);
    expect(done).toEqual([]);
  });

  it('a handler that runs again is told the same: two questions, one after the other', async () => {
    const seen: string[] = [];
    await using on = await stage({
      host,
      upstream,
      answers: [
        { action: 'accept', content: { value: 'one' } },
        { action: 'accept', content: { value: 'two' } },
      ],
      serve: (mid, server) =>
        mid.tool(server, 'twice', {}, async (_, call) => {
          for (const n of [1, 2]) {
            const answer = await call.elicit({ message: `Word ${n}?`, form: String });
            seen.push(answer.action === 'accept' ? answer.content : answer.action);
          }
          return says('done');
        }),
    });
    expect(textOf(await on.client.callTool({ name: 'twice' }))).toBe('done');
    expect(seen.slice(-2)).toEqual(['one', 'two']);
    expect(on.person.asked.map(each => each.params['message'])).toEqual(['Word 1?', 'Word 2?']);
  });

  /** A tool of an upstream server that asks for a page of its own, in the words of its revision. */
  const page = 'https://example.org/sign-in?x=1';
  const opening = (_: Midcall, server: McpServer) =>
    server.registerTool('sign-in', {}, async ctx => {
      const params = { mode: 'url' as const, message: 'Sign in there', url: page };
      if (upstream === '2025-11-25') {
        const elicitationId = 'e-1';
        const { action } = await ctx.mcpReq.elicitInput({ ...params, elicitationId });
        if (action === 'accept') await server.server.createElicitationCompletionNotifier(elicitationId)();
        return says(action);
      }
      const given = ctx.mcpReq.inputResponses?.['asked'] as { action?: string } | undefined;
      if (given) return says(given.action ?? '');
      const inputRequests = { asked: { method: 'elicitation/create', params } };
      return { resultType: 'input_required', inputRequests, requestState: 's' } as never;
    });

  it('a host with URL mode asks for consent to a page, its address unchanged', async () => {
    await using on = await stage({
      host,
      upstream,
      serve: opening,
      capabilities: { elicitation: { form: {}, url: {} } },
      answers: [{ action: 'accept' }],
    });
    const completed: unknown[] = [];
    on.client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      completed.push(params);
      ring();
    });
    expect(textOf(await on.client.callTool({ name: 'sign-in' }))).toBe('accept');
    expect(on.person.asked[0]?.params).toMatchObject({ mode: 'url', message: 'Sign in there', url: page });
    expect('elicitationId' in on.person.asked[0]!.params).toBe(host === '2025-11-25');
    expect(on.opened).toEqual([]);
    if (host === '2025-11-25' && upstream === '2025-11-25') {
      await until(() => completed.length === 1);
      expect(completed).toEqual([{ elicitationId: 'e-1' }]);
    } else expect(completed).toEqual([]);
  });

  it('the desk shows a page where the host has no URL mode', async () => {
    await using on = await stage({
      host,
      upstream,
      serve: opening,
      atDesk: async inbox => {
        const question = inbox.list()[0]!;
        expect(question).toMatchObject({ kind: 'url', url: { href: page } });
        await inbox.reply(question.id, { action: 'decline' }, 'web');
      },
    });
    expect(textOf(await on.client.callTool({ name: 'sign-in' }))).toBe('decline');
    expect(on.person.asked).toEqual([]);
  });
});
