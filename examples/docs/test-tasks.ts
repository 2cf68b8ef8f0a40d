/** The test in docs/testing.md of a tool that becomes a task. */
// #region test
import { midcall } from '@midcall/server';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { expect, it } from 'vitest';
import { stockServer } from './tasks.ts';

it.each(eras)('%s: corrects the books when the person agrees', async era => {
  const books = new Map([['B4', 10]]);
  const warehouse = {
    count: async () => 12,
    correct: async (shelf: string, pieces: number) => void books.set(shelf, pieces),
  };
  const mid = midcall();
  const person = scriptedPerson([{ action: 'accept', content: { value: true } }]);
  await using pair = await connectPair(() => stockServer(mid, warehouse), { era, person, tasks: true });

  const { content } = await pair.client.callTool({ name: 'count_shelf', arguments: { shelf: 'B4' } });

  expect(content).toMatchObject([{ text: 'The books now say 12.' }]);
  expect(books.get('B4')).toBe(12);
});
// #endregion
