/** What the linter writes: text, JSON, SARIF, and the page of its rules. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  lint,
  lintJson,
  lintRuleIds,
  lintRules,
  lintSarif,
  lintText,
} from '../../packages/midcall/src/design/index.ts';
import { handServer, idleClock } from './hand-server.ts';
import { cleanTool, ruleCases } from './rule-cases.ts';

const report = await lint(
  () =>
    handServer({
      wipe: ruleCases['decline-accepted'][0]!.broken,
      connect: ruleCases['url-carries-secret'][0]!.broken,
      tidy: cleanTool,
    }),
  { clock: idleClock, select: { which: 'all' } },
);

it('a report has a section for every rule, in order, with what the rule is', () => {
  const page = readFileSync(new URL('../../docs/lint.md', import.meta.url), 'utf8');
  const sections = page.split(/^## /m).slice(1);
  expect(sections.map(each => each.split('\n')[0])).toEqual(lintRuleIds);
  for (const [index, id] of lintRuleIds.entries()) {
    const { severity, title, source } = lintRules[id];
    expect(sections[index]).toContain(`*${severity}*. ${title}`);
    expect(sections[index]).toContain(`Source: ${source}.`);
    expect(sections[index]).toContain('**Instead:**');
    expect(page).toContain(`| [${id}](#${id}) | ${severity}: ${title} |`);
  }
});

it('a report is read from the top, as the README shows it: what was called, what is wrong by tool, what it comes to', async () => {
  await expect(`${lintText(report).join('\n')}\n`).toMatchFileSnapshot('../../examples/readme/lint.txt');
  expect(lintText(report, { colour: true }).join('\n')).toContain('\u001b[31merror  \u001b[0m');
});

it('a report shows what a server wrote, and obeys none of it', () => {
  const odd = 'a\u001B[2J\u009B31m\u202E';
  const findings = report.findings.map(each => ({ ...each, tool: odd, message: odd }));
  const tools = new Map([[odd, 1]]);
  const server = { name: odd, version: odd };
  const text = lintText({ ...report, server, findings, tools, notCalled: [odd], notes: [odd] }).join('\n');
  expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
  expect(text.split('a⟦U+001B⟧[2J⟦U+009B⟧31m⟦U+202E⟧').length - 1).toBeGreaterThan(5);
});

it('a report is plain JSON', () => {
  const json = JSON.parse(JSON.stringify(lintJson(report)));
  expect(json).toMatchObject({ server: { name: 'by-hand' }, tools: { wipe: 1, connect: 1, tidy: 1 } });
  expect(json.findings[0]).toMatchObject({ rule: 'decline-accepted', title: lintRules['decline-accepted'].title });
});

/** The members of SARIF 2.1.0 that are used here, each as its specification has it; any other is refused. */
const text = z.strictObject({ text: z.string().min(1) });
const level = z.enum(['none', 'note', 'warning', 'error']);
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          version: z.string(),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              shortDescription: text,
              help: text,
              helpUri: z.url(),
              defaultConfiguration: z.strictObject({ level }),
            }),
          ),
        }),
      }),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0),
          level,
          message: text,
          locations: z.array(
            z.strictObject({
              logicalLocations: z.array(
                z.strictObject({
                  name: z.string(),
                  fullyQualifiedName: z.string(),
                  kind: z.enum(['function', 'parameter']),
                }),
              ),
            }),
          ),
          properties: z.record(z.string(), z.unknown()),
        }),
      ),
      invocations: z.tuple([
        z.strictObject({
          executionSuccessful: z.literal(true),
          toolExecutionNotifications: z.array(z.strictObject({ level, message: text })),
        }),
      ]),
      properties: z.record(z.string(), z.unknown()),
    }),
  ),
});

it('a report is SARIF 2.1.0, whose results point at their rules', () => {
  const { runs } = sarif.parse(JSON.parse(JSON.stringify(lintSarif(report, { version: '1.0.0' }))));
  const { tool, results } = runs[0]!;
  expect(results.length).toBe(report.findings.length);
  for (const { ruleId, ruleIndex } of results)
    expect(tool.driver.rules[ruleIndex]).toMatchObject({
      id: ruleId,
      helpUri: `https://github.com/midcall/midcall/blob/main/docs/lint.md#${ruleId}`,
    });
  expect(results[0]?.locations[0]?.logicalLocations[0]?.fullyQualifiedName).toBe('by-hand/wipe');
});

it('a report says in each of them what could not be judged: an era, too, and never as a finding', async () => {
  const open = () => handServer({ tidy: cleanTool }, ['2025-11-25']);
  const narrow = await lint(open, { clock: idleClock, select: { which: 'all' } });
  const [note] = narrow.notes;
  expect(note).toContain('did not accept 2026-07-28');
  expect(lintText(narrow)).toEqual(expect.arrayContaining(['Not judged:', `  - ${note}`, 'Nothing found.']));
  expect(lintJson(narrow)).toMatchObject({ notes: [note], findings: [] });
  const { runs } = sarif.parse(JSON.parse(JSON.stringify(lintSarif(narrow, { version: '1.0.0' }))));
  expect(runs[0]).toMatchObject({
    results: [],
    invocations: [{ toolExecutionNotifications: [{ level: 'note', message: { text: note } }] }],
  });
});
