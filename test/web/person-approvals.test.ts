/** What several people answer, and passkeys, on the pages of a person's inbox, by plain requests. */
import type { CallQuestion, FormQuestion } from '@midcall/host';
import type { ApprovalView } from '@midcall/host/web';
import { afterEach, describe, expect, it } from 'vitest';
import { payment, paymentByRule, scriptedPasskeys, view, vote } from './approvals.ts';
import { ask, personStage, personStageOfFile } from './person-stage.ts';

const passkeys = scriptedPasskeys();
const on = await personStageOfFile({ passkeys });
const { questions } = on;
const get = (path: string) => ask(on, path);
const post = (path: string, fields: Record<string, string> = {}) => ask(on, path, fields);

afterEach(() => {
  for (const { id } of questions.inbox.list()) questions.inbox.end(id, { how: 'withdrawn' });
  passkeys.list_.length = 0;
  passkeys.asked.length = 0;
  questions.proofs.length = 0;
});

/** Puts a question. @returns its path */
function put(approval: ApprovalView, question: FormQuestion | CallQuestion = payment()): string {
  questions.approvals.set(question.id, approval);
  void questions.ask(question);
  return `/questions/${question.id}`;
}

const textOf = (html: string): string =>
  html
    .slice(html.indexOf('<main'))
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
const laptop = { id: 'k1', name: 'Laptop', addedAt: 1 };
const isOpen = (path: string): boolean => questions.inbox.get(path.split('/').at(-1)!) !== undefined;

describe('a question that several people answer', () => {
  it('the question says who asks it, who decides, who has answered, until when, and what follows', async () => {
    const path = put(view({ count: 3, votes: [vote('Ann <b>Lee</b>'), vote('Dan Wu', 'decline')] }));
    const { text } = await get(path);
    const said = textOf(text);
    for (const part of [
      'Requested by Cleo Park',
      'Who decides 3 people of finance have to agree.',
      'So far Ann &lt;b&gt;Lee&lt;/b&gt; agreed',
      'Dan Wu declined',
      'What follows If you agree, 1 more of finance has to agree as well.',
      'too few others are left to agree, the server is told no.',
      'closes by',
      'iban DE89 3704 0044 0532 0130 00',
    ])
      expect(said).toContain(part);
    // It is agreed to, refused or left to others, and not dismissed.
    expect(
      [...text.matchAll(/name="action" value="(\w+)">([^<]*)/g)].map(([, value, label]) => [value, label]),
    ).toEqual([
      ['accept', 'Agree'],
      ['decline', 'Decline'],
      ['review', 'Review first'],
    ]);
    expect(textOf((await get('/')).text)).toMatch(/3 of finance.*closes by/);
  });

  it.each([
    [{ votes: [vote('Ann')] }, 'If you agree, the call goes on.'],
    [
      { count: 1 },
      'One person of finance decides. What follows If you agree, the call goes on. If you decline, others',
    ],
    [{ requester: undefined }, 'Nobody knows whose call this is.'],
  ])('the question says what follows from the votes so far: %j', async (more, says) => {
    expect(textOf((await get(put(view(more as Partial<ApprovalView>)))).text)).toContain(says);
  });

  it('a question with fields is decided by the same answer of several people', async () => {
    const fields = [{ kind: 'boolean', name: 'answer', title: 'Approve', required: true }] as const;
    const said = textOf((await get(put(view({ votes: [vote('Ann')] }), payment({ fields })))).text);
    expect(said).toContain('2 people of finance have to give the same answer.');
    expect(said).toContain('Ann answered');
    expect(said).toContain('The call goes on once 2 people have given the same answer.');
  });

  it('the question shows what it is about unabridged, and nothing in it as markup', async () => {
    const long = `${'word '.repeat(40_000)}the end`;
    const texts: readonly (readonly [NonNullable<ApprovalView['details']>, string])[] = [
      [long, 'the end'],
      [{ diff: `${'+line\n'.repeat(3_000)}-the last line` }, '-the last line'],
      [{ columns: ['<i>A</i>', 'B'], rows: [['<b>1</b>', '2']] }, '&lt;i&gt;A&lt;/i&gt;'],
    ];
    for (const [details, part] of texts) expect((await get(put(view({ details })))).text).toContain(part);
    const call = { ...payment().call!, arguments: { note: long } };
    expect((await get(put(view(), payment({ call })))).text).toContain('the end');
  });

  it.each([
    [
      'You agreed.',
      '2 more of finance have to agree. It waits until',
      ['Waits', 'you agreed'],
      { votes: [vote('Me', 'accept', true)], count: 3 },
    ],
    [
      'You declined.',
      'Others of finance can still decide. It waits until',
      ['Waits', 'you declined'],
      { votes: [vote('Me', 'decline', true)] },
    ],
    [
      'You agreed.',
      '2 of finance agreed, so the server may go on.',
      ['Agreed', 'you agreed'],
      { votes: [vote('Me', 'accept', true), vote('Ann')], outcome: 'accepted' },
    ],
    [
      'It was decided before you answered.',
      'Too few were left for 2 to agree.',
      ['Refused', 'without you'],
      { votes: [vote('Ann', 'decline')], outcome: 'unreachable' },
    ],
    [
      'You did not answer.',
      'The time ran out before 2 people had agreed.',
      ['Timed out', 'without you'],
      { outcome: 'timed-out' },
    ],
    ['You did not answer.', 'The server no longer needs it.', ['Withdrawn', 'without you'], { outcome: 'withdrawn' }],
  ] as const)(
    'the question says afterwards what the person did, and how it stands: %s %s',
    async (own, stands, listed, more) => {
      const question = payment();
      questions.approvals.set(question.id, view(more as Partial<ApprovalView>));
      const isOwn = 'votes' in more && more.votes.some(each => each.isOwn);
      questions.past(question, isOwn ? { how: 'answered', via: 'inbox' } : { how: 'withdrawn' });
      const said = textOf((await get(`/questions/${question.id}`)).text);
      expect(said).toContain(own);
      expect(said).toContain(stands);
      expect(said).toContain('Requested by Cleo Park');
      const row = (await get('/past')).text.split(`/questions/${question.id}`)[1]!.split('</tr>')[0]!;
      for (const each of listed) expect(row).toContain(`>${each}<`);
    },
  );

  it('somebody who has left the group is told that they are no longer asked', async () => {
    const question = payment();
    questions.approvals.set(question.id, view());
    questions.past(question, { how: 'refused-by-policy', decision: 'This person is no longer in the group.' });
    const said = textOf((await get(`/questions/${question.id}`)).text);
    expect(said).toContain('This person is no longer in the group.');
    expect(said).not.toContain('It waits until');
  });
});

