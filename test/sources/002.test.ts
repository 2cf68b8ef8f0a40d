/** The payment server's rows of SYSTEMS.md (002-01 to 002-13), in both eras. */
import { readFileSync } from 'node:fs';
import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { form } from '@midcall/core/form';
import type { Call } from '@midcall/server';
import { eras, type Scripted } from '@midcall/testing';
import { describe, expect, it } from 'vitest';
import { samples } from '../../examples/payments/ledger.ts';
import { paymentsServer } from '../../examples/payments/server.ts';
import { accept, act, decline, dismiss, fails, questions, type Stage, type StageOptions, stage } from './stage.ts';

const payments = { serve: paymentsServer, samples };
const pay = { amount: 12.5, recipient: 'Ada Lovelace' };
const yes = accept({ account_id: 'ACC-00417730', confirmed: true });

interface Ledger {
  readonly accounts: readonly { readonly id: string; readonly balance_cents: number }[];
  readonly payments: readonly {
    readonly transaction_id: string;
    readonly account_id: string;
    readonly amount_cents: number;
  }[];
}
const ledgerOf = async (at: Stage) => JSON.parse(await at.file('ledger.json')) as Ledger;
const recordsOf = async (at: Stage) =>
  (JSON.parse(await at.file('records.json')) as { records: { id: string }[] }).records.map(each => each.id);

