/** A lint report as text for a terminal, as JSON and as SARIF; foreign names and text in it are made visible. Pure. */
import { counted, documentation, visible } from '@midcall/core/text';
import type { LintReport } from './lint.ts';
import type { LintFinding } from './lint-finding.ts';
import { lintRuleIds, lintRules, type Severity } from './lint-rule.ts';

/** Options of the text. */
export interface LintTextOptions {
  /** True if the terminal shows colours. */
  readonly colour?: boolean;
}

const order: readonly Severity[] = ['error', 'warning', 'note'];
const colours: Readonly<Record<Severity, string>> = { error: '31', warning: '33', note: '36' };

/** @returns lines, without a line break at the end */
export function lintText(report: LintReport, { colour = false }: LintTextOptions = {}): readonly string[] {
  const paint = (code: string, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { server, eras, findings, select, tools, notCalled, calls, notes } = report;
  const asking = [...tools].filter(([, asks]) => asks > 0).map(([name]) => safeName(name));
  const lines = [
    `${safeName(server.name)} ${safeName(server.version)} on ${eras.join(' and ')}: ${counted(tools.size, 'tool')} called ${counted(calls, 'time')}, ${asking.length === 0 ? 'none asked anything' : `${asking.length} asked (${asking.join(', ')})`}.`,
  ];
  for (const tool of new Set(findings.map(each => each.tool))) {
    lines.push('', paint('1', safeName(tool)));
    for (const each of sorted(findings.filter(other => other.tool === tool)))
      lines.push(...block(each, eras.length, paint));
  }
  if (notes.length > 0) lines.push('', 'Not judged:', ...notes.map(note => `  - ${seen(note)}`));
  if (notCalled.length > 0)
    lines.push(
      '',
      select === 'named'
        ? `Not called, since --tool does not name them: ${few(notCalled)}.`
        : `Not called, since they do not declare readOnlyHint: ${few(notCalled)}.`,
      '  --tool <name> calls one, --all calls every one. The calls are real.',
    );
  lines.push('', summary(findings));
  return lines;
}

const seen = (text: string): string => visible(text, { lines: true, max: 4_000 });
const safeName = (name: string): string => visible(name, { max: 200 });

function block(each: LintFinding, eras: number, paint: (code: string, text: string) => string): readonly string[] {
  const sure = each.certainty === 'seen' ? '' : ` (${each.certainty})`;
  const only = each.eras.length < eras ? ` Only on ${each.eras.join(', ')}.` : '';
  return [
    `  ${paint(colours[each.severity], each.severity.padEnd(7))} ${each.rule}${sure}`,
    `          ${seen(each.message)}${only}`,
  ];
}

function sorted(findings: readonly LintFinding[]): readonly LintFinding[] {
  return [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

function summary(findings: readonly LintFinding[]): string {
  if (findings.length === 0) return 'Nothing found.';
  const counts = order.map(severity => [severity, findings.filter(each => each.severity === severity).length] as const);
  const parts = counts.filter(([, count]) => count > 0).map(([severity, count]) => counted(count, severity));
  return `${parts.join(', ')}. Each rule is explained at ${documentation('lint.md')}.`;
}

function few(names: readonly string[]): string {
  const listed = names.slice(0, 8).map(safeName).join(', ');
  return names.length > 8 ? `${listed} and ${names.length - 8} more` : listed;
}

/** A report as JSON that is stable across releases: rules by id, tools by name. */
export function lintJson(report: LintReport): Readonly<Record<string, unknown>> {
  const findings = report.findings.map(each => ({ ...each, title: lintRules[each.rule].title }));
  return { ...report, findings, tools: Object.fromEntries(report.tools) };
}

/**
 * A report as SARIF 2.1.0 (OASIS), for tools that collect findings. A running server has no source file to point at: locations are
 * logical, the server and its tool. What could not be judged is a notification of the run, not a result.
 * @param tool - our own version
 */
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