describe('a call that rules ask several people about', () => {
  it('the page and the list speak of a call in the past tense once it has ended', async () => {
    const question = paymentByRule();
    questions.past(question, { how: 'declined', via: 'inbox' });
    expect(textOf((await get(`/questions/${question.id}`)).text)).toContain('payments was about to be called');
    expect((await get('/past')).text).toContain('Was about to be called');
  });

  it('the page says that the call has not been made, why they are asked, and with what it would be made', async () => {
    const path = put(view({ count: 3, votes: [vote('Ann')] }), paymentByRule());
    const { text } = await get(path);
    const said = textOf(text);
    for (const part of [
      'payments is about to be called',
      'Tool: pay_invoice',
      'The call has not been made. You are asked because rule 1 says ask.',
      'Requested by Cleo Park',
      'If you agree, 1 more of finance has to agree as well. If you decline, and too few others are left to agree, the call is not made.',
      'What the call would be made with',
      'Account DE89 3704 0044 0532 0130 00',
      'A yes is for these arguments alone, and for one call.',
    ])
      expect(said).toContain(part);
    expect(said).not.toContain('The server writes');
    expect(said).not.toContain('the server is told');
    expect(
      [...text.matchAll(/name="action" value="(\w+)">([^<]*)/g)].map(([, value, label]) => [value, label]),
    ).toEqual([
      ['accept', 'Agree'],
      ['decline', 'Decline'],
    ]);
    expect((await post(path, { action: 'accept' })).status).toBe(303);
  });

  it.each([
    [
      '2 of finance agreed, so the call may be made.',
      { votes: [vote('Me', 'accept', true), vote('Ann')], outcome: 'accepted' },
    ],
    ['It was declined. The call was not made.', { votes: [vote('Ann', 'decline')], outcome: 'declined' }],
    ['Too few were left for 2 to agree. The call was not made.', { outcome: 'unreachable' }],
    ['The time ran out before 2 people had agreed. The call was not made.', { outcome: 'timed-out' }],
    ['It is no longer waiting for an answer. The call was not made.', { outcome: 'withdrawn' }],
  ] as const)(
    'the page says afterwards what became of the call, and not what its server was told: %s',
    async (says, more) => {
      const question = paymentByRule();
      questions.approvals.set(question.id, view(more as Partial<ApprovalView>));
      questions.past(question, { how: 'withdrawn' });
      const said = textOf((await get(`/questions/${question.id}`)).text);
      expect(said).toContain(says);
      expect(said).toContain('What the call would be made with');
      expect(said.toLowerCase()).not.toContain('the server');
    },
  );

  it('a call is made or not made by the requester alone, where they confirm it with a passkey', async () => {
    passkeys.list_.push(laptop);
    const { group: _, requester: __, ...alone } = view({ assurance: 'present', count: 1 });
    const { text } = await get(put(alone, paymentByRule()));
    expect(
      [...text.matchAll(/name="action" value="(\w+)">([^<]*)/g)].map(([, value, label]) => [value, label?.trim()]),
    ).toEqual([
      ['accept', 'Make this call once'],
      ['decline', 'Do not make it'],
      ['dismiss', 'Dismiss'],
    ]);
  });
});

