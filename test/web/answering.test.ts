import { describe, expect, it } from 'vitest';
import { enter } from './client.ts';
import { everyField, openPage, pickOne, shareRoots, stage, stageOfFile, useModel, useReply } from './stage.ts';

const on = await stageOfFile();
const visitor = await enter(on.desk);

describe('answering by plain forms', () => {
  it('elicit-22, elicit-form-15, elicit-form-16: the value that was chosen is sent, not its position, and the ending is shown', async () => {
    const question = pickOne('a1');
    const ending = on.inbox.ask(question);
    const answer = await visitor.post(`/questions/${question.id}`, { action: 'accept', f0: '1', f1: 'true' });
    expect(answer.status).toBe(303);
    expect(answer.headers['location']).toBe(`/calls/a1#q-${question.id}-end`);
    expect(await ending).toEqual({ how: 'answered', via: 'web', content: { note_id: 'note-2024', confirm: true } });
    const page = await visitor.get('/calls/a1');
    expect(page.text).toContain('You answered.');
    expect(page.text).toContain('TPS report · work/2024');
  });

  it.each([
    ['decline', 'declined', 'The server was told no.'],
    ['dismiss', 'dismissed', 'neither yes nor no'],
  ])('elicit-23, elicit-44: the button %s ends the question as %s', async (action, how, text) => {
    const question = pickOne(`b-${action}`);
    const ending = on.inbox.ask(question);
    await visitor.post(`/questions/${question.id}`, { action, f0: '1' });
    expect(await ending).toEqual({ how, via: 'web' });
    expect((await visitor.get(`/calls/b-${action}`)).text).toContain(text);
  });

  it('elicit-form-20: what was typed is kept, and field and rule are named, where an answer does not fit', async () => {
    const question = everyField('c1');
    void on.inbox.ask(question);
    const answer = await visitor.post(`/questions/${question.id}`, {
      action: 'accept',
      f0: 'A',
      f1: 'nonsense',
      f5: '12',
    });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('value="nonsense"');
    expect(answer.text).toMatch(/Please check \d+ fields/);
    for (const field of ['f0', 'f1', 'f5', 'f8']) expect(answer.text).toContain(`id="q-${question.id}-${field}-error"`);
    expect(on.inbox.get(question.id)).toBeDefined();
  });

  it('a date and time is sent with the offset of the zone that was chosen', async () => {
    const question = everyField('c2');
    const ending = on.inbox.ask(question);
    const fields = {
      action: 'accept',
      f0: 'Ada',
      f4: '2026-07-01T09:30',
      'f4.zone': 'Europe/Berlin',
      f8: '5',
      f10: '0',
    };
    expect((await visitor.post(`/questions/${question.id}`, fields)).status).toBe(303);
    expect(await ending).toMatchObject({
      content: { full_name: 'Ada', meet_at: '2026-07-01T09:30:00+02:00', country: 'c5', days: ['mon'] },
    });
  });

  it('an answer can be reviewed before it is sent, without client script', async () => {
    const question = pickOne('c3');
    void on.inbox.ask(question);
    const page = await visitor.post(`/questions/${question.id}`, { action: 'review', f0: '2', f1: 'true' });
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/You will send[\s\S]*TPS report · work\/2025[\s\S]*Yes/);
    expect(on.inbox.get(question.id)).toBeDefined();
  });

  it('a second answer is refused kindly, and changes nothing', async () => {
    const question = pickOne('d1');
    const ending = on.inbox.ask(question);
    await visitor.post(`/questions/${question.id}`, { action: 'decline' });
    const second = await visitor.post(`/questions/${question.id}`, { action: 'accept', f0: '1', f1: 'true' });
    expect(second.status).toBe(409);
    expect(second.text).toContain('Your earlier answer was received; this one was not. You declined.');
    expect(second.text).toContain('You declined.');
    expect(await ending).toEqual({ how: 'declined', via: 'web' });
  });

  it.each([
    ['withdrawn', 'withdrew the question'],
    ['server-gone', 'nobody left to answer'],
    ['timed-out', 'ran out'],
  ] as const)('whoever answers a question that is %s is told so', async (how, text) => {
    const question = pickOne(`e-${how}`);
    void on.inbox.ask(question);
    on.inbox.end(question.id, { how });
    const answer = await visitor.post(`/questions/${question.id}`, { action: 'accept', f0: '1', f1: 'true' });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(text);
  });

  it('elicit-url-03, elicit-url-61: a page is opened only after consent, and the consent leaves at once', async () => {
    const question = openPage('https://example.com/connect/abc?x=1&y=2');
    const ending = on.inbox.ask(question);
    const card = await visitor.get(`/questions/${question.id}`);
    expect(card.text).not.toContain('href="https://example.com');
    const opened = await visitor.post(`/questions/${question.id}`, { action: 'accept' });
    expect(opened.text).toContain('content="0;url=https://example.com/connect/abc?x=1&amp;y=2"');
    expect(opened.headers['referrer-policy']).toBe('no-referrer');
    expect(await ending).toEqual({ how: 'answered', via: 'web' });
  });

  it('what is no web address is never opened', async () => {
    const question = openPage('javascript:alert(1)');
    void on.inbox.ask(question);
    expect((await visitor.get(`/questions/${question.id}`)).text).not.toContain('value="accept"');
    const forced = await visitor.post(`/questions/${question.id}`, { action: 'accept' });
    expect(forced.status).toBe(422);
    expect(forced.text).not.toContain('http-equiv');
  });

  it('of a prompt or a reply only what was changed is passed on', async () => {
    const request = useModel('f1');
    const asked = on.inbox.ask(request);
    await visitor.post(`/questions/${request.id}`, {
      action: 'accept',
      system: 'You are terse.',
      'm0.b0': 'Summarise:\r\n\r\n- call Bob',
    });
    expect(await asked).toMatchObject({
      content: {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Summarise:\n\n- call Bob' }] },
          { role: 'assistant', content: [{ type: 'image' }] },
        ],
      },
    });
    const reply = useReply('f1');
    const given = on.inbox.ask(reply);
    await visitor.post(`/questions/${reply.id}`, { action: 'accept', 'c.b0': 'Call Ann.' });
    expect(await given).toEqual({ how: 'answered', via: 'web', content: {} });
  });

  it('another model is sent only where one was chosen, and the notes of a run are shown', async () => {
    const request = useModel('f2');
    const asked = on.inbox.ask(request);
    expect((await visitor.get('/calls/f2')).text).toMatch(/<option value="0" selected>llama-3.1-8b</);
    await visitor.post(`/questions/${request.id}`, { action: 'accept', model: '1' });
    expect(await asked).toMatchObject({ content: { model: 'claude-sonnet' } });
    const reply = useReply('f2');
    void on.inbox.ask(reply);
    expect((await visitor.get('/calls/f2')).text).toContain('so it was not sent.');
    on.inbox.end(reply.id, { how: 'withdrawn' });
  });

  it('the model is allowed for the session where that was chosen, visibly and revocably', async () => {
    const request = useModel('f3');
    const asked = on.inbox.ask(request);
    await visitor.post(`/questions/${request.id}`, { action: 'allow', 'm0.b0': 'Changed.' });
    expect(await asked).toMatchObject({ how: 'answered', via: 'web', content: { messages: [{}, {}] } });
    const [decision] = on.policy.decisions();
    expect(decision).toMatchObject({ server: 'notes', subject: 'sampling', effect: 'allow', scope: 'session' });
    expect((await visitor.get('/policy')).text).toContain(decision!.id);
    await visitor.post('/policy/revoke', { id: decision!.id });
    expect(on.policy.decisions()).toEqual([]);
    expect(on.audit.entries({ search: 'allow sampling from notes' })).toHaveLength(1);
  });

  it('a person whose reply has left is not told that nothing was sent where what else they chose cannot be stored', async () => {
    const storedDecisions = {
      read: async () => [],
      current: () => [],
      keep: async () => {},
      drop: () => Promise.reject(new Error('ENOSPC: no space left on device')),
    };
    await using own = await stage({ storedDecisions });
    const there = await enter(own.desk);
    const request = useModel('f3');
    const asked = own.inbox.ask(request);
    own.policy.add({ server: 'notes', subject: 'sampling', effect: 'refuse', scope: 'always' });
    const { status, text } = await there.post(`/questions/${request.id}`, { action: 'allow', 'm0.b0': 'Changed.' });
    expect(await asked).toMatchObject({ how: 'answered' });
    expect(status).toBe(500);
    expect(text).not.toContain('Nothing was sent');
    expect(text).toContain('What you sent may have been done');
  });

  const answerable = [
    ['a form', () => pickOne('f4'), { f0: '1', f1: 'true' }],
    ['a page', () => openPage('https://example.com/'), {}],
    ['shared folders', shareRoots, { roots: '0' }],
    ['a reply', () => useReply('f5'), {}],
  ] as const;

  it.each(answerable)(
    'an answer to %s never makes a decision, and no decision is taken for an answer',
    async (_, make, fields) => {
      const question = make();
      void on.inbox.ask(question);
      const { text } = await visitor.get(`/questions/${question.id}`).then(async answer => {
        const { location } = answer.headers;
        return location === undefined ? answer : visitor.get(String(location));
      });
      expect(text).not.toContain('value="allow"');
      expect((await visitor.post(`/questions/${question.id}`, { action: 'allow', ...fields })).status).toBe(422);
      expect(on.inbox.get(question.id)).toBeDefined();
      expect(on.policy.decisions()).toEqual([]);
      on.inbox.end(question.id, { how: 'withdrawn' });
    },
  );

  it.each([...answerable, ['a request to a model', () => useModel('f6'), {}] as const])(
    'nothing is sent for %s unless a button of the card was pressed',
    async (_, make, fields) => {
      const question = make();
      void on.inbox.ask(question);
      const path = `/questions/${question.id}`;
      const actions = [
        {},
        { action: 'cancel' },
        { action: 'yes' },
        ...(question.kind === 'form' ? [] : [{ action: 'review' }]),
      ];
      for (const action of actions) {
        expect((await visitor.post(path, { ...action, ...fields })).status).toBe(422);
      }
      expect(on.inbox.get(question.id)).toBeDefined();
      on.inbox.end(question.id, { how: 'withdrawn' });
    },
  );

  it('elicit-43: a muted server is refused all it has asked by policy, for as long as was chosen, until that is revoked', async () => {
    const questions = [pickOne('h1'), openPage('https://example.com/'), useModel('h1')];
    const asked = questions.map(question => on.inbox.ask(question));
    const other = { ...pickOne('h2'), asker: { ...pickOne('h2').asker, id: 'other' } };
    void on.inbox.ask(other);
    const before = Date.now();
    const muted = await visitor.post(`/questions/${questions[0]!.id}`, { action: 'mute', 'mute-for': '900000' });
    expect(muted.headers['location']).toBe(`/calls/h1#q-${questions[0]!.id}-end`);
    for (const ending of await Promise.all(asked))
      expect(ending).toMatchObject({
        how: 'refused-by-policy',
        decision: expect.stringContaining('You refuse all questions'),
      });
    expect(on.inbox.get(other.id)).toBeDefined();
    on.inbox.end(other.id, { how: 'withdrawn' });
    const [decision] = on.policy.decisions();
    expect(decision).toMatchObject({ server: 'notes', subject: '*', effect: 'refuse' });
    expect(decision!.until! - before).toBeGreaterThanOrEqual(900_000);
    expect((await visitor.get('/calls/h1')).text).toContain('Your policy refused it. You refuse');
    await visitor.post('/policy/revoke', { id: decision!.id });
    expect(on.policy.decisions()).toEqual([]);
  });

  it('a card that is over mutes nobody', async () => {
    const question = pickOne('h3');
    void on.inbox.ask(question);
    on.inbox.end(question.id, { how: 'withdrawn' });
    expect((await visitor.post(`/questions/${question.id}`, { action: 'mute' })).status).toBe(409);
    expect(on.policy.decisions()).toEqual([]);
  });

  it('no folder is ticked for the person, none shared where none was ticked, and the ticks of a form that comes back stay', async () => {
    const question = shareRoots();
    void on.inbox.ask(question);
    const box = (text: string, at: number) =>
      new RegExp(`<input type="checkbox" name="roots" value="${at}"[^>]*>`).exec(text)![0];
    const first = (await visitor.get(`/questions/${question.id}`)).text;
    for (const at of [0, 1]) expect(box(first, at)).not.toContain('checked');
    const none = await visitor.post(`/questions/${question.id}`, { action: 'accept' });
    expect([none.status, none.text.includes('Choose at least one directory')]).toEqual([422, true]);
    expect(on.inbox.get(question.id)).toBeDefined();
    const unknown = await visitor.post(`/questions/${question.id}`, { action: 'accept', roots: '7' });
    expect([unknown.status, box(unknown.text, 0).includes('checked')]).toEqual([422, false]);
    on.inbox.end(question.id, { how: 'withdrawn' });
  });

  it('a server is told only of the folders that were ticked', async () => {
    const question = shareRoots();
    const ending = on.inbox.ask(question);
    await visitor.post(`/questions/${question.id}`, { action: 'accept', roots: '1' });
    expect(await ending).toMatchObject({ content: { uris: ['file:///home/ada/work'] } });
  });

  it('only visited fields are marked while somebody types', async () => {
    const question = everyField('g1');
    void on.inbox.ask(question);
    const page = await visitor.post(`/questions/${question.id}/check`, { f0: 'A', visited: 'f0' });
    expect(page.text).toContain(`id="q-${question.id}-f0-error"`);
    expect(page.text).not.toContain(`id="q-${question.id}-f8-error"`);
  });
});

