/** Questions to others than the requester, in an inbox that the test answers for, in both eras and over both transports. */
import { MidcallError } from '@midcall/core/errors';
import {
  type Answer,
  type ApprovalInbox,
  type AuditEvent,
  approvers,
  type Call,
  type MidcallOptions,
  midcall,
  type Principal,
  type ToolConfig,
  whyNot,
} from '@midcall/server';
import { connect } from '@midcall/server/connect';
import { memoryStore, type Store } from '@midcall/server/stores/memory';
import {
  connectPair,
  eras,
  type PairOptions,
  pairings,
  scriptedPerson,
  type TestInbox,
  testInbox,
} from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../fixtures/grown.ts';
import { handClock } from '../../host/clock.ts';

const key = 'vk1N2yLr0Zc0m7B1nPqf3sT5uW8xY+A2bC4dE6gH8iI=';
const pay = 'Pay 4,000 € to Acme?';
const yes = { action: 'accept', content: { value: true } } as const;
const no = { action: 'accept', content: { value: false } } as const;
const refuse = { action: 'decline' } as const;
const requester: Principal = { issuer: 'test', subject: 'ada' };

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

const groups = { finance: ['ada', 'ben', 'eve'] };
const finance = () => testInbox({ groups });

/** An inbox, and whether anybody waits for a change of it. */
function heard(inbox: TestInbox) {
  let isHeard = false;
  const listen: TestInbox['listen'] = (...args) => {
    isHeard = true;
    return inbox.listen(...args);
  };
  return { inbox: { ...inbox, listen }, isHeard: () => isHeard };
}

/** A clock that stands still, but for the moment that a request is held here. */
function stillClock() {
  const clock = handClock(Date.UTC(2026, 7, 1));
  const after: typeof clock.after = (ms, fn) => {
    if (ms > 1) return clock.after(ms, fn);
    const turn = setImmediate(() => {
      clock.move(ms);
      fn();
    });
    return () => clearImmediate(turn);
  };
  return { ...clock, after };
}

const told = (answer: Answer<unknown>): string =>
  answer.action === 'accept' ? `accept ${JSON.stringify(answer.content)}` : whyNot(answer);

interface Serving extends Omit<MidcallOptions, 'inbox'> {
  readonly inbox?: ApprovalInbox;
  readonly tool?: ToolConfig<undefined>;
}

/** A server whose tool `act` runs a handler, and a client of it. */
async function served(
  pairing: Pick<PairOptions, 'era' | 'carrier' | 'tasks' | 'capabilities' | 'person'>,
  handler: (call: Call) => Promise<string>,
  { tool = {}, ...options }: Serving = {},
) {
  const events: AuditEvent[] = [];
  const errors: unknown[] = [];
  const mid = midcall({
    key,
    holdMs: 1,
    suspectBelowMs: 0,
    principal: () => requester,
    warn: () => {},
    onError: error => void errors.push(error),
    audit: event => events.push(event),
    ...options,
  });
  open.push({ [Symbol.asyncDispose]: () => mid.stop({ within: 1 }) });
  const factory = () => {
    const server = new McpServer({ name: 'payments', version: '1.0.0' });
    mid.tool(server, 'act', tool, async (_, call) => handler(call));
    mid.prompt(server, 'write', {}, async (_, call) => handler(call));
    return server;
  };
  const pair = await connectPair(factory, { ...(!pairing.person && { capabilities: {} }), ...pairing });
  open.push(pair);
  const call = async (name: string, args: object = {}, signal?: AbortSignal): Promise<string> => {
    const result = await pair.client.callTool({ name, arguments: { ...args } }, signal && { signal });
    return (result.content as { text: string }[])[0]!.text;
  };
  return { mid, pair, events, errors, act: (signal?: AbortSignal) => call('act', {}, signal), call };
}

const ticketIn = (text: string): { ticket: string } => ({ ticket: /ticket "([^"]+)"/.exec(text)![1]! });

