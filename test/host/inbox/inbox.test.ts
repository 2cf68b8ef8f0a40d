import { type Ending, Inbox, type InboxEvent, type Presenter, type Question, type Reply } from '@midcall/host';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../../packages/server/src/stores/memory.ts';

let n = 0;
const form = (over: Partial<Question> = {}): Question =>
  ({
    kind: 'form',
    id: `q${n++}`,
    asker: { id: 's', name: 'S', origin: 'node s', era: '2025-11-25' },
    askedAt: 0,
    message: 'Which?',
    fields: [{ kind: 'text', name: 'a', required: true, maxLength: 3 }],
    ...over,
  }) as Question;

const good: Reply = { action: 'accept', content: { a: 'x' } };

describe('inbox', () => {
  it('inbox-I1: a question ends once whatever races: two views, a withdrawal, a time limit, in any order and any turn', async () => {
    const act = fc.record({
      what: fc.constantFrom('accept', 'bad', 'decline', 'dismiss', 'withdraw', 'end'),
      turns: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async acts => {
        const inbox = new Inbox();
        const ended: InboxEvent[] = [];
        const aborted: Ending[] = [];
        inbox.subscribe(event => event.type === 'ended' && ended.push(event));
        const taken = new AbortController();
        const replies: Promise<{ ok: boolean }>[] = [];
        const view = (via: string): Presenter => ({
          via,
          show: (_, { ended: over }) => over.addEventListener('abort', () => aborted.push(over.reason as Ending)),
        });
        inbox.present(view('web'));
        inbox.present(view('terminal'));
        const question = form();
        const asked = inbox.ask(question, { signal: taken.signal });
        let settled = 0;
        void asked.then(() => settled++);
        await Promise.all(
          acts.map(async ({ what, turns }, index) => {
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
            const via = index % 2 === 0 ? 'web' : 'terminal';
            if (what === 'withdraw') taken.abort();
            else if (what === 'end') inbox.end(question.id, { how: 'server-gone' });
            else if (what === 'bad')
              replies.push(inbox.reply(question.id, { action: 'accept', content: { a: 1 } }, via));
            else if (what === 'accept') replies.push(inbox.reply(question.id, good, via));
            else replies.push(inbox.reply(question.id, { action: what as 'decline' | 'dismiss' }, via));
          }),
        );
        const receipts = await Promise.all(replies);
        const open = acts.every(each => each.what === 'bad');
        await Promise.resolve();
        expect(ended.length).toBe(open ? 0 : 1);
        expect(aborted.length).toBe(open ? 0 : 2);
        expect(settled).toBe(open ? 0 : 1);
        expect(receipts.filter(each => each.ok).length).toBeLessThanOrEqual(1);
        expect(inbox.list().length).toBe(open ? 1 : 0);
        if (!open) expect(ended[0]).toMatchObject({ ending: await asked });
      }),
      { numRuns: 300 },
    );
  });

  it('inbox-I1: a presenter that replies while it is shown the question ends it', async () => {
    const inbox = new Inbox();
    inbox.present({ via: 'fast', show: (_, { reply }) => void reply(good) });
    expect(await inbox.ask(form())).toEqual({ how: 'answered', via: 'fast', content: { a: 'x' } });
  });

  it('elicit-form-25, elicit-form-29; inbox-I2: an answer that does not fit leaves the question open and names field and rule', async () => {
    const inbox = new Inbox();
    const question = form();
    void inbox.ask(question);
    const receipt = await inbox.reply(question.id, { action: 'accept', content: { a: 'long' } }, 'web');
    expect(receipt).toMatchObject({ ok: false, problem: 'invalid', issues: [{ field: 'a', rule: 'maxLength' }] });
    expect(await inbox.reply(question.id, { action: 'accept' }, 'web')).toMatchObject({
      issues: [{ rule: 'required' }],
    });
    expect(await inbox.reply(question.id, good, 'web')).toEqual({ ok: true });
    expect(await inbox.reply(question.id, good, 'web')).toMatchObject({
      problem: 'ended',
      ending: { how: 'answered' },
    });
    expect(await inbox.reply('nobody', good, 'web')).toMatchObject({ problem: 'unknown' });
  });

  it.each([
    [{ action: 'cancel' }, "action must be 'accept', 'decline' or 'dismiss'; got 'cancel'. Did you mean 'dismiss'?"],
    [{ action: 'accepted' }, "got 'accepted'. Did you mean 'accept'?"],
    [{ action: 'Accept' }, "got 'Accept'. Did you mean 'accept'?"],
    [{ action: 'send\u202E' }, "got 'send⟦U+202E⟧'."],
    [{ content: {} }, 'got nothing.'],
    [{ action: ['accept'] }, 'got something else.'],
    [undefined, 'The reply is not an object'],
    ['accept', 'The reply is not an object'],
  ])('inbox-I2: only the word accept accepts a question, of whichever kind: %j does not', async (reply, says) => {
    const inbox = new Inbox();
    const url = { openable: true };
    const questions = [
      form({ fields: [] } as Partial<Question>),
      form({ fields: [{ kind: 'boolean', name: 'yes', required: true, default: true }] } as Partial<Question>),
      form({ kind: 'url', url } as Partial<Question>),
      form({ kind: 'url-finish', url } as Partial<Question>),
      form({ kind: 'sign-in', url } as Partial<Question>),
      form({ kind: 'sampling-request', models: [], maxTokens: 9 } as Partial<Question>),
      form({ kind: 'sampling-reply', model: { name: 'm', why: 'w' }, content: [] } as Partial<Question>),
      form({ kind: 'roots', roots: [] } as Partial<Question>),
    ];
    for (const question of questions) {
      void inbox.ask(question);
      const receipt = await inbox.reply(question.id, reply as Reply, 'web');
      expect(receipt).toMatchObject({ problem: 'invalid', issues: [{ message: expect.stringContaining(says) }] });
    }
    expect(inbox.list()).toEqual(questions);
  });

  it('inbox-I3: a presenter that throws is reported, and the others are shown the question', async () => {
    const errors: unknown[] = [];
    const inbox = new Inbox({ onError: error => errors.push(error) });
    inbox.present({
      via: 'broken',
      show() {
        throw new Error('no screen');
      },
    });
    inbox.present({ via: 'fine', show: (_, { reply }) => void reply({ action: 'decline' }) });
    expect(await inbox.ask(form())).toEqual({ how: 'declined', via: 'fine' });
    expect(errors).toHaveLength(1);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no screen\u202E');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no screen\u202E');
      },
    ],
  ])('inbox-I3: if the only view %s, the question ends, and a line on standard error says why', async (_, show) => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    const inbox = new Inbox();
    inbox.present({ via: 'broken', show });
    expect(await inbox.ask(form())).toEqual({ how: 'unshown' });
    expect(said.mock.calls).toEqual([['midcall: no screen⟦U+202E⟧']]);
    said.mockRestore();
  });

  it('a question waits for a view that is presented later, and it is said once that there is none', async () => {
    const errors: unknown[] = [];
    const inbox = new Inbox({ onError: error => errors.push(error) });
    const asked = [inbox.ask(form()), inbox.ask(form())];
    expect(errors.map(String)).toEqual([
      "Error: A question of 's' waits, and no view shows it. Give one to inbox.present(…).",
    ]);
    inbox.present({ via: 'late', show: (_, { reply }) => void reply(good) });
    for (const ending of asked) expect(await ending).toMatchObject({ how: 'answered', via: 'late' });
    expect(errors).toHaveLength(1);
  });

  it('nothing is said of a missing view where a subscriber is told of the questions', () => {
    const errors: unknown[] = [];
    const inbox = new Inbox({ onError: error => errors.push(error) });
    inbox.subscribe(() => {});
    void inbox.ask(form());
    expect(errors).toEqual([]);
  });

  it('inbox-I4: after a restart a question of 2026 is open again and taken up by its id; one of 2025 is gone', async () => {
    const store = memoryStore();
    const before = new Inbox({ store });
    const call = { id: 'c', kind: 'tool', name: 't', arguments: {} } as const;
    const modern = form({ asker: { id: 's', name: 'S', origin: 'o', era: '2026-07-28' }, call });
    const legacy = form();
    void before.ask(modern);
    void before.ask(legacy);
    await before.settled();

    const after = new Inbox({ store });
    const ended: InboxEvent[] = [];
    after.subscribe(event => event.type === 'ended' && ended.push(event));
    expect(await after.restore()).toEqual([modern]);
    expect(ended).toMatchObject([{ question: { id: legacy.id }, ending: { how: 'server-gone' } }]);
    const taken = after.ask(modern);
    await after.reply(modern.id, good, 'web');
    expect(await taken).toMatchObject({ how: 'answered' });
    await after.settled();
    expect(await new Inbox({ store }).restore()).toEqual([]);
  });

  it('a question times out by the injected clock', async () => {
    const due: (() => void)[] = [];
    const inbox = new Inbox({
      clock: {
        now: () => 0,
        after: (_, fn) => {
          due.push(fn);
          return () => {};
        },
      },
    });
    const asked = inbox.ask(form(), { timeoutMs: 5 });
    due[0]?.();
    expect(await asked).toEqual({ how: 'timed-out' });
  });

  it('stop-S2: a closed inbox ends what is open and what is asked, but for what others can answer later', async () => {
    const inbox = new Inbox();
    const [own, left, others] = [
      form(),
      form({ call: { id: 'task', kind: 'tool', name: 't', arguments: {} } }),
      form(),
    ];
    const asked = inbox.ask(own);
    void inbox.ask(left);
    void inbox.ask(others, { owner: async () => ({ ok: true }) });
    inbox.present({ via: 'web', show: () => {} });
    inbox.close({ leaves: ({ call }) => call?.id === 'task' });
    expect(await asked).toEqual({ how: 'unshown' });
    expect(await inbox.ask(form())).toEqual({ how: 'unshown' });
    expect(inbox.list().map(({ id }) => id)).toEqual([left.id, others.id]);
  });
});
