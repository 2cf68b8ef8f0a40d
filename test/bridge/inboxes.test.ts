/** Whom a bridge over HTTP asks in an inbox, what it tells the model then, and what it gives the inbox. */
import type { Inbox, ServerEntry } from '@midcall/host';
import type { ApprovalInbox } from '@midcall/server';
import { describe, expect, it } from 'vitest';
import type { Asked, InboxStore } from '../../packages/inbox/src/store/index.ts';
import { tokenGuard } from '../../packages/midcall/src/bridge/http/callers.ts';
import { PrincipalInbox } from '../../packages/midcall/src/bridge/inbox/principal-inbox.ts';
import { connectHost, hosts, httpStage } from './http-stage.ts';
import { textOf } from './stage.ts';
import { ring, until } from './until.ts';

const alan = 'Wn4-token-of-alan-in-front-of-an-inbox-Vt83';
const ada = 'Zr8-token-of-ada-in-front-of-an-inbox-Kx52';
const guard = tokenGuard([
  { token: ada, principal: 'ada', desk: true },
  { token: alan, principal: 'alan', desk: false },
]);

/** The part of a store that a bridge uses, in memory. */
function storeInMemory() {
  const asked: Asked[] = [];
  const ended: { readonly id: string; readonly how: string }[] = [];
  const store = {
    ask: async (one: Asked) => {
      asked.push(one);
      ring();
    },
    ended: async (id: string, { how }: { readonly how: string }) => {
      ended.push({ id, how });
      ring();
    },
    tellWait: async () => {},
  } as unknown as InboxStore;
  return { store, asked, ended };
}

const unused = {} as ApprovalInbox;

/** A bridge whose principals have inboxes. */
async function inboxStage(
  given: { readonly isWatched?: boolean; readonly shared?: boolean; readonly store?: InboxStore } = {},
) {
  const memory = storeInMemory();
  const store = given.store ?? memory.store;
  const made: string[] = [];
  const stage = await httpStage({
    upstream: '2025-11-25',
    serve: (mid, server) => {
      mid.tool(server, 'act', {}, async (_, call) => {
        const { action } = await call.elicit({ message: 'Sure?', form: Boolean });
        return { content: [{ type: 'text', text: action }] };
      });
    },
    entries: (entry: ServerEntry) => [{ path: '/mcp', entry: { ...entry, shared: given.shared ?? false }, guard }],
    options: {
      makeInbox: (principal: string, questions: Inbox) => {
        made.push(principal);
        return new PrincipalInbox({
          store,
          approvals: unused,
          principal,
          questions,
          link: id => `https://bridge.example/inbox?question=${id}`,
          isWatched: () => given.isWatched === true,
          warn: message => void stage.warned.push(message),
        });
      },
    },
  });
  return { ...memory, ...stage, made, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

describe.each(hosts)('a host of %s that shows nothing', kind => {
  it('is told where its person answers, and gets the result when it calls again', async () => {
    await using on = await inboxStage();
    const host = await connectHost(kind, on.url, { token: alan });
    const told = textOf(await host.call('act'));
    const [{ principal, question, owner, host: asksFor }] = on.asked as [Asked];
    // For the record.
    expect(asksFor).toMatch(/^host-[12]$/);
    expect(told).toContain(`They answer in their inbox, at https://bridge.example/inbox?question=${question.id}`);
    expect(told).toContain('They have not refused');
    expect(told).not.toContain('desk');
    expect([principal, question.kind]).toEqual(['alan (midcall-bridge)', 'form']);
    // Where the server runs is nothing that somebody on another machine is told.
    expect(question.asker.origin).toMatch(/^(http:\/\/127\.0\.0\.1:\d+)?$/);
    expect(await owner.reply({ action: 'accept', content: { value: true } }, 'inbox')).toEqual({ ok: true });
    expect(textOf(await host.call('act'))).toBe('accept');
    expect(on.ended).toEqual([{ id: question.id, how: 'answered' }]);
    expect(on.asked).toHaveLength(1);
    await host.close();
  });

  it('waits, if its person looks at the inbox', async () => {
    await using on = await inboxStage({ isWatched: true });
    const host = await connectHost(kind, on.url, { token: alan });
    const result = host.call('act');
    await until(() => on.asked.length === 1);
    await on.asked[0]!.owner.reply({ action: 'decline' }, 'inbox');
    expect(textOf(await result)).toBe('decline');
    await host.close();
  });
});

describe('an inbox', () => {
  it('is for people who have no desk, and not for a server that several share', async () => {
    await using on = await inboxStage();
    const host = await connectHost('SDK 2, 2026-07-28', on.url, { token: ada });
    expect(textOf(await host.call('act'))).toContain('cancel');
    expect(on.made).toEqual([]);
    await host.close();

    await using shared = await inboxStage({ shared: true });
    const other = await connectHost('SDK 2, 2026-07-28', shared.url, { token: alan });
    expect(textOf(await other.call('act'))).toContain('cancel');
    expect([shared.made, shared.asked]).toEqual([[], []]);
    await other.close();
  });

  it('that cannot store a question is no way to answer it: the question ends, and the operator is told', async () => {
    const failing = {
      ask: async () => {
        throw new Error('The disk is full.');
      },
      ended: async () => {},
      tellWait: async () => {},
    } as unknown as InboxStore;
    await using on = await inboxStage({ store: failing });
    const host = await connectHost('SDK 2, 2025-11-25', on.url, { token: alan });
    const said = textOf(await host.call('act'));
    expect(said).toContain('cancel');
    expect(said).not.toContain('They answer in their inbox');
    expect(on.warned.join()).toContain('could not be put into an inbox: The disk is full.');
    await host.close();
  });
});