describe('a question that needs a passkey', () => {
  const present = view({ assurance: 'present' });

  it('no reply is taken that a passkey has not confirmed: neither yes nor no', async () => {
    passkeys.list_.push(laptop);
    const path = put(present);
    for (const action of ['accept', 'decline', 'dismiss'])
      for (const proof of [undefined, '', 'forged', 'late']) {
        const { status, text } = await post(path, { action, ...(proof !== undefined && { passkey: proof }) });
        expect([action, proof, status]).toEqual([action, proof, 422]);
        expect(text).toContain(
          proof === 'late'
            ? 'it took longer than two minutes'
            : proof
              ? 'was not confirmed by one of your passkeys'
              : 'has to be confirmed with your passkey',
        );
      }
    expect([isOpen(path), questions.proofs]).toEqual([true, []]);
    expect((await post(path, { action: 'decline', passkey: 'good' })).status).toBe(303);
    expect(questions.proofs).toEqual([{ credential: 'k1' }]);
    expect(isOpen(path)).toBe(false);
  });

  it('a passkey confirms exactly the reply that is sent', async () => {
    passkeys.list_.push(laptop);
    const fields = [{ kind: 'text', name: 'why', title: 'Why', required: true }] as const;
    const question = payment({ fields });
    const path = put(present, question);
    const wrong = await post(`${path}/passkey`, { action: 'accept', f0: '' });
    expect([wrong.status, passkeys.asked]).toEqual([422, []]);
    const asked = await post(`${path}/passkey`, { action: 'accept', f0: 'Because' });
    expect(JSON.parse(asked.text)).toEqual({ does: 'get', options: { challenge: 'AA' }, token: 'the-token' });
    const reply = { action: 'accept', content: { why: 'Because' } };
    expect(passkeys.asked).toEqual([[question.id, reply]]);
    await post(path, { action: 'accept', f0: 'Because', passkey: 'good' });
    expect(passkeys.asked.at(-1)).toEqual([question.id, reply, 'good']);
    const late = await post(`${path}/passkey`, { action: 'accept', f0: 'Because' });
    expect([late.status, late.headers['content-type']]).toEqual([409, expect.stringContaining('text/html')]);
  });

  it('a question has no buttons for somebody without a passkey, and leads to adding one and back', async () => {
    const path = put(present);
    const id = path.split('/').at(-1)!;
    const { text } = await get(path);
    expect(text).not.toContain('name="action"');
    expect(text).toContain(`href="/passkeys?question=${id}"`);
    expect(textOf(text)).toContain('you have none here');
    expect((await post(`${path}/passkey`, { action: 'accept' })).text).toContain(
      'it needs a passkey, and you have none',
    );
    expect((await get(`/passkeys?question=${id}`)).text).toContain(`href="/questions/${id}"`);
    const added = await post('/passkeys', { name: 'Phone', passkey: 'good', question: id });
    expect([added.status, added.headers['location']]).toEqual([303, path]);
    expect((await get(path)).text).toContain(`data-passkey="${path}/passkey"`);
  });

  it('the question says what is missing where there can be no passkeys', async () => {
    for (const [options, origin] of [
      [{ passkeys: scriptedPasskeys({ isPossible: false, origin: 'http://10.0.0.7' }) }, 'http://10.0.0.7'],
      [{}, undefined],
    ] as const) {
      await using own = await personStage(options);
      const question = payment();
      own.questions.approvals.set(question.id, present);
      void own.questions.ask(question);
      const { text } = await ask(own, `/questions/${question.id}`);
      expect(text).not.toContain('name="action"');
      expect(text).toContain(`This inbox is at ${origin ?? own.origin}. Whoever runs it can change that: --public-url`);
      expect((await ask(own, `/questions/${question.id}`, { action: 'accept', passkey: 'good' })).status).toBe(
        origin ? 303 : 422,
      );
    }
  });

  it('the person who alone is asked can close the question without a passkey', async () => {
    const { group: _, requester: __, ...alone } = present;
    const path = put({ ...alone, count: 1 });
    passkeys.list_.push(laptop);
    const { text } = await get(path);
    expect(textOf(text)).toContain('You alone: it is your call.');
    expect(text).toContain('value="dismiss"');
    expect((await post(`${path}/passkey`, { action: 'dismiss' })).text).toBe('{}');
    expect((await post(path, { action: 'decline' })).status).toBe(422);
    expect((await post(path, { action: 'dismiss' })).status).toBe(303);
  });
});

