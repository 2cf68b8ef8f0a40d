/** A form with many fields, explored: the time a test has to allow, and how to need less. */

import { type MidcallOptions, midcall } from '@midcall/server';
import { McpServer } from '@modelcontextprotocol/server';
import { text } from './orders.ts';

const day = { type: 'string', format: 'date' } as const;
const trip = {
  name: { type: 'string', maxLength: 80 },
  email: { type: 'string', format: 'email' },
  from: day,
  until: day,
  guests: { type: 'integer', minimum: 1, maximum: 8 },
  budget: { type: 'number', minimum: 0 },
  meals: ['none', 'breakfast', 'all'],
  quiet: Boolean,
  parking: Boolean,
  remarks: { type: 'string', maxLength: 500 },
} as const;

const tripServer = (options: MidcallOptions) => () => {
  const server = new McpServer({ name: 'trips', version: '1.0.0' });
  midcall(options).tool(server, 'trips_book', {}, async (_, call) => {
    const answer = await call.elicit({ message: 'What shall be booked?', form: trip });
    if (answer.action !== 'accept') return text('Nothing was booked.');
    await call.step('book', () => answer.content.name, { effect: true });
    return text('Booked.');
  });
  return server;
};

// #region explore
import { explore } from '@midcall/testing';
import { expect, it } from 'vitest';

it('trips_book takes every answer', { timeout: 600_000 }, async () => {
  const report = await explore({ name: 'trips_book', server: tripServer }, {}, { budget: 30 });

  expect(report.findings, report.text).toEqual([]);
});
// #endregion
