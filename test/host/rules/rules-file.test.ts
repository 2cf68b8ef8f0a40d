import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentTools, commandTarget, Inbox, proposeRules, Rules, rulesFile } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { withRules } from '../../../examples/docs/rules-host.ts';
import { askingServer } from '../person.ts';

const path = (): string => join(mkdtempSync(join(tmpdir(), 'midcall-rules-')), 'rules.json');
const call = { server: 'notes', tool: 'delete', arguments: {}, annotations: {} };
const rule = (effect: string) => JSON.stringify([{ server: 'notes', tools: '*', effect }]);

it('rules-F1: a changed file is read again, and one that is wrong or gone changes nothing and is told of once', () => {
  const at = path();
  writeFileSync(at, rule('refuse'));
  const told: string[] = [];
  const rules = new Rules({ rules: rulesFile(at, { onError: error => told.push((error as Error).message) }) });
  expect(rules.judge(call).effect).toBe('refuse');
  writeFileSync(at, rule('ask'));
  expect(rules.judge(call).effect).toBe('ask');
  for (const wrong of ['', '[{}]', '{"rules":[]}']) {
    writeFileSync(at, wrong);
    expect(rules.judge(call).effect).toBe('ask');
    expect(rules.judge(call).effect).toBe('ask');
  }
  rmSync(at);
  expect(rules.judge(call).effect).toBe('ask');
  expect(told).toHaveLength(4);
  for (const each of told) expect(each).toMatch(/^RULES NOT CHANGED\. .*The rules read before still apply\.$/);
  writeFileSync(at, rule('allow'));
  expect(rules.judge(call).effect).toBe('allow');
});

it('a file that is wrong or missing at the start is an error, but for one that may be missing', () => {
  const at = path();
  expect(() => new Rules({ rules: rulesFile(at) })).toThrow(
    `The rules in ${at} cannot be read: there is no such file.`,
  );
  expect(new Rules({ rules: rulesFile(at, { optional: true }) }).judge(call).effect).toBe('allow');
  writeFileSync(at, '[{ "server": "notes" }]');
  expect(() => new Rules({ rules: rulesFile(at, { optional: true }) })).toThrow(
    /cannot be used\. Rule 1 has no "tools"/,
  );
});

it('proposed rules allow what is called read-only by its name, and ask about the rest', () => {
  const tools = [
    { name: 'list', annotations: { readOnlyHint: true } },
    { name: 'delete', annotations: { destructiveHint: true } },
    { name: 'any*', annotations: { readOnlyHint: true } },
    { name: 'plain' },
  ];
  const rules = proposeRules('notes', tools);
  expect(rules).toEqual([
    { server: 'notes', tools: ['list'], effect: 'allow' },
    { server: 'notes', tools: '*', effect: 'ask' },
  ]);
  expect(new Rules({ rules }).judge({ ...call, tool: 'list' }).effect).toBe('allow');
  expect(proposeRules('notes', [{ name: 'plain' }])).toEqual([{ server: 'notes', tools: '*', effect: 'ask' }]);
});

describe('the rules of the documentation', () => {
  const rules = new Rules({
    rules: rulesFile(fileURLToPath(new URL('../../../examples/docs/rules.json', import.meta.url))),
  });
  const comment = { owner: 'ada', repo: 'engine', issue_number: 7, body: 'Done.' };
  it.each([
    ['get_me', {}, { readOnlyHint: true }, 'allow'],
    ['get_me', {}, {}, 'ask'],
    ['delete_repository', {}, {}, 'refuse'],
    ['add_issue_comment', comment, {}, 'allow'],
    ['add_issue_comment', { ...comment, owner: 'eve' }, {}, 'ask'],
    ['add_issue_comment', { ...comment, cc: 'eve' }, {}, 'ask'],
    ['merge_pull_request', { pullNumber: 3 }, {}, 'ask'],
    ['create_repository', {}, {}, 'ask'],
  ])('the rules of the documentation decide about %s with %j and %j: %s', (tool, args, annotations, effect) => {
    expect(rules.judge({ server: 'github', tool, arguments: args, annotations }).effect).toBe(effect);
  });

  it('a connection with a file of rules makes no call that the file refuses', async () => {
    const at = path();
    writeFileSync(at, '[{ "server": "asking", "tools": "*", "effect": "refuse" }]');
    const target = commandTarget([process.execPath, askingServer]);
    const options = { client: { name: 'test', version: '1.0.0' }, inbox: new Inbox() };
    const connection = withRules({ id: 'asking', target }, at, options);
    await connection.start();
    const outcome = await connection.run({ kind: 'tool', name: 'form' }).outcome;
    expect(outcome).toMatchObject({
      how: 'tool-error',
      result: { content: [{ text: expect.stringMatching(/^Not done/) }] },
    });
    const [tool] = (await agentTools(connection)).filter(({ name }) => name === 'form');
    expect((await tool!.call({}, { id: 'call-1' })).text).toMatch(/^Not done/);
    await connection.stop();
  });
});
