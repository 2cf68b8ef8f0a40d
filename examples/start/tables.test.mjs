/** The quick start's test: a scripted guest, in both revisions. */
// #region test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectPair, eras, scriptedPerson } from '@midcall/testing';
import { tablesServer } from './tables.mjs';

for (const era of eras) {
  test(`${era}: books the hour the guest picked`, async () => {
    const free = ['18:00', '19:30'];
    const person = scriptedPerson([{ action: 'accept', content: { time: '19:30' } }]);
    const pair = await connectPair(() => tablesServer(free), { era, person });
    const result = await pair.client.callTool({ name: 'table_book', arguments: { guests: 4 } });
    await pair.close();
    assert.equal(result.content[0].text, 'Booked for 4 at 19:30.');
    assert.deepEqual(free, ['18:00']);
  });
}
// #endregion
