/** A report: what is known about one host, as data and as text. Pure. */

import { isRecord, own } from '@midcall/core/json';
import { capitalized, documentation, visible } from '@midcall/core/text';
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

type AdviceByOutcome = Partial<Record<Outcome, string>>;

const runAgain =
  'Run this check again and answer it. If you did, expect this host to refuse without showing the question.';
const elsewhere =
  'Expect cancel/unavailable, and ask in another way: on a page, through a relay, or by an argument. See ' +
  `${documentation('elicitation.md#if-nobody-can-be-asked')}.`;
const proof =
  "Do not treat this host's accept as a person's. Where it matters, demand assurance: 'out-of-band': Midcall then asks on " +
  'a page, which the host cannot answer.';
const deadline = 'Give questions a timeoutMs, do nothing without an answer, and say so in the result (whyNot).';

const field: AdviceByOutcome = {
  wrong: 'Expect content that does not fit the form. call.elicit checks it, and asks again with the reason.',
  'answers-by-itself': proof,
  refused: runAgain,
  dropped: deadline,
  'not-declared': elsewhere,
};

const refusal: AdviceByOutcome = {
  wrong: 'Treat decline and cancel alike here: neither is a yes. Do not rely on asking again after a cancel.',
  'answers-by-itself':
    'Do not tell the model that the person said no: whyNot(answer) says that the host answered. Where the answer matters, ask on a page.',
  dropped: deadline,
  'not-declared': elsewhere,
};

const waiting: AdviceByOutcome = {
  dropped:
    'Ask early and keep questions short. A call that takes hours can continue with a ticket: ' +
    `${documentation('connect.md#waiting')}.`,
};

const adviceOf: Readonly<Record<RowName, AdviceByOutcome>> = {
  form: { ...field, wrong: proof },
  'fields.text': {
    ...field,
    wrong: 'Do not rely on defaults: a field that the person leaves alone may come back empty.',
  },
  'fields.number': field,
  'fields.boolean': field,
  'fields.choice': field,
  'fields.choices': field,
  decline: refusal,
  dismiss: refusal,
  page: {
    wrong: 'An accept is consent to open the link, no more. Act only if the answer says completed.',
    'answers-by-itself': 'Ignore what this host answers to a link: only the page knows what the person did.',
    refused: runAgain,
    dropped: deadline,
    'not-declared':
      "Enable the 'page' channel: the link then appears in a form, in a browser on the same machine, or in the result. See " +
      `${documentation('connect.md#how-the-page-reaches-the-person')}.`,
  },
  roots: {
    wrong: 'Midcall leaves such roots out. Name directories of your own as the ceiling, so that some are left.',
    dropped: 'Without a list, nothing is allowed. Offer an argument for the directories, as midcall notes does.',
    'not-declared': 'Take the directories from the command line: without roots, the ceiling alone is the boundary.',
  },
  sampling: {
    wrong: 'Treat replies as text that may contain anything, and have an alternative for those you cannot use.',
    refused: runAgain,
    dropped: 'Give midcall({ sampling: { model } }) a model of your own, for clients that do not reply.',
    'not-declared': 'Give midcall({ sampling: { model } }) a model of your own: call.sample uses it here.',
  },
  timeout: waiting,
  'timeout.progress': {
    ...waiting,
    'not-declared': 'Nothing keeps a call alive on this host. Return before it gives up.',
  },
};

/** What an author of a server should do about an outcome, in one or two sentences; undefined if there is nothing to do. */
const advise = (row: RowName, outcome: Outcome): string | undefined => adviceOf[row][outcome];

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
    return titles.length === 0 ? [] : [`${capitalized(spoken[outcome])}: ${titles.join(', ')}.`];
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
const visibleLine = (text: string): string => visible(text, { max: 80 });

const memberWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  roots: { listChanged: 'announcing changes' },
  sampling: { tools: 'with tools', context: 'with context' },
};

/** Ordered: what a server can ask for comes first. */
const first: readonly string[] = ['elicitation', 'roots', 'sampling'];

/**
 * What a client declares, in words; foreign text is made visible.
 * @param capabilities - as the client sent them
 */
export function inWords(capabilities: unknown): readonly string[] {
  if (!isRecord(capabilities)) return [];
  const others = Object.keys(capabilities).filter(name => !first.includes(name));
  return [...first.filter(name => own(capabilities, name) !== undefined), ...others.slice(0, 20)].flatMap(name =>
    name === 'elicitation'
      ? elicitation(capabilities[name])
      : name === 'extensions'
        ? extensions(capabilities[name])
        : [spelled(name, capabilities[name])],
  );
}

/** An empty object means forms only (client/elicitation, "Capabilities"). */
function elicitation(declared: unknown): readonly string[] {
  const [form, url] = [own(declared, 'form') !== undefined, own(declared, 'url') !== undefined];
  return [...(form || !url ? ['forms'] : []), ...(url ? ['pages (URL mode)'] : [])];
}

/** Extensions of the protocol by the last part of their names, others by their whole names. */
function extensions(declared: unknown): readonly string[] {
  const names = isRecord(declared) ? Object.keys(declared).slice(0, 20) : [];
  return names.map(name => visible(name.replace(/^io\.modelcontextprotocol\//, ''), { max: 60 }));
}

function spelled(name: string, declared: unknown): string {
  const parts = Object.entries(own(memberWords, name) ?? {}).filter(
    ([part]) => own(declared, part) !== undefined && own(declared, part) !== false,
  );
  return [visible(name, { max: 60 }), ...parts.map(([, words]) => words as string)].join(', ');
}

/** True if the client declares that it announces changes to its roots. */
export const announcesRoots = (capabilities: unknown): boolean =>
  own(own(capabilities, 'roots'), 'listChanged') === true;
