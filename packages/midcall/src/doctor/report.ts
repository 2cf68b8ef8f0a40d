/** A report: what is known about one host, as data and as text. Pure. */
import { visible } from '@midcall/core/text';
import { advise } from './advice.ts';
import type { Chart, HostName } from './chart.ts';
import { duration, type Outcome, type RowName, rows } from './checks.ts';

/** One line of a report. */
export interface ReportLine {
  readonly check: RowName;
  readonly title: string;
  /** True if the client declares what this needs, or nothing needs to be declared. */
  readonly declared: boolean;
  readonly outcome: Outcome;
  /** How many milliseconds it took; 0 if nothing was tried. */
  readonly ms: number;
  readonly says: string;
  /** What the author of a server should do about it. */
  readonly advice?: string;
}

/** What is known about one host. */
export interface Report {
  readonly host: HostName;
  /** In words, such as `forms` and `roots, announcing changes`. */
  readonly declares: readonly string[];
  /** Whether it asks for progress; absent if that is not known yet. */
  readonly hearsProgress?: boolean;
  readonly checks: readonly ReportLine[];
  /** What to call next; absent if everything was tried. */
  readonly next?: string;
}

export function reportOf(chart: Chart): Report {
  const checks = [...chart.findings()].map(([check, { outcome, ms, says }]): ReportLine => {
    const advice = advise(check, outcome);
    const { title } = rows[check];
    return { check, title, declared: chart.declares(check), outcome, ms, says, ...(advice && { advice }) };
  });
  const next = nextStep(chart, checks);
  const { host, declared, hearsProgress } = chart;
  return {
    host,
    declares: declared,
    ...(hearsProgress === undefined ? {} : { hearsProgress }),
    checks,
    ...(next && { next }),
  };
}

function nextStep(chart: Chart, checks: readonly ReportLine[]): string | undefined {
  const untried = (row: RowName) => checks.some(each => each.check === row && each.outcome === 'not-tried');
  const left = chart.left();
  if (left.length > 0) return `Call doctor again: it continues with ${left.join(', ')}.`;
  if (untried('timeout'))
    return 'Call doctor_timeout to find out how long a call may stay open; with progress: true, once more.';
  if (untried('timeout.progress')) return 'Call doctor_timeout with progress: true.';
  if (untried('sampling')) return 'If the person agrees to spend a few tokens, call doctor with checks: ["sampling"].';
  return undefined;
}

/** A report for people, as plain text. */
export function reportText({ host, declares, hearsProgress, checks, next }: Report): string {
  const progress = hearsProgress === undefined ? '' : `; it asks for ${hearsProgress ? '' : 'no '}progress`;
  const lines = merged(checks);
  const tried = lines.filter(line => line.says !== '');
  const without = (['not-declared', 'not-tried'] as const).flatMap(outcome => {
    const titles = lines.filter(line => line.says === '' && line.outcome === outcome).map(line => line.title);
    return titles.length === 0 ? [] : [`${capital(spoken[outcome])}: ${titles.join(', ')}.`];
  });
  const advised = [...new Set(lines.flatMap(line => line.advice ?? []))].map(advice => {
    const about = lines.filter(line => line.advice === advice).map(line => line.title);
    return `- ${about.join(', ')}: ${advice}`;
  });
  return paragraphs([
    [
      `${visibleLine(host.name)} ${visibleLine(host.version)}, protocol ${visibleLine(host.revision)}`,
      `Declares: ${declares.length === 0 ? 'nothing that a server could ask for' : declares.join('; ')}${progress}.`,
    ],
    tried.flatMap(({ title, outcome, ms, says }) => [
      `${title}: ${spoken[outcome]}${ms > 0 ? ` (${duration(ms)})` : ''}`,
      `  ${says}`,
    ]),
    without,
    advised.length === 0 ? [] : ['What a server author should do:', ...advised],
    next === undefined ? [] : [`Next: ${next}`],
  ]);
}

/** The kinds of field share one line if they have the same outcome. */
function merged(checks: readonly ReportLine[]): readonly ReportLine[] {
  const fields = checks.filter(({ check }) => check.startsWith('fields.'));
  const [first] = fields;
  if (!first || fields.some(({ outcome, says }) => outcome !== first.outcome || says !== first.says)) return checks;
  return checks.flatMap(line =>
    line === first ? { ...line, title: 'Kinds of field' } : fields.includes(line) ? [] : line,
  );
}

const spoken: Readonly<Record<Outcome, string>> = {
  works: 'works',
  refused: 'refused',
  wrong: 'wrong',
  'answers-by-itself': 'answers by itself',
  dropped: 'dropped',
  'not-declared': 'not declared',
  'not-tried': 'not tried',
};

const paragraphs = (all: readonly (readonly string[])[]): string =>
  all
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n');
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const visibleLine = (text: string): string => visible(text, { max: 80 });