describe('the page of passkeys', () => {
  it('the page of passkeys lists them, adds and removes them, and says what is wrong', async () => {
    expect((await get('/passkeys')).text).toContain('You have no passkey yet.');
    const refused = await post('/passkeys', { name: '<b>Phone', passkey: 'bad' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="&lt;b&gt;Phone"');
    expect(refused.text).toContain('was not confirmed by one of your passkeys');
    expect((await post('/passkeys/passkey', { name: 'P', invitation: 'forged' })).text).toContain(
      'this invitation is for somebody else',
    );
    expect(JSON.parse((await post('/passkeys/passkey', { name: 'P', passkey: 'p' })).text)).toMatchObject({
      does: 'create',
    });
    expect(passkeys.asked.at(-1)).toEqual({ invitation: undefined, posted: 'p' });
    await post('/passkeys', { name: '<b>Phone', passkey: 'good' });
    const { text } = await get('/passkeys');
    expect(text).toContain('&lt;b&gt;Phone');
    expect(textOf(text)).toContain('never');
    expect((await post('/passkeys/k1/remove/passkey')).text).toBe('{}');
    expect((await post('/passkeys/other/remove/passkey')).status).toBe(422);
    expect((await post('/passkeys/k7/remove', {})).text).toContain('a sign-in less than five minutes ago');
    const removed = await post('/passkeys/k1/remove', { passkey: 'p' });
    expect([removed.status, removed.headers['location']]).toEqual([303, '/passkeys']);
    expect(passkeys.asked.at(-1)).toEqual(['k1', 'p']);
    expect((await get('/passkeys')).text).toContain('You have no passkey yet.');
  });

  it.each([
    [{ isFresh: true }, 0, [true, false]],
    [{ isFresh: false }, 0, [false, true]],
    [{ isFresh: false }, 1, [true, true]],
    [{ isFresh: true, needsInvitation: true }, 0, [false, false]],
    [{ isFresh: true, needsInvitation: true }, 1, [true, false]],
  ])(
    'the page of passkeys offers what the person may do: %j with %s passkeys',
    async (change, count, [canAdd, mustSignIn]) => {
      const theirs = scriptedPasskeys(change);
      if (count) theirs.list_.push(laptop);
      await using own = await personStage({ passkeys: theirs });
      const { text } = await ask(own, '/passkeys');
      const form = text.slice(text.indexOf('id="add-passkey"')).split('>')[0]!;
      expect([!form.includes('hidden'), text.includes('Sign in again')]).toEqual([canAdd, mustSignIn]);
    },
  );

  it('nothing changes without the token of the session, and the page does not exist where there are no passkeys', async () => {
    passkeys.list_.push(laptop);
    for (const path of ['/passkeys', '/passkeys/passkey', '/passkeys/k1/remove', '/passkeys/k1/remove/passkey']) {
      expect((await post(path, { csrf: 'forged', passkey: 'good' })).status).toBe(403);
      await using own = await personStage();
      expect((await ask(own, path, { passkey: 'good' })).status).toBe(404);
    }
    expect(passkeys.list_).toEqual([laptop]);
  });
});
