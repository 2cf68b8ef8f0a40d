/** The page that leads to an address the person agreed to open. */
import { expect, it } from 'vitest';
import { openingPage } from '../../packages/host/src/web/pages/layout.ts';

const assets = {
  icon: '/i',
  waiting: '/w',
  style: '/s',
  script: '/j',
  usedLinkScript: '/a',
  worker: '/k',
  manifest: '/m',
};

it.each([
  ['http:evil.example/steal', 'http://evil.example/steal'],
  ['https:\\evil.example\\a', 'https://evil.example/a'],
  ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
])('the page leads to what was judged, however it was written: %s', (sent, judged) => {
  const page = openingPage(sent, assets);
  expect(page).toContain(`url=${judged}"`);
  expect(page).toContain(`<a href="${judged}"`);
  if (sent !== judged) expect(page).not.toContain(sent);
});
