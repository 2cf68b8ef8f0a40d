/** A host's store in one file. */
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@midcall/core/time';
import { storeFile } from '@midcall/host';
import { storeContract } from '@midcall/testing';
import { expect, it } from 'vitest';

const path = () => join(mkdtempSync(join(tmpdir(), 'midcall-store-')), 'below', 'store.json');

storeContract({
  test: it,
  open() {
    const file = path();
    let now = 1_800_000_000_000;
    const clock = { ...systemClock, now: () => now };
    return {
      store: storeFile(file, { clock }),
      second: storeFile(file, { clock }),
      advance(ms) {
        now += ms;
      },
    };
  },
});

it('the store is a file of its owner’s alone, and refuses one that holds something else', async () => {
  const file = path();
  await storeFile(file).set('a', '1');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const other of [
    '',
    '{}',
    '{"entries":[["a"]]}',
    '{"entries":[["a",{"value":1}]]}',
    '{"entries":[],"sorted":[["s",[["m","1"]]]]}',
  ]) {
    writeFileSync(file, other);
    await expect(storeFile(file).get('a')).rejects.toMatchObject({ code: 'cli/usage' });
    await expect(storeFile(file).set('b', '2')).rejects.toThrow(/does not hold a store/);
    expect(readFileSync(file, 'utf8')).toBe(other);
  }
});
