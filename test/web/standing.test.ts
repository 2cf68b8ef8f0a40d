/** Decisions for good, made and taken back at the desk. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decisionsFile, Policy } from '@midcall/host';
import { expect, it } from 'vitest';
import { enter } from './client.ts';
import { pickOne, stage } from './stage.ts';

it('a server muted for good is so in another session, too, until that is revoked', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'midcall-decisions-')), 'decisions.json');
  const storedDecisions = decisionsFile(path);
  await using on = await stage({ storedDecisions });
  const visitor = await enter(on.desk);
  const question = pickOne('k1');
  const ending = on.inbox.ask(question);
  const page = (await visitor.get('/calls/k1')).text;
  expect(page).toContain('<option value="always">I revoke it</option>');
  await visitor.post(`/questions/${question.id}`, { action: 'mute', 'mute-for': 'always' });
  expect(await ending).toMatchObject({ how: 'refused-by-policy' });

  const later = new Policy({ decisions: await storedDecisions.read() });
  expect(later.judge('other-name', 'form', 0, question.asker.origin)).toMatchObject({ do: 'refuse' });
  expect((await visitor.get('/policy')).text).toContain('I revoke it</td>');
  await visitor.post('/policy/revoke', { id: on.policy.decisions()[0]!.id });
  expect(await storedDecisions.read()).toEqual([]);
});

it('a decision of the policy page is kept, gives way to one for the session, and allows nothing for good', async () => {
  const storedDecisions = decisionsFile(join(mkdtempSync(join(tmpdir(), 'midcall-decisions-')), 'decisions.json'));
  await using on = await stage({ storedDecisions });
  const visitor = await enter(on.desk);
  const decision = { server: '*', subject: 'sampling', effect: 'refuse', for: 'always' };
  await visitor.post('/policy', decision);
  expect(await storedDecisions.read()).toMatchObject([{ server: '*', subject: 'sampling', scope: 'always' }]);
  await visitor.post('/policy', { ...decision, for: '900000' });
  expect(await storedDecisions.read()).toEqual([]);
  const allowed = await visitor.post('/policy', { ...decision, effect: 'allow' });
  expect(allowed.status).toBe(422);
  expect(allowed.text).toContain('ends with the session at the latest');
  expect(on.policy.decisions()).toHaveLength(1);
});

it('a decision that holds but could not be kept is said to be so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-decisions-'));
  writeFileSync(join(folder, 'file'), '');
  await using on = await stage({ storedDecisions: decisionsFile(join(folder, 'file', 'decisions.json')) });
  const visitor = await enter(on.desk);
  const made = await visitor.post('/policy', { server: '*', subject: 'url', effect: 'refuse', for: 'always' });
  expect(made.status).toBe(422);
  expect(made.text).toContain('will not apply in the next session');
  expect(on.policy.judge('any', 'url', 0)).toMatchObject({ do: 'refuse' });
});

it('nothing is offered for good where no decisions are kept', async () => {
  await using on = await stage();
  const visitor = await enter(on.desk);
  expect((await visitor.get('/policy')).text).not.toContain('value="always"');
  const made = await visitor.post('/policy', { server: '*', subject: 'url', effect: 'refuse', for: 'always' });
  expect(made.status).toBe(422);
  expect(on.policy.decisions()).toEqual([]);
});
