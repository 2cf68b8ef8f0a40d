/** How many messages one salt seals; see the head of packages/server/src/state/seal.ts. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { keyRing } from '../../../packages/server/src/state/keys.ts';
import { createSealer } from '../../../packages/server/src/state/seal.ts';

it('seal-E4: a sealer draws another salt after 2^20 messages', () => {
  const sealer = createSealer(keyRing(randomBytes(32)));
  const saltOf = (text: string) => Buffer.from(text.slice(3), 'base64url').toString('hex', 6, 18);
  const first = saltOf(sealer.seal(0, 'soak'));
  let last = first;
  for (let sealed = 1; sealed < 2 ** 20; sealed++) last = saltOf(sealer.seal(0, 'soak'));
  expect(last).toBe(first);
  expect(saltOf(sealer.seal(0, 'soak'))).not.toBe(first);
});
