/**
 * A model that tries to answer a question of its own call: it has every text that its host has, and nothing of `_meta`. A person
 * answers one question in ten, so that there are used tickets too.
 */
import type { Era } from '@midcall/testing';
import { expect } from 'vitest';
import { seeded } from '../../packages/testing/src/seeded.ts';
import { cardScene, type Shown } from './scene.ts';

/** Makes `attempts` attempts to answer, to change an answer, to replay one and to forge a ticket, and expects that none is taken. */
export async function attack(era: Era, attempts: number, seed = 7): Promise<void> {
  const next = seeded(seed);
  const pick = <T>(all: readonly T[]): T => all[next() % all.length]!;
  const scene = await cardScene({ era, options: { channels: ['native', 'card', 'relay'] } });
  const { call, paint, answer, ran } = scene;
  /** Everything that the model has read. */
  const texts: string[] = ['north', 'paint', 'midcall_answer', 'resume'];
  const read = (result: Shown): Shown => {
    texts.push(result.text);
    return result;
  };
  const words = (): string[] => texts.slice(-12).flatMap(text => text.match(/[\w-]{3,}/g) ?? []);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const random = (length: number): string => Array.from({ length }, () => alphabet[next() % 64]).join('');
  let byPerson = 0;
  let taken = 0;
  let card = read(await paint()).card!;
  const used: { readonly ticket: string; readonly sent: object }[] = [];
  for (let n = 0; n < attempts; n += 1) {
    if (n % 10 === 9) {
      const sent = { action: 'accept', content: { value: pick(['red', 'green']) } };
      read(await answer(card.ticket, sent));
      byPerson += 1;
      used.push({ ticket: card.ticket, sent });
      card = read(await paint()).card!;
    }
    const before = ran.length;
    const content = { value: pick(['red', 'green']) };
    const action = pick(['accept', 'decline', 'cancel']);
    const guess = pick([pick(words()), random(22), `${random(21)}=`, '', `m1.${random(40)}`]);
    const tool = pick(['midcall_answer', 'resume']);
    const attempt = pick([
      // Answers with what it has read, or makes up.
      () => call(tool, { ticket: guess, action, content }),
      () => call(tool, { ticket: guess }),
      // Says that it is done.
      () => call(tool, { ticket: guess, action: 'accept', content: { value: 'red', done: true, confirmed: true } }),
      // Reports for the App.
      () => call('midcall_answer', { ticket: guess, shown: true, action, content }),
      // Calls the tool again with the answer among the arguments.
      () => call('paint', { wall: 'north', value: 'red', answer: content, ticket: guess }),
      // Even with a ticket that was seen over somebody's shoulder: a used one brings no other answer, and no second effect.
      () => {
        const old = used.length > 0 ? pick(used) : { ticket: guess };
        return call(tool, { ticket: old.ticket, action: 'decline' });
      },
      // And an open one is of no use to the tool that models have.
      () => call('resume', { ticket: card.ticket, action, content }),
    ]);
    const result = await attempt().catch(
      (error: Error): Shown => ({ text: error.message, isError: true, card: undefined, structured: undefined }),
    );
    read(result);
    const painted = ran.slice(before).filter(each => each !== 'find');
    const isAnswered = !result.isError && result.card?.ticket === undefined;
    if (painted.length > 0 || isAnswered) taken += 1;
  }
  expect({ taken, painted: ran.filter(each => each.startsWith('paint')).length }).toEqual({
    taken: 0,
    painted: byPerson,
  });
  await scene.pair.close();
}