const payment =
  (options: Parameters<typeof approvers>[1] = { count: 2 }) =>
  async (call: Call) =>
    told(await call.elicit({ message: pay, form: Boolean, from: approvers('finance', options) }));

describe.each(pairings)('a question to approvers, %s over %s', (era, carrier) => {
  const at = { era, carrier };

  it('a question to approvers ends its request with a ticket that says who is waited for, and goes on once they agree', async () => {
    const inbox = finance();
    let by: Answer<unknown>['by'] | undefined;
    const { act, call, events, mid } = await served(
      at,
      async each => {
        const answer = await each.elicit({ message: pay, form: Boolean, from: approvers('finance', { count: 2 }) });
        by = answer.by;
        return told(answer);
      },
      { inbox },
    );
    const first = await act();
    expect(first).toContain(
      "This call is waiting for 2 of 'finance', who answer in inboxes of their own, and not through you.",
    );
    expect(first).toContain(`> ${pay}`);
    expect(first).toMatch(
      /> Waiting for 2 of 'finance' since \d{4}-\d\d-\d\d \d\d:\d\d UTC: nobody has answered yet\./,
    );
    expect(first).toContain(`> https://inbox.example/questions/${inbox.asked[0]!.id}`);
    expect(inbox.asked).toMatchObject([
      {
        ...{ from: { group: 'finance', count: 2 }, server: 'payments', message: pay, assurance: 'verified' },
        call: { method: 'tools/call', name: 'act', arguments: {} },
        schema: { type: 'object', properties: { value: { type: 'boolean' } } },
      },
    ]);
    expect((await mid.calls()).map(({ kind, waitsFor }) => [kind, waitsFor])).toEqual(
      expect.arrayContaining([
        ['approvers', 'approvers'],
        ['ticket', 'approvers'],
      ]),
    );

    inbox.vote(pay, 'ben', yes);
    const second = await call('resume', ticketIn(first));
    expect(second).toContain('UTC: 1 has answered.');
    inbox.vote(pay, 'eve', yes);
    expect(await call('resume', ticketIn(second))).toBe('accept true');
    expect(by).toMatchObject({
      ...{ channel: 'approvers', assurance: 'verified' },
      votes: [
        { issuer: 'test', subject: 'ben', action: 'accept', assurance: 'verified', at: expect.any(Number) },
        { issuer: 'test', subject: 'eve', action: 'accept', assurance: 'verified', at: expect.any(Number) },
      ],
    });
    expect(inbox.asked).toHaveLength(1);
    expect(await mid.calls()).toEqual([]);
    const asked = events.filter(({ kind }) => kind === 'asked' || kind === 'answered');
    expect(asked).toMatchObject([
      { kind: 'asked', channel: 'approvers' },
      {
        kind: 'answered',
        action: 'accept',
        by: { channel: 'approvers', votes: [{ subject: 'ben' }, { subject: 'eve' }] },
      },
    ]);
    expect(new Set(asked.map(event => (event as { ask: string }).ask)).size).toBe(1);
  });

  it('a question to approvers goes to no other channel, whatever the client and the server have', async () => {
    const inbox = finance();
    const person = scriptedPerson([]);
    const pages = connect({ name: 'Payments', reach: { kind: 'here', browser: false } });
    const { act } = await served({ ...at, person, capabilities: { elicitation: { form: {}, url: {} } } }, payment(), {
      inbox,
      pages,
      channels: ['native', 'card', 'page', 'approvers', 'relay'],
      tool: { annotations: { readOnlyHint: true } },
    });
    expect(await act()).toContain("waiting for 2 of 'finance'");
    expect([person.asked, inbox.asked.length]).toEqual([[], 1]);
  });

  it('a question to approvers is refused as soon as too few are left to agree', async () => {
    const inbox = finance();
    const { act, call } = await served(at, payment(), { inbox });
    const first = await act();
    inbox.vote(pay, 'ada', refuse);
    const second = await call('resume', ticketIn(first));
    expect(second).toContain('UTC: 1 has refused.');
    inbox.vote(pay, 'ben', no);
    const third = await call('resume', ticketIn(second));
    expect(third).toContain('UTC: 1 has answered; 1 has refused.');
    inbox.vote(pay, 'eve', yes);
    expect(await call('resume', ticketIn(third))).toBe(
      'those who were asked did not agree. Do not try again unless the person asks for it.',
    );
  });

  it('a question to approvers goes on as a task, which says how it stands, for a client that has tasks', async () => {
    const { inbox, isHeard } = heard(finance());
    const { act, pair } = await served({ ...at, tasks: true }, payment(), { inbox });
    const result = act();
    const frames = (text: string) =>
      pair.frames.map(({ message }) => JSON.stringify(message)).filter(each => each.includes(text));
    await eventually(() => isHeard() && frames("Waiting for 2 of 'finance'").length > 0);
    inbox.vote(pay, 'ada', yes);
    await eventually(() => frames('UTC: 1 has answered.').length > 0);
    inbox.vote(pay, 'ben', yes);
    expect(await result).toBe('accept true');
    expect(inbox.asked).toHaveLength(1);
    expect(frames('with ticket')).toEqual([]);
    expect(frames('"completed"').filter(each => each.includes('Waiting for'))).toEqual([]);
  });

  it('a question to approvers is asked beside one to the requester, who does not wait for the others', async () => {
    const inbox = finance();
    const person = scriptedPerson([yes]);
    const { act, call } = await served(
      { ...at, person },
      async each => {
        const [own, others] = await Promise.all([
          each.elicit({ message: 'Book it under travel?', form: Boolean }),
          each.elicit({ message: pay, form: Boolean, from: approvers('finance') }),
        ]);
        return `${told(own)} / ${told(others)}`;
      },
      { inbox },
    );
    const first = await act();
    expect(first).toContain("waiting for one of 'finance'");
    inbox.vote(pay, 'eve', yes);
    expect(await call('resume', ticketIn(first))).toBe('accept true / accept true');
    expect([person.asked.length, inbox.asked.length]).toEqual([1, 1]);
  });

  it('a question to approvers is withdrawn if whoever runs the server ends its call, which then ends as unavailable', async () => {
    const inbox = finance();
    const { act, call, mid } = await served(at, payment(), { inbox });
    const first = await act();
    const [waiting] = (await mid.calls()).filter(({ kind }) => kind === 'approvers');
    expect(await mid.cancel(waiting!.id)).toBe(true);
    expect(() => inbox.vote(pay, 'ada', yes)).toThrow('it has ended');
    expect(await call('resume', ticketIn(first))).toContain('the question was withdrawn before it was answered');
    expect(await mid.calls()).toEqual([]);
  });

  it('a question to approvers is asked again, as another question, if the handler does not take what they agree on', async () => {
    const inbox = finance();
    const { act, call } = await served(
      at,
      async each =>
        told(
          await each.elicit({
            message: 'How many?',
            form: { count: { type: 'integer' } },
            from: approvers('finance'),
            validate: ({ count }) => (count > 3 ? { count: 'At most 3.' } : undefined),
          }),
        ),
      { inbox },
    );
    let text = await act();
    const seen: string[] = [];
    for (const count of [5, 4, 9]) {
      inbox.vote(inbox.asked.at(-1)!.id, 'ben', { action: 'accept', content: { count } });
      text = await call('resume', ticketIn(text));
      seen.push(inbox.asked.at(-1)!.message);
    }
    expect(text).toContain('the answers that came back did not fit the question');
    expect(seen).toEqual(Array(3).fill('How many?\n\nThe last answer did not fit. At most 3.'));
    expect(new Set(inbox.asked.map(({ id }) => id)).size).toBe(3);
    expect(inbox.asked[1]!.schema).toMatchObject({ properties: { count: { default: 5 } } });
  });

  it('a question to approvers has an answer of its own each time it is asked, and none is given twice', async () => {
    const inbox = finance();
    const { act, call } = await served(
      at,
      async each => {
        const ask = () => each.elicit({ message: pay, form: Boolean, from: approvers('finance') });
        return `${told(await ask())}, ${told(await ask())}`;
      },
      { inbox },
    );
    const first = await act();
    inbox.vote(inbox.asked[0]!.id, 'ben', yes);
    const second = await call('resume', ticketIn(first));
    inbox.vote(inbox.asked[1]!.id, 'eve', no);
    expect(await call('resume', ticketIn(second))).toBe('accept true, accept false');
    expect(inbox.asked).toHaveLength(2);
  });

  it('a question to approvers is never answered by an inbox that cannot be read: the call goes on waiting', async () => {
    const clock = stillClock();
    const inbox = finance();
    let isDown = false;
    const failing: ApprovalInbox = {
      ...inbox,
      look: id => (isDown ? Promise.reject(new Error('connect ECONNREFUSED postgres://secret')) : inbox.look(id)),
    };
    const warned: string[] = [];
    const { act, call, mid } = await served(at, payment({ count: 1 }), {
      inbox: failing,
      clock,
      warn: message => warned.push(message),
    });
    const first = await act();
    isDown = true;
    const second = await call('resume', ticketIn(first));
    expect(second).toContain('nobody has answered yet');
    // Its time is up, and somebody may have answered before.
    clock.move(20 * 60_000);
    const third = await call('resume', ticketIn(second));
    expect(third).toContain("waiting for one of 'finance'");
    expect((await mid.calls()).map(({ kind }) => kind)).toContain('ticket');
    isDown = false;
    inbox.vote(pay, 'ada', yes);
    expect(await call('resume', ticketIn(third))).toBe('accept true');
    expect(warned.filter(each => each.includes('The inbox cannot be read.'))).toHaveLength(1);
  });

  it('a question to approvers has timed out when its time is up, and no answer counts in the inbox from then on', async () => {
    const clock = stillClock();
    const inbox = finance();
    const { act, call } = await served(at, payment({ count: 1 }), {
      inbox,
      clock,
    });
    const first = await act();
    clock.move(15 * 60_000);
    expect(await call('resume', ticketIn(first))).toContain('had not agreed in time');
    expect(() => inbox.vote(pay, 'ada', yes)).toThrow('it has ended');
  });
});

