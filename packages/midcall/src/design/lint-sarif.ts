/**
 * A lint report as SARIF 2.1.0 (OASIS), for tools that collect findings. A running server has no source file to point at:
 * locations are logical, the server and its tool. What could not be judged is a notification of the run, not a result. Pure.
 */
import { documentation } from '@midcall/core/text';
import type { LintReport } from './lint.ts';
import { lintRuleIds, lintRules } from './lint-rule.ts';

/** @param tool - our own version */
export function lintSarif(report: LintReport, tool: { readonly version: string }): Readonly<Record<string, unknown>> {
  const { server } = report;
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'midcall lint',
            version: tool.version,
            rules: lintRuleIds.map(id => ({
              id,
              shortDescription: { text: lintRules[id].title },
              help: { text: `${lintRules[id].title} Source: ${lintRules[id].source}.` },
              helpUri: documentation(`lint.md#${id}`),
              defaultConfiguration: { level: lintRules[id].severity },
            })),
          },
        },
        results: report.findings.map(each => ({
          ruleId: each.rule,
          ruleIndex: lintRuleIds.indexOf(each.rule),
          level: each.severity,
          message: { text: each.message },
          locations: [
            {
              logicalLocations: [
                {
                  name: each.field ?? each.tool,
                  fullyQualifiedName: [server.name, each.tool, ...(each.field === undefined ? [] : [each.field])].join(
                    '/',
                  ),
                  kind: each.field === undefined ? 'function' : 'parameter',
                },
              ],
            },
          ],
          properties: { certainty: each.certainty, eras: each.eras, play: each.play },
        })),
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: report.notes.map(text => ({ level: 'note', message: { text } })),
          },
        ],
        properties: { server, eras: report.eras },
      },
    ],
  };
}
