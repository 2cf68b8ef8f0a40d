/** A person attached to a real client and a real server process, in both eras. */
import { Audit, type Era, Policy } from '@midcall/host';
import { afterEach, describe, expect, it } from 'vitest';
import { few } from '../../fixtures/soak.ts';
import { connected, cue, eventsOf, nextQuestion, person, said } from '../person.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.stop()));
});

async function host(era: Era, options: Parameters<typeof connected>[1] = {}) {
  const made = await connected(era, options);
  open.push(made.connection);
  return made;
}

describe.each<Era>(few(['2025-11-25', '2026-07-28'], '2026-07-28'))('a person behind a client, %s', era => {
  it('elicit-05: the person sees who asks for which call, and the server gets the answer that fits', async () => {
    const { connection, inbox } = await host(era);
    const me = person(() => ({ action: 'accept', content: { colour: 'green' } }));
    inbox.present(me);
    const call = connection.run({ kind: 'tool', name: 'form', arguments: { n: 1 } });
    const outcome = await call.outcome;
    expect(said(outcome as never)).toMatchObject({ action: 'accept', content: { colour: 'green' } });
    expect(me.seen[0]).toMatchObject({
      kind: 'form',
      message: 'Which colour?',
      asker: { id: 'asking', name: 'asking', era },
      call: { id: call.id, kind: 'tool', name: 'form', arguments: { n: 1 } },
    });
    expect(outcome).toMatchObject({ how: 'completed' });
    expect(me.endings).toMatchObject([{ how: 'answered', via: 'script' }]);
  });

  it('elicit-02, elicit-07: a decline and a dismissal reach the server as two different things', async () => {
    const { connection, inbox } = await host(era);
    const replies = [{ action: 'decline' }, { action: 'dismiss' }] as const;
    let n = 0;
    inbox.present(person(() => replies[n++]));
    const declined = await connection.run({ kind: 'tool', name: 'form' }).outcome;
    const dismissed = await connection.run({ kind: 'tool', name: 'form' }).outcome;
    expect([said(declined as never), said(dismissed as never)]).toMatchObject([
      { action: 'decline' },
      { action: 'cancel' },
    ]);
  });

  it('elicit-form-11: a question stays open when an answer does not fit the pattern that was really sent', async () => {
    const { connection, inbox } = await host(era);
    const outcome = connection.run({ kind: 'tool', name: 'code' }).outcome;
    const question = await nextQuestion(inbox);
    expect(question).toMatchObject({ fields: [{ name: 'code', pattern: '^[a-z]{3}$' }] });
    const receipt = await inbox.reply(question.id, { action: 'accept', content: { code: 'ABC' } }, 'script');
    expect(receipt).toMatchObject({ ok: false, problem: 'invalid', issues: [{ field: 'code', rule: 'pattern' }] });
    expect(inbox.list()).toHaveLength(1);
    await inbox.reply(question.id, { action: 'accept', content: { code: 'abc' } }, 'script');
    expect(said((await outcome) as never)).toMatchObject({ action: 'accept', content: { code: 'abc' } });
  });

  it.each(['many', 'huge'])('elicit-35: the hostile form %s is refused and recorded', async name => {
    const audit = new Audit();
    const { connection, inbox } = await host(era, { audit });
    const me = person(() => ({ action: 'decline' }));
    inbox.present(me);
    const events = eventsOf(connection);
    const outcome = await connection.run({ kind: 'tool', name: `hostile-${name}` }).outcome;
    if (era === '2025-11-25') expect(said(outcome as never)).toMatchObject({ code: -32602 });
    else expect(outcome).toMatchObject({ how: 'abandoned' });
    expect(me.seen).toEqual([]);
    expect(audit.entries().filter(entry => entry.event.type === 'refused')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'refused')).toMatchObject([{ by: 'host' }]);
  });

  it('elicit-36, elicit-37: a mode that does not exist is refused, and so is one that is not declared', async () => {
    const unknown = await host(era);
    const first = await unknown.connection.run({ kind: 'tool', name: 'mode' }).outcome;
    const formOnly = await host(era, { modes: ['form'] });
    const second = await formOnly.connection.run({ kind: 'tool', name: 'url' }).outcome;
    if (era === '2025-11-25') {
      expect([said(first as never), said(second as never)]).toMatchObject([{ code: -32602 }, { code: -32602 }]);
    } else {
      // The mode is in the capabilities of the request, so a server of the SDK does not send it at all.
      expect([first, second]).toMatchObject([{ how: 'abandoned' }, { how: 'refused', code: -32021 }]);
    }
  });

  it('elicit-url-39: consent to a URL sends accept without content; a javascript: URL cannot be accepted', async () => {
    const { connection, inbox } = await host(era);
    const outcome = connection.run({ kind: 'tool', name: 'url' }).outcome;
    const question = await nextQuestion(inbox);
    expect(question).toMatchObject({ kind: 'url', url: { openable: true, parts: { domain: 'example.com' } } });
    await inbox.reply(question.id, { action: 'accept' }, 'script');
    expect(said((await outcome) as never)).toEqual({ action: 'accept' });

    const bad = connection.run({ kind: 'tool', name: 'url', arguments: { url: 'javascript:alert(1)' } }).outcome;
    const second = await nextQuestion(inbox);
    expect(second).toMatchObject({ url: { openable: false, href: 'javascript:alert(1)' } });
    expect(await inbox.reply(second.id, { action: 'accept' }, 'script')).toMatchObject({
      ok: false,
      problem: 'invalid',
    });
    await inbox.reply(second.id, { action: 'dismiss' }, 'script');
    expect(said((await bad) as never)).toMatchObject({ action: 'cancel' });
  });

  it('elicit-43: the server gets cancel where policy refuses, and the record says that it was policy', async () => {
    const policy = new Policy();
    policy.mute('asking', 60_000);
    const audit = new Audit();
    const { connection, inbox } = await host(era, { policy, audit });
    const me = person(() => ({ action: 'accept', content: { colour: 'red' } }));
    inbox.present(me);
    const outcome = await connection.run({ kind: 'tool', name: 'form' }).outcome;
    expect(said(outcome as never)).toMatchObject({ action: 'cancel' });
    expect(me.seen).toEqual([]);
    expect(audit.entries().map(entry => entry.event)).toMatchObject([
      { type: 'call', state: 'started' },
      { type: 'refused', by: 'policy' },
      { type: 'call', state: 'ended', how: 'completed' },
    ]);
  });

  it('a question is withdrawn when the person cancels its call', async () => {
    const { connection, inbox } = await host(era);
    const call = connection.run({ kind: 'tool', name: 'form' });
    const question = await nextQuestion(inbox);
    call.cancel();
    expect(await call.outcome).toEqual({ how: 'cancelled' });
    expect(inbox.ending(question.id)).toEqual({ how: 'withdrawn' });
  });

  it('a question ends as server-gone when the process dies, and the server can be started again', async () => {
    const { connection, inbox } = await host(era);
    const failed = new Promise<void>(resolve => {
      connection.subscribe(event => event.type === 'state' && event.state === 'failed' && resolve());
    });
    const now = cue();
    const call = connection.run({ kind: 'tool', name: 'crash', arguments: { when: now.path } });
    const question = await nextQuestion(inbox);
    now.give();
    await failed;
    expect(inbox.ending(question.id)).toEqual({ how: 'server-gone' });
    expect(await call.outcome).toMatchObject({ how: 'server-gone' });
    await connection.restart();
    expect(await connection.run({ kind: 'tool', name: 'plain', arguments: { a: 1 } }).outcome).toMatchObject({
      how: 'completed',
    });
  });

  it('the connection keeps what the server writes to standard error', async () => {
    const { connection } = await host(era);
    await connection.run({ kind: 'tool', name: 'plain' }).outcome;
    expect(connection.stderr).toContain('asking-server is up');
  });

  it('a call whose tool fails ends as a tool error, and not as completed', async () => {
    const { connection } = await host(era);
    expect(await connection.run({ kind: 'tool', name: 'fails' }).outcome).toMatchObject({ how: 'tool-error' });
  });
});
