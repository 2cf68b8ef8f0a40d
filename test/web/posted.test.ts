/** What a page of the desk posts. */
import { expect, it, vi } from 'vitest';
import { enter } from './client.ts';
import { pickOne, stage } from './stage.ts';

it('what a page posts is parsed once, by whoever checks its token', async () => {
  await using on = await stage();
  const visitor = await enter(on.desk);
  const question = pickOne('k1');
  const ending = on.inbox.ask(question);
  const bodies: string[] = [];
  class Counted extends URLSearchParams {
    constructor(init?: ConstructorParameters<typeof URLSearchParams>[0]) {
      super(init);
      if (typeof init === 'string' && init.includes('csrf=')) bodies.push(init);
    }
  }
  vi.stubGlobal('URLSearchParams', Counted);
  try {
    await visitor.post(`/questions/${question.id}`, { action: 'decline' });
  } finally {
    vi.unstubAllGlobals();
  }
  expect(await ending).toMatchObject({ how: 'declined' });
  expect(bodies).toHaveLength(1);
  expect(on.errors).toEqual([]);
});

it('more than a page may send is refused, and said to be too large', async () => {
  await using on = await stage();
  const visitor = await enter(on.desk);
  const question = pickOne('k2');
  void on.inbox.ask(question);
  const page = await visitor.post(`/questions/${question.id}`, { action: 'accept', f0: 'x'.repeat(16 * 1024 * 1024) });
  expect([page.status, on.errors]).toEqual([413, []]);
  expect(page.text).toContain('This is too large, so nothing was done.');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(on.inbox.get(question.id)).toBeDefined();
});
