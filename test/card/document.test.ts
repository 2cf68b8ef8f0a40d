/** The card as one document: made from its sources, small, and without a way out. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { cardDocument } from '../../packages/server/src/questions/card/card-document.ts';
import { cardModule, makeCard } from '../../tools/card.ts';

it('the card is made from its sources: run `npm run card` if they have changed', async () => {
  expect(readFileSync(cardModule, 'utf8') === (await makeCard())).toBe(true);
});

it('the card has at most 40 KiB when it is compressed', () => {
  expect(gzipSync(cardDocument).length).toBeLessThanOrEqual(40 * 1024);
});

it('the card names no address that could be loaded, and allows none', () => {
  expect(cardDocument).toContain(`content="default-src 'none';`);
  // What is left are examples in texts of the desk, and names of XML.
  const addresses = [...cardDocument.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address);
  expect([...new Set(addresses)].filter(each => !/\/\/(?:example\.com|127\.0\.0\.1|www\.w3\.org)$/.test(each))).toEqual(
    [],
  );
  expect(cardDocument).not.toMatch(/\b(?:XMLHttpRequest|WebSocket|EventSource|sendBeacon|localStorage)\b/);
});