describe('what was typed and not sent', () => {
  const left = (text: string): string => /<div class="left-over"[\s\S]*?<\/dl>/.exec(text)?.[0] ?? '';

  it('what was typed is kept where an answer comes too late, whoever ended the question', async () => {
    for (const ending of [{ how: 'timed-out' }, { how: 'declined', via: 'terminal' }] as const) {
      const question = everyField(`t-${ending.how}`);
      void on.inbox.ask(question);
      on.inbox.end(question.id, ending);
      const answer = await visitor.post(`/questions/${question.id}`, { action: 'accept', f0: 'Ada <b>', f8: '5' });
      expect(answer.status).toBe(409);
      expect(left(answer.text)).toMatch(/Full name[\s\S]*Ada &lt;b&gt;[\s\S]*Country[\s\S]*Country 5/);
    }
  });

  it('what was typed is in the form again without client script, where an answer did not fit', async () => {
    const question = everyField('t-again');
    void on.inbox.ask(question);
    await visitor.post(`/questions/${question.id}`, { action: 'accept', f0: 'Ada', f5: '12' });
    expect((await visitor.get('/calls/t-again')).text).toMatch(/name="f0"[^>]*value="Ada"/);
    on.inbox.end(question.id, { how: 'withdrawn' });
    expect(left((await visitor.get('/calls/t-again')).text)).toMatch(/Ada[\s\S]*12/);
  });

  it('what was typed is not taken from whoever does not hold the page’s token, nor in any length', async () => {
    const question = everyField('t-token');
    void on.inbox.ask(question);
    const path = `/questions/${question.id}/draft`;
    expect((await visitor.post(path, { csrf: 'x', f0: 'Eve' })).status).toBe(403);
    expect((await visitor.post(path, { f0: 'x'.repeat(1_000_001) })).status).toBe(204);
    expect(on.desk.workspace.calls.draft(question.id)).toBeUndefined();
    expect((await visitor.post(path, { f0: 'Ada' })).status).toBe(204);
    expect(on.desk.workspace.calls.draft(question.id)?.get('f0')).toEqual(['Ada']);
    await visitor.post(`/questions/${question.id}`, { action: 'dismiss' });
    await visitor.post(path, { f0: 'Late' });
    expect(left((await visitor.get('/calls/t-token')).text)).toBe('');
  });
});

describe('text from a server', () => {
  it('004-01, elicit-42: text from a server cannot become markup, and shows its hidden characters', async () => {
    const nasty = '<img src=x onerror=alert(1)>\u202Egnp.exe\u0007';
    const question = { ...pickOne('n1'), message: nasty, asker: { ...pickOne('n1').asker, origin: nasty } };
    void on.inbox.ask(question);
    const { text } = await visitor.get('/calls/n1');
    expect(text).not.toContain('<img src=x');
    expect(text).toContain('⟦U+202E⟧');
    expect(text).not.toMatch(/[\u202E\u0007]/);
  });
});
