/** What the tool does with an answer, in both revisions of the protocol, and with every other outcome of its question. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { midcall } from '@midcall/server';
import { connectPair, eras, explore, scriptedPerson } from '@midcall/testing';
import { tablesServer } from './tables.mjs';

for (const era of eras) {
  test(`${era}: books the hour that the guest picked`, async () => {
    const free = ['18:00', '19:30'];
    const person = scriptedPerson([{ action: 'accept', content: { time: '19:30' } }]);
    const mid = midcall();
    const pair = await connectPair(() => tablesServer(mid, free), { era, person });
    const { content } = await pair.client.callTool({ name: 'table_book', arguments: { guests: 4 } });
    await pair.close();
    assert.equal(content[0].text, 'Booked for 4 at 19:30.');
    assert.deepEqual(free, ['18:00']);
  });
}

test('takes every outcome of the question', async () => {
  const tool = { name: 'table_book', server: options => () => tablesServer(midcall(options), ['18:00', '19:30']) };
  const report = await explore(tool, { guests: 4 }, { depth: 1 });
  assert.deepEqual(report.findings, [], report.text);
});
