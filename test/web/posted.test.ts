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
