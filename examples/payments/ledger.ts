/** The ledger on disk: accounts, what was paid from them, and records. Money is whole cents. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { dataFile } from '../data-file.ts';

const contents = z.strictObject({
  accounts: z.array(
    z.strictObject({
      id: z.string().regex(/^ACC-[0-9A-Z]{8}$/),
      name: z.string(),
      balance_cents: z.int().nonnegative(),
    }),
  ),
  payments: z.array(
    z.strictObject({
      transaction_id: z.string(),
      /** The same for every attempt at one payment: what has it twice was paid once. */
      key: z.string(),
      account_id: z.string(),
      recipient: z.string(),
      amount_cents: z.int().positive(),
    }),
  ),
});
const records = z.strictObject({ records: z.array(z.strictObject({ id: z.string(), title: z.string() })) });

export interface Payment {
  readonly key: string;
  readonly accountId: string;
  readonly recipient: string;
  readonly cents: number;
}

/** The ledger of a directory, in `ledger.json` and `records.json`. */
export function ledgerIn(directory: string) {
  const ledger = dataFile(join(directory, 'ledger.json'), contents);
  const kept = dataFile(join(directory, 'records.json'), records);
  return {
    accounts: async () => (await ledger.read()).accounts,
    // #region pay
    /** @returns the transaction; of an attempt that was made before, the one it made then */
    pay: ({ key, accountId, recipient, cents }: Payment) =>
      ledger.change(({ accounts, payments }) => {
        const earlier = payments.find(each => each.key === key);
        if (earlier) return earlier.transaction_id;
        const account = accounts.find(each => each.id === accountId);
        if (!account) throw new Error(`There is no account ${accountId}. Nothing was paid.`);
        if (account.balance_cents < cents) throw new Error(`${accountId} does not hold enough. Nothing was paid.`);
        account.balance_cents -= cents;
        const transaction_id = `TX-${randomBytes(4).toString('hex').toUpperCase()}`;
        payments.push({ transaction_id, key, account_id: accountId, recipient, amount_cents: cents });
        return transaction_id;
      }),
    // #endregion
    deleteRecord: (id: string) =>
      kept.change(data => {
        const left = data.records.filter(each => each.id !== id);
        if (left.length === data.records.length) throw new Error(`There is no record '${id}'. Nothing was deleted.`);
        data.records = left;
      }),
  };
}

export const samples = {
  'ledger.json': {
    accounts: [
      { id: 'ACC-00417729', name: 'Everyday', balance_cents: 184_250 },
      { id: 'ACC-00417730', name: 'Travel', balance_cents: 62_000 },
      { id: 'ACC-00982211', name: 'Savings', balance_cents: 1_250_000 },
    ],
    payments: [],
  },
  'records.json': {
    records: [
      { id: 'REC-1', title: 'Invoice 2024-017' },
      { id: 'REC-2', title: 'Invoice 2024-018' },
      { id: 'REC-3', title: 'Reminder 2024-004' },
    ],
  },
};
