/** What `midcall inbox` says of a question that waits, in one line. */
import type { Question } from '@midcall/host';
import { expect, it } from 'vitest';
import { lineOf } from '../../packages/midcall/src/cli/inbox.ts';

const base = { id: 'q', asker: { id: 'notes', name: 'notes', origin: 'node notes', era: '2026-07-28' }, askedAt: 0 };
const call = { id: 'c', kind: 'tool', name: 'notes_delete', arguments: {} };
const page = { message: 'Sign the form.', url: { href: 'https://example.com' } };

it.each([
  [{ kind: 'form', message: 'Which note?' }, 'notes: Which note?'],
  [{ kind: 'url', ...page }, 'notes: Sign the form.'],
  [{ kind: 'url-finish', ...page }, 'notes: waits for you to finish on a page: Sign the form.'],
  [{ kind: 'sign-in', more: false }, 'notes: asks you to sign in'],
  [{ kind: 'sign-in', more: true }, 'notes: asks for more than your sign-in allows'],
  [{ kind: 'sampling-request' }, 'notes: asks to use your model'],
  [{ kind: 'sampling-reply', model: { byHand: false } }, 'notes: asks for your model’s reply'],
  [{ kind: 'sampling-reply', model: { byHand: true } }, 'notes: asks for your reply'],
  [{ kind: 'roots' }, 'notes: asks which folders it may use'],
  [{ kind: 'call', call }, 'notes for notes_delete: the call is about to be made: yes or no?'],
])('says what is asked, of every kind of question: %j', (question, line) => {
  expect(lineOf([{ ...base, ...question } as unknown as Question], new Map())).toBe(line);
});

it('says which host waits, or has stopped waiting, and how many calls a row stands for', () => {
  const question = { ...base, kind: 'call', call } as unknown as Question;
  expect(lineOf([question, question], new Map([['c', { state: 'left', host: 'Chat' }]]))).toBe(
    'notes for notes_delete (Chat has stopped waiting): 2 calls are about to be made: yes or no?',
  );
  expect(lineOf([question], new Map([['c', { state: 'waits', host: 'Chat' }]]))).toBe(
    'notes for notes_delete (Chat waits): the call is about to be made: yes or no?',
  );
});