describe.each(eras)('a question that an inbox can never answer, on %s', era => {
  const at = { era };
  const failed = async (
    handler: (call: Call) => Promise<string>,
    { name = 'act', ...options }: Serving & { readonly name?: string } = {},
  ): Promise<string> => {
    const { act, pair } = await served({ ...at, carrier: 'http' }, handler, options);
    if (name === 'act') return act();
    return pair.client.getPrompt({ name }).then(
      result => JSON.stringify(result.messages),
      (error: Error) => error.message,
    );
  };
  const asks = (more: object) => async (call: Call) =>
    told(await call.elicit({ message: pay, form: Boolean, ...more } as never));
  const from = approvers('finance', { count: 2 });

  const unknownRequester = { principal: () => undefined };
  const missing: readonly [what: string, how: () => Promise<string>, says: string][] = [
    [
      'without an inbox',
      () => failed(asks({ from })),
      'asks others than the requester, but the server has no inbox: give midcall()',
    ],
    [
      'present without an inbox',
      () => failed(asks({ assurance: 'present' })),
      "demands 'present', but the server has no inbox",
    ],
    [
      'where the inbox is switched off',
      () => failed(asks({ from }), { inbox: finance(), channels: ['native'] }),
      "'approvers' is switched off: midcall({ channels: ['native', 'approvers'] }) switches it on",
    ],
    [
      'by channels that all reach the requester alone',
      () => failed(asks({ from, channels: ['native', 'page'] }), { inbox: finance() }),
      "by channels: ['native', 'page'], and none of them does: add 'approvers', or leave them out",
    ],
    [
      'by the inbox, without approvers',
      () => failed(asks({ channels: ['approvers'] }), { inbox: finance() }),
      "'approvers' is for questions to others",
    ],
    [
      'with a fallback',
      () => failed(asks({ from, fallback: true }), { inbox: finance(), tool: { annotations: { readOnlyHint: true } } }),
      'gives a fallback for a question to others than the requester',
    ],
    [
      'from a prompt',
      () => failed(asks({ from }), { inbox: finance(), name: 'write' }),
      'only the call of a tool can wait for an inbox',
    ],
    [
      'as a wizard',
      () =>
        failed(
          async call =>
            told(await call.wizard({ message: pay, forms: { a: { title: 'A', form: Boolean } }, from } as never)),
          { inbox: finance() },
        ),
      'call.wizard asks the requester alone: use call.elicit',
    ],
    [
      'as a wizard that demands a passkey',
      () =>
        failed(
          async call =>
            told(
              await call.wizard({ message: pay, forms: { a: { title: 'A', form: Boolean } }, assurance: 'present' }),
            ),
          { inbox: finance() },
        ),
      "call.wizard never has the assurance 'present': use call.elicit",
    ],
    [
      'on a page',
      () =>
        failed(
          async call =>
            told(await call.elicitUrl({ message: pay, page: { kind: 'confirm', data: {} }, from } as never)),
          {
            inbox: finance(),
          },
        ),
      'call.elicitUrl asks the requester alone: use call.elicit',
    ],
    [
      'without the requester, whom nobody knows',
      () =>
        failed(asks({ from: approvers('finance', { not: 'requester' }) }), { inbox: finance(), ...unknownRequester }),
      "excludes the requester (not: 'requester'), but nobody knows whose call this is: give midcall() the 'principal' option",
    ],
    [
      'with a passkey of a requester whom nobody knows',
      () => failed(asks({ assurance: 'present' }), { inbox: finance(), ...unknownRequester }),
      'demands a present answer, but nobody knows whose call this is',
    ],
    [
      'to an unknown group',
      () => failed(asks({ from: approvers('legal') }), { inbox: finance() }),
      "Nobody was asked: There is no group 'legal'.",
    ],
    [
      'to fewer than have to agree',
      () => failed(asks({ from: approvers('finance', { count: 3, not: 'requester' }) }), { inbox: finance() }),
      "Nobody was asked: The group 'finance' has 2 who may answer, and 3 have to agree.",
    ],
    [
      'of an inbox that fails',
      () =>
        failed(asks({ from }), {
          inbox: { ...finance(), whyNot: () => Promise.reject(new Error('connect postgres://secret')) },
        }),
      'This could not be asked: the inbox or the store could not be used.',
    ],
  ];
  it.each(missing)(
    'a question that an inbox can never answer is refused before anything is asked: %s',
    async (_, how, says) => {
      expect(await how()).toContain(says);
    },
  );

  it('a question is taken out of the inbox again if it cannot be told whether it is there', async () => {
    const inbox = finance();
    const failing: ApprovalInbox = {
      ...inbox,
      async ask(ask) {
        await inbox.ask(ask);
        throw new Error('connection lost: postgres://secret');
      },
    };
    const { act, mid } = await served({ ...at, carrier: 'http' }, asks({ from }), { inbox: failing });
    const text = await act();
    expect(text).toContain('This could not be asked: the inbox or the store could not be used.');
    expect(text).not.toMatch(/nobody|again|secret/i);
    expect(await inbox.look(inbox.asked[0]!.id)).toMatchObject({
      outcome: { action: 'cancel', reason: 'unavailable' },
    });
    expect(await mid.calls()).toEqual([]);
  });

  it('nobody is asked while the list of calls that wait cannot be written', async () => {
    const inbox = finance();
    const memory = memoryStore();
    const store: Store = {
      ...memory,
      async set(name, ...how) {
        if (name.startsWith('waiting-call:')) throw new MidcallError('store/unavailable', 'Locked. Try again.');
        return memory.set(name, ...how);
      },
    };
    const text = await failed(asks({ from }), { inbox, store });
    expect(text).toContain('This could not be asked: the inbox or the store could not be used.');
    expect(text).not.toContain('again');
    expect(inbox.asked).toEqual([]);
  });

  it('a question that was asked before stays in the inbox, with its votes, if it cannot be asked again', async () => {
    const withdrawn: string[] = [];
    const votes = [{ ...requester, action: 'accept', assurance: 'verified', at: 1 }] as const;
    const inbox: ApprovalInbox = {
      ...finance(),
      look: async () => ({ votes }),
      ask: () => Promise.reject(new Error('connection lost')),
      withdraw: async id => void withdrawn.push(id),
    };
    const { act, mid } = await served({ ...at, carrier: 'http' }, asks({ from }), { inbox });
    const text = await act();
    expect(text).toContain('This could not be asked: the inbox or the store could not be used.');
    expect(withdrawn).toEqual([]);
    expect((await mid.calls()).map(({ kind }) => kind)).toEqual(['approvers']);
  });

  it('a question that an inbox can never answer is refused the same way in every run of a handler that goes on', async () => {
    const groups: Record<string, string[]> = { finance: [] };
    const inbox = testInbox({ groups });
    const person = scriptedPerson([yes, yes]);
    const { act } = await served(
      { ...at, person },
      async call => {
        const others = await call.elicit({ message: pay, form: Boolean, from }).catch((error: Error) => error.message);
        const answer = await call.elicit({ message: 'Nobody can agree. Pay all the same?', form: Boolean });
        groups['finance'] = ['ada', 'ben'];
        const again = await call.elicit({ message: 'Sure?', form: Boolean });
        return [typeof others === 'string' ? others : told(others), told(answer), told(again)].join(' / ');
      },
      { inbox, strict: true },
    );
    expect(await act()).toContain('have to agree. / accept true / accept true');
    expect(inbox.asked).toEqual([]);
  });
});

