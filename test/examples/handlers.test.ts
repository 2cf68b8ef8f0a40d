/** Runs the code of docs/handlers.md in both eras, over both carriers. */
import { midcall } from '@midcall/server';
import { connectPair, pairings, type Scripted, scriptedPerson } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { type Mail, noteServer } from '../../examples/handlers/note-mail.ts';

const yes = { action: 'accept', content: { value: true } };

describe.each(pairings)('%s over %s', (era, carrier) => {
  async function call(tool: string, answers: readonly Scripted[], capabilities: object = { elicitation: {} }) {
    const sent: string[] = [];
    const attempts: string[] = [];
    let time = 1_000_000;
    // Waits of a handler are over at once; the time a person has never is.
    const after = (ms: number, fn: () => void) => {
      const turn = ms > 1_000 ? undefined : setImmediate(fn);
      if (turn) time += ms;
      return () => clearImmediate(turn);
    };
    const mail: Mail = {
      send: async (to, words) => ({ id: `m${sent.push(`${to} ${words}`)}` }),
      sent: async () => undefined,
      drop: () => {},
      deliver: async id => {
        if (attempts.push(id) < 3) throw new Error('busy');
      },
    };
    const notes = { find: async (title: string) => (title === 'Plan' ? [{ id: '1', text: 'The plan.' }] : []) };
    const mid = midcall({ warn: () => {}, suspectBelowMs: 0, clock: { now: () => time, after } });
    const person = scriptedPerson(answers);
    await using pair = await connectPair(() => noteServer(mid, notes, mail), { era, carrier, person, capabilities });
    const result = await pair.client.callTool({ name: tool, arguments: { title: 'Plan' } });
    return { text: (result.content[0] as { text: string }).text, sent, attempts };
  }

  it('a note is sent once, to whom the person said', async () => {
    const to = { action: 'accept', content: { to: 'ann@example.com' } };
    expect(await call('notes_send', [to])).toMatchObject({ text: 'Sent as m1.', sent: ['ann@example.com The plan.'] });
    expect(await call('notes_send', [{ action: 'decline' }])).toMatchObject({
      text: 'Nothing sent: decline.',
      sent: [],
    });
  });

  it('a handler asks two things at once, and sends where a check finds nothing sent', async () => {
    expect((await call('notes_confirm', [yes, yes])).text).toBe('accept accept');
    expect(await call('notes_check', [yes])).toMatchObject({ text: 'm1', sent: ['team@example.com Plan'] });
  });

  it('a handler delivers at the third attempt, under one id', async () => {
    const { text, attempts } = await call('notes_deliver', [yes]);
    expect([text, attempts.length, new Set(attempts).size]).toEqual(['accept 36', 3, 1]);
  });

  it('a handler tells the client beside its questions, and returns a text', async () => {
    expect((await call('notes_print', [yes])).text).toBe('Printed for you.');
  });

  it('a handler says why nobody answered', async () => {
    expect((await call('notes_watch', [yes])).text).toBe('accept');
    expect((await call('notes_watch', [{ action: 'cancel' }])).text).toContain('You closed the question');
    expect((await call('notes_watch', [], {})).text).toContain('cannot ask');
  });
});
