/** Decisions for good, made and taken back at the desk. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Policy, rulesFile } from '@midcall/host';
import { expect, it } from 'vitest';
import { enter } from './client.ts';
import { pickOne, stage } from './stage.ts';

it('mutes for good: in another session, too, until it is revoked', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'midcall-rules-')), 'rules.json');
  const storedRules = rulesFile(path);
  await using on = await stage({ storedRules });
  const visitor = await enter(on.desk);
  const question = pickOne('k1');
  const ending = on.inbox.ask(question);
  const page = (await visitor.get('/calls/k1')).text;
  expect(page).toContain('<option value="always">I revoke it</option>');
  await visitor.post(`/questions/${question.id}`, { action: 'mute', 'mute-for': 'always' });
  expect(await ending).toMatchObject({ how: 'refused-by-policy' });

  const later = new Policy({ rules: await storedRules.read() });
  expect(later.judge('other-name', 'form', 0, question.asker.origin)).toMatchObject({ do: 'refuse' });
  expect((await visitor.get('/policy')).text).toContain('I revoke it</td>');
  await visitor.post('/policy/revoke', { id: on.policy.rules()[0]!.id });
  expect(await storedRules.read()).toEqual([]);
});

it('keeps a rule of the policy page, lets one for the session take its place, and allows nothing for good', async () => {
  const storedRules = rulesFile(join(mkdtempSync(join(tmpdir(), 'midcall-rules-')), 'rules.json'));
  await using on = await stage({ storedRules });
  const visitor = await enter(on.desk);
  const rule = { server: '*', subject: 'sampling', effect: 'refuse', for: 'always' };
  await visitor.post('/policy', rule);
  expect(await storedRules.read()).toMatchObject([{ server: '*', subject: 'sampling', scope: 'always' }]);
  await visitor.post('/policy', { ...rule, for: '900000' });
  expect(await storedRules.read()).toEqual([]);
  const allowed = await visitor.post('/policy', { ...rule, effect: 'allow' });
  expect(allowed.status).toBe(422);
  expect(allowed.text).toContain('ends with the session at the latest');
  expect(on.policy.rules()).toHaveLength(1);
});

it('says so where a rule holds but could not be kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-rules-'));
  writeFileSync(join(folder, 'file'), '');
  await using on = await stage({ storedRules: rulesFile(join(folder, 'file', 'rules.json')) });
  const visitor = await enter(on.desk);
  const made = await visitor.post('/policy', { server: '*', subject: 'url', effect: 'refuse', for: 'always' });
  expect(made.status).toBe(422);
  expect(made.text).toContain('will not apply in the next session');
  expect(on.policy.judge('any', 'url', 0)).toMatchObject({ do: 'refuse' });
});

it('offers nothing for good where no rules are kept', async () => {
  await using on = await stage();
  const visitor = await enter(on.desk);
  expect((await visitor.get('/policy')).text).not.toContain('value="always"');
  const made = await visitor.post('/policy', { server: '*', subject: 'url', effect: 'refuse', for: 'always' });
  expect(made.status).toBe(422);
  expect(on.policy.rules()).toEqual([]);
});
