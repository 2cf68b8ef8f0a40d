/**
 * One process among several that ask and answer approvals in one inbox, started by killed-approvers.ts:
 * node approver-child.mjs WHERE KEY ASKS
 *
 * Until it is killed, it asks what ASKS lists, as others do, and answers as people of the group. It prints a line before and after each
 * of these.
 */
import { writeSync } from 'node:fs';
import { openStore } from '../../packages/inbox/dist/store/index.js';

const [where, key, asks] = process.argv.slice(2);
const say = (...words) => writeSync(1, `${words.join(' ')}\n`);
const anyOf = list => list[Math.floor(Math.random() * list.length)];
const { ids, names, issuer } = JSON.parse(asks);

const store = await openStore(
  { where, key, onError: error => say('error', error.code) },
  { groups: { names: { finance: names } }, issuer, home: 'https://pay.example/' },
);

async function ask() {
  for (;;) {
    const id = anyOf(ids);
    const ask = {
      ...{ id, from: { group: 'finance', count: 3 }, requester: undefined, server: 'payments', assurance: 'verified' },
      ...{ call: { method: 'tools/call', name: 'pay' }, message: 'Pay?', askedAt: Date.now(), dueAt: Date.now() + 1e9 },
      schema: { type: 'object', properties: { sure: { type: 'boolean' } } },
    };
    await store.approvals.ask(ask).then(
      () => say('asked', id),
      error => say('refused', id, error.code),
    );
    if (Math.random() < 0.05) {
      await store.approvals.withdraw(id).catch(() => {});
    }
    await store.approvals.look(id).then(
      standing => standing?.outcome && say('seen', id, standing.outcome.action),
      () => {},
    );
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

async function vote() {
  for (;;) {
    const who = `${anyOf(names)} (${issuer})`;
    const person = store.person(who);
    const { questions } = await person.open(0, 20).catch(() => ({ questions: [] }));
    const found = anyOf(questions);
    if (!found) {
      await new Promise(resolve => setTimeout(resolve, 5));
      continue;
    }
    const id = found.question.call.id;
    const reply = anyOf([
      { action: 'decline' },
      ...[true, true, false].map(sure => ({ action: 'accept', content: { sure } })),
    ]);
    say('voting', id, JSON.stringify(who));
    const receipt = await person.reply(found.question.id, reply).catch(() => undefined);
    if (receipt?.ok) say('voted', id, JSON.stringify(who));
  }
}

await Promise.all([ask(), ...Array.from({ length: 6 }, vote)]);