describe.each(eras)('%s', era => {
  const on = (answers: readonly Scripted[] = [], more: Partial<StageOptions> = {}) =>
    stage(payments, { era, answers, ...more });

  it('002-01: what only the person knows is asked, and nothing is put into their mouth', async () => {
    const ask = async (call: Call) => {
      const account = await call.elicit({ message: 'Which account?', form: ['ACC-1', 'ACC-2'] });
      const range = await call.elicit({
        message: 'Which days shall the report cover?',
        form: { from: { type: 'string', format: 'date' }, to: { type: 'string', format: 'date' } },
      });
      const sure = await call.elicit({ message: 'Delete 200 records?', form: Boolean });
      return [account, range, sure].map(each => (each.action === 'accept' ? JSON.stringify(each.content) : '')).join();
    };
    const answers = [
      accept({ value: 'ACC-2' }),
      accept({ from: '2026-01-01', to: '2026-01-31' }),
      accept({ value: false }),
    ];
    const { text, asked } = await act({ era, answers }, ask);
    expect(text).toBe('"ACC-2",{"from":"2026-01-01","to":"2026-01-31"},false');
    for (const { params } of asked) expect(JSON.stringify(params)).not.toContain('"default"');
  });

  it('002-02, elicit-14, elicit-15: one call has one question and one answer, and the server goes on', async () => {
    await using at = await on([yes]);
    await at.call('process_payment', pay);
    const sent = at.pair.frames.filter(frame => frame.message['method'] === 'tools/call');
    expect(sent).toHaveLength(era === '2025-11-25' ? 1 : 2);
    const pushed = at.pair.frames.filter(frame => frame.message['method'] === 'elicitation/create');
    expect(pushed).toHaveLength(era === '2025-11-25' ? 1 : 0);
    expect(at.person.asked).toHaveLength(1);
  });

  it('002-03: a client that cannot be asked is not asked: the payment fails with a reason', async () => {
    await using at = await on([], { capabilities: {} });
    const { text, data } = await at.call('process_payment', pay);
    expect(text).toBe('Payment not made: this client cannot ask the user to confirm it.');
    expect(data).toEqual({ outcome: 'unavailable' });
    expect((await ledgerOf(at)).payments).toEqual([]);
    expect(at.person.asked).toEqual([]);
    // The other way out: the confirmation as an argument.
    expect((await at.call('delete_record', { id: 'REC-1', confirm: true })).text).toBe('Deleted REC-1');
  });

  it('002-04, elicit-11: an empty elicitation object is form mode, and no URL mode', async () => {
    await act({ era, capabilities: { elicitation: {} } }, async call => {
      expect([call.can.form, call.can.url]).toEqual([true, false]);
      return '';
    });
  });

  it.each([
    ['nothing at all', dismiss, 'cancel'],
    ['values', yes, 'accept'],
    ['an explicit no', decline, 'decline'],
  ])('002-05: a dialog that gives %s', async (_name, answer, action) => {
    let read: readonly string[] = [];
    const dialog: Scripted = asked => {
      read = Object.keys(asked.params).filter(key => key === 'message' || key === 'requestedSchema');
      return answer;
    };
    await using at = await on([dialog]);
    await at.call('process_payment', pay);
    expect(read.toSorted()).toEqual(['message', 'requestedSchema']);
    const answered = JSON.stringify(at.pair.frames.filter(frame => frame.from === 'client'));
    expect(answered).toContain(`"action":"${action}"`);
  });

  describe('002-06: process_payment', () => {
    it('002-06: process_payment asks with the exact words; the account is one the ledger knows', async () => {
      await using at = await on([decline]);
      await at.call('process_payment', { amount: 12.5, recipient: 'Ada' });
      const [{ message, schema }] = questions(at) as [{ message: string; schema: Record<string, unknown> }];
      expect(message).toBe('You are about to send $12.50 to Ada. Please confirm the payment account:');
      expect(schema['required']).toEqual(['account_id', 'confirmed']);
      expect(schema['properties']).toEqual({
        account_id: {
          type: 'string',
          description: 'Your account ID to debit (format: ACC-XXXXXXXX)',
          oneOf: [
            { const: 'ACC-00417729', title: 'Everyday (ACC-00417729)' },
            { const: 'ACC-00417730', title: 'Travel (ACC-00417730)' },
            { const: 'ACC-00982211', title: 'Savings (ACC-00982211)' },
          ],
        },
        confirmed: { type: 'boolean', description: 'Confirm you want to proceed with this payment' },
      });
      const { tools } = await at.pair.client.listTools();
      const tool = tools.find(each => each.name === 'process_payment')!;
      expect(tool.description).toBe('Processes a payment transaction with user confirmation');
      expect(tool.inputSchema.properties).toMatchObject({
        amount: { type: 'number', description: 'Amount in USD' },
        recipient: { type: 'string', description: 'Recipient name or email' },
      });
    });

    it('002-06, elicit-25: a confirmed payment is made once, from the account the person picked', async () => {
      await using at = await on([yes]);
      const { text, data } = await at.call('process_payment', pay);
      const ledger = await ledgerOf(at);
      expect(ledger.payments).toMatchObject([
        { account_id: 'ACC-00417730', amount_cents: 1250, recipient: 'Ada Lovelace' },
      ]);
      expect(text).toBe(`Payment ${ledger.payments[0]!.transaction_id} processed successfully.`);
      expect(data).toEqual({ outcome: 'paid', transaction_id: ledger.payments[0]!.transaction_id });
      expect(ledger.accounts.map(each => each.balance_cents)).toEqual([184_250, 60_750, 1_250_000]);
    });

    it.each([
      ['cancel', dismiss, 'Payment cancelled by user.', 'cancelled'],
      ['decline', decline, 'Payment declined - user did not confirm.', 'declined'],
      [
        'not confirmed',
        accept({ account_id: 'ACC-00417730', confirmed: false }),
        'Payment declined - user did not confirm.',
        'declined',
      ],
    ])('002-06, elicit-26, elicit-27: nothing is paid where the answer is %s', async (_name, answer, text, outcome) => {
      await using at = await on([answer]);
      const before = await at.file('ledger.json');
      expect(await at.call('process_payment', pay)).toEqual({ text, isError: false, data: { outcome } });
      expect(await at.file('ledger.json')).toBe(before);
    });

    it('002-06, elicit-39: nothing is paid where nobody answers in time, or the dialog fails, in words of its own', async () => {
      await using at = await on([() => (era === '2025-11-25' ? 'never' : late()), fails]);
      const late = () => {
        at.clock.advance(120_001);
        return yes;
      };
      const before = await at.file('ledger.json');
      const waiting = at.call('process_payment', pay);
      if (era === '2025-11-25') {
        await at.person.whenAsked(1);
        at.clock.advance(120_000);
      }
      expect((await waiting).text).toBe('Payment not made: nobody confirmed it in time.');
      const failed =
        era === '2025-11-25'
          ? await at.call('process_payment', pay)
          : await at.callAnswering('process_payment', pay, { action: 'perhaps' });
      expect(failed.text).toBe('Payment not made: the question did not reach the user.');
      expect(await at.file('ledger.json')).toBe(before);
    });

    it('002-06: an account the ledger does not know is asked again, then nothing is paid', async () => {
      const other = accept({ account_id: 'ACC-99999999', confirmed: true });
      await using at = await on([other, other, other]);
      const { text } = await at.call('process_payment', pay);
      expect(text).toBe('Payment not made: the answers that came back did not fit the question.');
      expect(at.person.asked).toHaveLength(3);
      expect((await ledgerOf(at)).payments).toEqual([]);
    });

    it.each([0, -1, 12.345, 0.001, 1e12, Number.NaN, '12'])(
      '002-06: an amount of %s is refused before anyone is asked',
      async amount => {
        await using at = await on();
        const { isError } = await at.call('process_payment', { amount, recipient: 'Ada' });
        expect(isError).toBe(true);
        expect(at.person.asked).toEqual([]);
      },
    );

    it.each([
      ['no letter', ''],
      ['spaces', '  '],
      ['201 letters', 'x'.repeat(201)],
      ['two lines', 'Ada\nLovelace'],
      ['reversed text', 'Ada\u202eecalevoL'],
    ])('002-06: a recipient of %s is refused before anyone is asked', async (_, recipient) => {
      await using at = await on();
      expect((await at.call('process_payment', { amount: 1, recipient })).isError).toBe(true);
      expect(at.person.asked).toEqual([]);
    });

    it('002-06: more than the account holds is refused, and the ledger stays as it was', async () => {
      await using at = await on([yes]);
      const before = await at.file('ledger.json');
      const { text, isError } = await at.call('process_payment', { amount: 620.01, recipient: 'Ada' });
      expect([text, isError]).toEqual(['ACC-00417730 does not hold enough. Nothing was paid.', true]);
      expect(await at.file('ledger.json')).toBe(before);
    });

    it('002-06: a ledger that is locked, damaged or gone is said, and nothing is written', async () => {
      await using at = await on([yes, yes, yes]);
      const path = join(at.directory, 'ledger.json');
      const good = await readFile(path, 'utf8');
      await (await open(`${path}.lock`, 'wx')).close();
      const locked = await at.call('process_payment', pay);
      expect([locked.text.split(':')[0], locked.isError]).toEqual(['ledger.json is locked', true]);
      expect(await readFile(path, 'utf8')).toBe(good);
      for (const bad of ['', good.slice(0, 100), '{"accounts":[]}', good.replace('184250', '"much"'), '[]']) {
        await writeFile(path, bad);
        const { text, isError } = await at.call('process_payment', pay);
        expect([text.split(',')[0], isError]).toEqual(['ledger.json is damaged', true]);
        expect(await readFile(path, 'utf8')).toBe(bad);
      }
      await writeFile(path, good);
      expect((await readdir(at.directory)).filter(name => name.startsWith('.'))).toEqual([]);
    });

    it('002-06: payments at the same time all arrive, each once', async () => {
      await using at = await on(Array(8).fill(yes));
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, n) => at.call('process_payment', { amount: 1 + n, recipient: `Number ${n}` })),
      );
      expect(results.map(each => each.data['outcome'])).toEqual(Array(8).fill('paid'));
      const { payments, accounts } = await ledgerOf(at);
      expect(payments.map(each => each.amount_cents).toSorted((a, b) => a - b)).toEqual(
        [1, 2, 3, 4, 5, 6, 7, 8].map(dollars => dollars * 100),
      );
      expect(accounts[1]!.balance_cents).toBe(62_000 - 3_600);
    });
  });

  it.each([
    ['all of it', { name: 'Ada', age: 36, agree_to_terms: true, plan: 'pro' }, true],
    ['without age and plan', { name: 'Ada', agree_to_terms: true }, true],
    ['without the name', { agree_to_terms: true }, false],
    ['a plan there is not', { name: 'Ada', agree_to_terms: true, plan: 'gold' }, false],
  ])('002-07, elicit-form-24: the sample form judges %s', async (_name, content, fits) => {
    const sample = form({
      type: 'object',
      properties: {
        name: { type: 'string' },
        age: { type: 'number' },
        agree_to_terms: { type: 'boolean' },
        plan: { type: 'string', enum: ['basic', 'pro', 'enterprise'] },
      },
      required: ['name', 'agree_to_terms'],
    });
    expect((await sample.check(content)).ok).toBe(fits);
  });

  it('002-08, 000-09, elicit-form-08: a nested form is refused before anything is sent', async () => {
    const nested = {
      type: 'object',
      properties: { address: { type: 'object', properties: { city: { type: 'string' } } } },
    };
    const { text, asked } = await act(
      { era },
      async call => (await call.elicit({ message: 'Where?', form: nested as never })).action,
    );
    expect(text).toContain('address');
    expect(asked).toEqual([]);
  });

  it.each([
    ['decline', decline],
    ['cancel', dismiss],
    ['decline with content', { ...decline, content: { value: true } }],
  ])('002-09: content is read only after accept: %s', async (_name, answer) => {
    const { text } = await act({ era, answers: [answer] }, async call => {
      const answer = await call.elicit({ message: 'Go on?', form: Boolean });
      if (answer.action !== 'accept') return 'Action cancelled.';
      return `went on: ${answer.content}`;
    });
    expect(text).toBe('Action cancelled.');
  });

  it('002-10: no tool asks for what its arguments could hold', async () => {
    await using at = await on([decline]);
    await at.call('process_payment', pay);
    await at.call('delete_record', { id: 'REC-1', confirm: false });
    const { tools } = await at.pair.client.listTools();
    const inputs = tools.flatMap(tool => Object.keys(tool.inputSchema.properties ?? {}));
    const asked = questions(at).flatMap(({ schema }) => Object.keys((schema as { properties: object }).properties));
    expect(asked.filter(name => inputs.includes(name))).toEqual([]);
  });

  it('002-11: delete_record is confirmed by an argument', async () => {
    await using at = await on();
    const { tools } = await at.pair.client.listTools();
    const tool = tools.find(each => each.name === 'delete_record')!;
    expect(tool.annotations).toMatchObject({ destructiveHint: true });
    expect(tool.description).toBe('Permanently deletes a record');
    expect(tool.inputSchema.properties!['confirm']).toMatchObject({
      type: 'boolean',
      description: 'Set true to confirm permanent deletion',
    });
    expect(await at.call('delete_record', { id: 'REC-2', confirm: false })).toMatchObject({
      text: 'Set confirm=true to proceed.',
      isError: true,
    });
    expect(await recordsOf(at)).toEqual(['REC-1', 'REC-2', 'REC-3']);
    expect(await at.call('delete_record', { id: 'REC-2', confirm: true })).toMatchObject({
      text: 'Deleted REC-2',
      isError: false,
    });
    expect(await recordsOf(at)).toEqual(['REC-1', 'REC-3']);
    expect(await at.call('delete_record', { id: 'REC-2', confirm: true })).toMatchObject({
      text: "There is no record 'REC-2'. Nothing was deleted.",
      isError: true,
    });
    expect(at.person.asked).toEqual([]);
  });

  it('002-13: what the person answers reaches the server, and neither arguments nor result of the call', async () => {
    await using at = await on([yes]);
    const result = await at.call('process_payment', pay);
    expect(JSON.stringify(result)).not.toContain('ACC-00417730');
    const calls = at.pair.frames.filter(frame => frame.message['method'] === 'tools/call');
    for (const { message } of calls) {
      expect(JSON.stringify((message['params'] as { arguments: object }).arguments)).toBe(JSON.stringify(pay));
    }
  });
});

