/** The README's test: a scripted person answers, on both wires. */
// #region test
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { expect, it } from 'vitest';
import { notesServer } from './delete-notes.ts';

it.each(eras)('%s: deletes the note the person picked', async era => {
  const deleted: string[] = [];
  const notes = {
    find: () => [
      { id: 'n1', label: 'TPS report, 2023' },
      { id: 'n2', label: 'TPS report, 2024' },
    ],
    delete: (id: string) => void deleted.push(id),
  };
  const person = scriptedPerson([{ action: 'accept', content: { note: 'n2' } }]);
  await using pair = await connectPair(() => notesServer(notes), { era, person });

  await pair.client.callTool({ name: 'notes_delete', arguments: { title: 'TPS report' } });

  expect(person.asked[0]?.params['message']).toContain('Pick the note');
  expect(deleted).toEqual(['n2']);
});
// #endregion
