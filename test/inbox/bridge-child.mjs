/**
 * One bridge among several that share an inbox, started by killed-bridges.ts: node bridge-child.mjs WHERE KEY
 *
 * Until it is killed, it asks questions, ends some of them itself, and replies to those of all bridges. It prints a
 * line before and after each of these.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Inbox } from '@midcall/host';
import { openInboxStore } from '../../packages/inbox/dist/store/index.js';

const [where, key] = process.argv.slice(2);
const say = (...words) => writeSync(1, `${words.join(' ')}\n`);
const anyOf = list => list[Math.floor(Math.random() * list.length)];
const people = ['ada', 'bob', 'eve'];

const store = await openInboxStore({ where, key, onError: error => say('error', error.code) });
const inbox = new Inbox({ onError() {} });
const written = new Map();
inbox.subscribe(event => {
  const { id } = event.question;
  if (event.type === 'ended') written.set(id, store.ended(id, event.ending));
});

async function ask() {
  for (;;) {
    const id = randomUUID();
    const question = {
      ...{ id, kind: 'form', message: 'x'.repeat(200), fields: [], askedAt: Date.now() },
      asker: { id: 'notes', name: 'Notes', origin: 'notes', era: '2026' },
    };
    const ending = inbox.ask(question);
    say('asking', id);
    const owner = {
      async reply(reply, via) {
        const receipt = await inbox.reply(id, reply, via);
        if (receipt.ok) say('judged', id);
        return receipt;
      },
      end: how => void inbox.end(id, how),
    };
    try {
      await store.ask({ principal: anyOf(people), question, owner });
    } catch (error) {
      // A server that restarts itself is away for a moment.
      say('refused', id, error.code);
      inbox.end(id, { how: 'unshown' });
      await new Promise(resolve => setTimeout(resolve, 20));
      continue;
    }
    say('asked', id);
    const what = Math.random();
    if (what < 0.3) await inbox.reply(id, { action: 'accept', content: {} }, 'host');
    else if (what < 0.5) inbox.end(id, { how: 'withdrawn' });
    const { how } = await ending;
    await written.get(id);
    written.delete(id);
    say('ended', id, how);
  }
}

async function reply() {
  for (;;) {
    const person = store.person(anyOf(people));
    const { questions } = await person.open(0, 20).catch(() => ({ questions: [] }));
    const found = anyOf(questions);
    if (found) await person.reply(found.question.id, { action: anyOf(['accept', 'decline']) }).catch(() => {});
    else await new Promise(resolve => setTimeout(resolve, 5));
  }
}

await Promise.all([...Array.from({ length: 6 }, ask), ...Array.from({ length: 6 }, reply)]);
