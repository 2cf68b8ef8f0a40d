/** Every form the servers of this repository ask, as it leaves: no secret in it, no address to click, and what the SDK reads. */
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readForm, secretIn } from '@midcall/core/form';
import { connectPair, type Era, eras, scriptedPerson } from '@midcall/testing';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samples as items } from '../../examples/canonical/items.ts';
import { canonicalServer } from '../../examples/canonical/server.ts';
import { fill } from '../../examples/data-file.ts';
import { samples as ledger } from '../../examples/payments/ledger.ts';
import { paymentsServer } from '../../examples/payments/server.ts';
import { tasksServer } from '../../examples/tasks/server.ts';
import { samples as tasks } from '../../examples/tasks/tasks.ts';
import { copySamples, notesServer } from '../../packages/midcall/src/notes/index.ts';

interface Form {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Record<string, Record<string, unknown>> };
}
type Calls = readonly (readonly [tool: string, args: Record<string, unknown>])[];

let top: string;
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'midcall-forms-')));
});
afterAll(() => rm(top, { recursive: true }));

async function asked(era: Era, factory: McpServerFactory, calls: Calls): Promise<Form[]> {
  const person = scriptedPerson([{ action: 'decline' }], { repeat: true });
  await using pair = await connectPair(factory, { era, person });
  for (const [name, args] of calls) await pair.client.callTool({ name, arguments: args });
  return person.asked.map(each => each.params as unknown as Form);
}

async function folder(samples: Readonly<Record<string, unknown>>): Promise<string> {
  const directory = await mkdtemp(join(top, 'data-'));
  await fill(directory, samples);
  return directory;
}

const quiet = { warn: () => {} };
const shipped: Record<string, { serve: () => Promise<McpServerFactory>; calls: Calls; forms: number }> = {
  notes: {
    serve: async () => {
      const root = await copySamples(await mkdtemp(join(top, 'notes-')));
      for (const name of ['A.md', 'B.md']) await writeFile(join(root, name), '# Twin\n');
      return notesServer({ directories: [root], ...quiet }).factory;
    },
    calls: [
      ['notes_delete', { title: 'TPS report' }],
      ['notes_archive', { title: 'TPS report' }],
      ['notes_archive', { title: 'Boiler service' }],
      ['notes_delete', { title: 'Twin', path: 'A.md' }],
      ['notes_delete', { title: 'Twin', path: 'B.md' }],
      ['notes_restore', { title: 'Twin' }],
    ],
    forms: 4,
  },
  tasks: {
    serve: async () => tasksServer(await folder(tasks), quiet).factory,
    calls: [
      ['session', { action: 'prime', ask_preferences: true }],
      ['task_workflow', { action: 'approve', confirm_via_elicitation: true }],
      ['task_workflow', { action: 'delete', task_ids: ['T-2'], confirm_via_elicitation: true }],
      ['demonstrate_elicit', {}],
    ],
    forms: 7,
  },
  payments: {
    serve: async () => paymentsServer(await folder(ledger), quiet).factory,
    calls: [['process_payment', { amount: 1, recipient: 'Ada' }]],
    forms: 1,
  },
  canonical: {
    serve: async () => canonicalServer(await folder(items), quiet).factory,
    calls: [
      ['delete_all', {}],
      ['delete_all_brief', {}],
      ['shorthands', {}],
    ],
    forms: 3,
  },
};

describe.each(eras)('%s', era => {
  it.each(Object.entries(shipped))(
    'elicit-form-01, elicit-form-28, elicit-form-31: the forms of %s ask for no secret and lead nowhere',
    async (_, { serve, calls, forms }) => {
      const seen = await asked(era, await serve(), calls);
      expect(seen.length).toBeGreaterThanOrEqual(forms);
      for (const { message, requestedSchema } of seen) {
        const read = readForm(requestedSchema);
        if (!read.ok) throw new Error(JSON.stringify(read.problems));
        for (const field of read.fields) expect(secretIn(field)).toBeUndefined();
        expect(JSON.stringify([message, requestedSchema])).not.toMatch(/\b(?:https?:|www\.)/i);
      }
    },
  );
});