it('002-06, 002-11: a ledger pays an attempt that is made again once', async () => {
  const { ledgerIn } = await import('../../examples/payments/ledger.ts');
  await using at = await stage(payments, { era: '2025-11-25' });
  const ledger = ledgerIn(at.directory);
  const attempt = { key: 'the same', accountId: 'ACC-00417729', recipient: 'Ada', cents: 100 };
  const first = await ledger.pay(attempt);
  expect(await ledger.pay(attempt)).toBe(first);
  expect((await ledgerOf(at)).payments).toHaveLength(1);
  await expect(ledger.pay({ ...attempt, key: 'new', accountId: 'ACC-00000000' })).rejects.toThrow(
    'There is no account',
  );
});

it('002-12: the README has the checklist, and every line names a row that a test shows', () => {
  const readme = readFileSync(new URL('../../examples/payments/README.md', import.meta.url), 'utf8');
  const own = readFileSync(new URL('002.test.ts', import.meta.url), 'utf8');
  const lines = readme.slice(readme.indexOf('## Checklist')).match(/^\| .*`002-\d\d`.*$/gm) ?? [];
  expect(lines).toHaveLength(4);
  for (const id of lines.flatMap(line => line.match(/002-\d\d/g) ?? [])) expect(own).toContain(`'${id}`);
});