describe.each(eras)('the requester, on %s', era => {
  it('the requester answers in their own inbox where a passkey is demanded', async () => {
    const inbox = finance();
    let answer: Answer<unknown> | undefined;
    const { act, call } = await served(
      { era, carrier: 'http', capabilities: { elicitation: {} } },
      async each => {
        answer = await each.elicit({ message: pay, form: Boolean, assurance: 'present' });
        return told(answer);
      },
      { inbox },
    );
    const first = await act();
    expect(first).toContain('waiting for the person, who answers in their inbox with a passkey');
    expect(first).toContain('Waiting for the requester, who answers with a passkey, since');
    expect(inbox.asked).toMatchObject([{ from: 'requester', requester, assurance: 'present' }]);
    expect(() => inbox.vote(pay, 'ben', yes)).toThrow('it is for others');
    inbox.vote(pay, requester, yes);
    expect(await call('resume', ticketIn(first))).toBe('accept true');
    expect(answer!.by).toMatchObject({ channel: 'approvers', assurance: 'present' });
  });

  it('the requester has no vote where they are excluded', async () => {
    const inbox = finance();
    const { act } = await served({ era, carrier: 'http' }, payment({ not: 'requester' }), { inbox });
    await act();
    expect(() => inbox.vote(pay, requester, yes)).toThrow('it is for others');
  });

  it('an agreement without the passkey that the question demands is no answer', async () => {
    const inbox = finance();
    const weak: ApprovalInbox = {
      ...inbox,
      async look(id) {
        const standing = await inbox.look(id);
        return (
          standing && { ...standing, votes: standing.votes.map(vote => ({ ...vote, assurance: 'verified' as const })) }
        );
      },
    };
    const { act, call } = await served(
      { era, carrier: 'http' },
      async each =>
        told(await each.elicit({ message: pay, form: Boolean, from: approvers('finance'), assurance: 'present' })),
      { inbox: weak },
    );
    const first = await act();
    inbox.vote(pay, 'ben', yes);
    expect(await call('resume', ticketIn(first))).toBe(
      'those who were asked answered without the passkey that the question demands.',
    );
  });
});

