/**
 * The doctor: an MCP server that finds out what its host does with a server's questions. `doctor` asks, `doctor_timeout` waits,
 * `doctor_report` reports. Findings are kept per host for as long as the process lives, since a host that drops a question
 * drops the call too. The same for both protocol revisions.
 */
import { randomInt } from 'node:crypto';
import { systemClock } from '@midcall/core/time';
import { type AboutClient, type Midcall, type MidcallOptions, midcall } from '@midcall/server';
import { type Connect, type ConnectOptions, connect, reach } from '@midcall/server/connect';
import { type CallToolResult, McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ownVersion } from '../install/index.ts';
import { registerCallTimeout } from './call-timeout.ts';
import { Chart } from './chart.ts';
import { checkNames, outcomes, rowNames } from './checks.ts';
import { examine } from './examine.ts';
import { announcesRoots, inWords, type Report, reportOf, reportText } from './report.ts';

export interface DoctorOptions extends Pick<MidcallOptions, 'clock' | 'warn' | 'key' | 'suspectBelowMs'> {
  /** How many milliseconds the person has for each question; 120,000 if absent, and never more than 90,000 for the page. */
  readonly waitMs?: number;
  /** Called with the whole report after every finding; the call waits for it. */
  readonly onFound?: (reports: readonly Report[]) => Promise<void> | void;
  /** Where and how the page is served. */
  readonly pages?: Partial<ConnectOptions>;
  /** A random whole number below its argument. */
  readonly random?: (limit: number) => number;
}

const instructions =
  'Finds out what this host does with the questions of a server. Call doctor when the person asks for it, and call it again ' +
  'while its report says so, also after a call was cut off. Its questions are for the person: never answer them yourself. ' +
  'Show the report to the person as it is.';

const reportShape = z.object({
  host: z.object({ name: z.string(), version: z.string(), revision: z.string() }),
  declares: z.array(z.string()),
  hearsProgress: z.boolean().optional(),
  checks: z.array(
    z.object({
      check: z.enum(rowNames as [string, ...string[]]),
      title: z.string(),
      declared: z.boolean(),
      outcome: z.enum(outcomes),
      ms: z.number(),
      says: z.string(),
      advice: z.string().optional(),
    }),
  ),
  next: z.string().optional().describe('What to call next.'),
});

/** The tools touch nothing outside, so hosts need not ask before calling them. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false };

/** How many hosts are remembered; a new one replaces the oldest. */
const MAX_HOSTS = 50;

/**
 * Makes a doctor.
 * @returns `factory`: for `serveStdio`, `serveHttp` or any other way of serving
 */
export function doctorServer({
  waitMs = 120_000,
  onFound,
  pages: served,
  random = randomInt,
  ...options
}: DoctorOptions = {}): {
  readonly factory: McpServerFactory;
  readonly pages: Connect;
  /** For those who connect its servers themselves: whatever serves them stops it otherwise. */
  readonly stop: Midcall['stop'];
} {
  const pages = connect({ name: 'Midcall doctor', ...served });
  const { clock = systemClock } = options;
  const mid = midcall({
    ...options,
    channels: ['native'],
    pages,
    askTimeoutMs: waitMs,
    roots: { askWhereDeprecated: true },
    sampling: { askWhereDeprecated: true },
  });
  const charts = new Map<string, Chart>();
  const found = async (): Promise<void> => onFound?.([...charts.values()].map(reportOf));

  const chartOf = (client: AboutClient | undefined): Chart => {
    const { name = 'unknown', version = 'unknown', revision = 'unknown' } = client ?? {};
    const host = { name: short(name), version: short(version), revision };
    const key = JSON.stringify(host);
    const chart = charts.get(key) ?? new Chart(host, clock);
    if (!charts.has(key) && charts.size >= MAX_HOSTS) charts.delete(charts.keys().next().value!);
    charts.set(key, chart);
    chart.sees(client?.can, inWords(client?.capabilities), client?.hearsProgress);
    return chart;
  };

  const factory = (): McpServer => {
    const server = new McpServer(
      { name: 'midcall-doctor', title: 'Midcall doctor', version: ownVersion() },
      { instructions },
    );
    server.server.registerCapabilities({ tools: { listChanged: false } });
    mid.tool(
      server,
      'doctor',
      {
        title: 'Examine this host',
        description:
          'Puts a few short questions to the person, and reports what this host declares, what is proved, and what to do ' +
          'about it. Continues where an earlier call was cut off. The questions are for the person, not for you.',
        inputSchema: z.strictObject({
          checks: z
            .array(z.enum(checkNames))
            .optional()
            .describe(
              'Only these, even if they were tried before. If absent: all that were not, except sampling, which spends ' +
                "tokens of the person's model and is only tried if it is named.",
            ),
        }),
        outputSchema: reportShape,
        annotations,
      },
      async ({ checks }, call) => {
        const chart = chartOf(call.client);
        await examine(call, {
          chart,
          requested: checks?.length === 0 ? undefined : checks,
          waitMs,
          random,
          announcesRoots: announcesRoots(call.client?.capabilities),
          noPages: noPages(served),
          report: found,
        });
        return reported(chart);
      },
    );
    mid.tool(
      server,
      'doctor_report',
      {
        title: 'Report on this host',
        description: 'What is known of this host so far. Asks nothing.',
        inputSchema: z.strictObject({}),
        outputSchema: reportShape,
        annotations,
      },
      async (_, call) => {
        const chart = chartOf(call.client);
        await found();
        return reported(chart);
      },
    );
    registerCallTimeout(server, {
      chartOf: ctx => chartOf(mid.client(server, ctx)),
      clock,
      report: found,
      outputSchema: reportShape,
      reported,
    });
    return server;
  };
  return { factory, pages, stop: mid.stop };
}

function reported(chart: Chart): CallToolResult {
  const report = reportOf(chart);
  return {
    content: [{ type: 'text', text: reportText(report) }],
    structuredContent: report as unknown as Record<string, unknown>,
  };
}

/** Why nobody could open a page that is served from here. */
function noPages({ baseUrl, reach: configured }: Partial<ConnectOptions> = {}): string | undefined {
  const where = configured ?? reach({ environment: process.env, platform: process.platform, container: false });
  return baseUrl === undefined && where.kind === 'nobody'
    ? `The doctor has no page to offer: ${where.why}.`
    : undefined;
}

/** Foreign text, cut short. */
const short = (text: unknown): string => String(text).slice(0, 200);