const withdrawn = async (inbox: TestInbox): Promise<boolean> =>
  (await inbox.look(inbox.asked[0]!.id))?.outcome?.action === 'cancel';

describe.each(pairings)('a call that waits for approvers and is given up, %s over %s', (era, carrier) => {
  it('a call that is given up takes its question back with the task', async () => {
    const inbox = finance();
    const { act, mid, pair } = await served({ era, carrier, tasks: true }, payment(), {
      inbox,
      tool: { task: 'always' },
    });
    const result = act().catch((error: Error) => error.message);
    await eventually(() =>
      pair.frames.some(({ message }) => JSON.stringify(message).includes("Waiting for 2 of 'finance'")),
    );
    const [task] = (await mid.calls()).filter(({ kind }) => kind === 'task');
    expect(await mid.cancel(task!.id)).toBe(true);
    await result;
    await eventually(() => withdrawn(inbox));
    await eventually(async () => (await mid.calls()).length === 0);
    expect(inbox.asked).toHaveLength(1);
  });
});

it.each(['memory', 'http'] as const)(
  'a call of 2025-11-25 over %s takes its question back from approvers while its request is held',
  async carrier => {
    const { inbox, isHeard } = heard(finance());
    const { act, call } = await served({ era: '2025-11-25', carrier }, payment(), { inbox, holdMs: 60_000 });
    const first = await act();
    const abort = new AbortController();
    const resumed = call('resume', ticketIn(first), abort.signal).catch(() => 'given up');
    await eventually(isHeard);
    abort.abort();
    expect(await resumed).toBe('given up');
    await eventually(() => withdrawn(inbox));
  },
);
it('a refusal of approvers is none of the requester, and the other way round', async () => {
  const inbox = finance();
  const person = scriptedPerson([{ action: 'decline' }]);
  const { act, call } = await served(
    { era: '2025-11-25', person },
    async each => {
      const ask = { message: pay, form: Boolean };
      const own = await each.elicit(ask);
      return `${told(own)} / ${told(await each.elicit({ ...ask, from: approvers('finance') }))}`;
    },
    { inbox },
  );
  const first = await act();
  inbox.vote(pay, 'eve', yes);
  expect(await call('resume', ticketIn(first))).toMatch(/^the person said no.* \/ accept true$/);
});

it.each<[string, () => unknown, string]>([
  ['no name', () => approvers(''), "the group must be the name of a group, such as 'finance': 1 to 200 characters"],
  ['half a person', () => approvers('finance', { count: 1.5 }), 'count must be a whole number from 1 to 100; got 1.5'],
  ['nobody', () => approvers('finance', { count: 0 }), 'count must be a whole number from 1 to 100; got 0'],
  ['a crowd', () => approvers('finance', { count: 101 }), 'count must be a whole number from 1 to 100; got 101'],
  ['somebody else', () => approvers('finance', { not: 'ada' as never }), "not must be 'requester'; got a string"],
  ['a slip', () => approvers('finance', { cuont: 2 } as never), "there is no option 'cuont'. Did you mean 'count'?"],
])('approvers() refuses %s', (_, make, says) => {
  expect(make).toThrow(says);
});

it('an ask takes approvers only as approvers() makes them', async () => {
  for (const from of [
    'finance',
    { group: 'finance' },
    { group: 'finance', count: 2, of: 3 },
    { group: '', count: 1 },
  ]) {
    const { act } = await served(
      { era: '2026-07-28' },
      async call => told(await call.elicit({ message: pay, form: Boolean, from: from as never })),
      { inbox: finance() },
    );
    expect(await act()).toContain("call.elicit: from must be what approvers('finance', { count: 2 }) returns");
  }
});
