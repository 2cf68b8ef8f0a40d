/** Judges what happened along one path, within one era and compared with the other. Pure. */
import { authorMistakes, isMidcallError, type MidcallErrorCode } from '@midcall/core/errors';
import { type ExploredOutcome, withoutPage } from './explore-outcome.ts';
import type { Effect, PlayedAs, Trace } from './explore-trace.ts';

/** What was found. The last two, and `not-repeatable`, are outside the rules; see docs/testing.md. */
export type FindingKind =
  /** Something was changed though nobody had said yes. */
  | 'acts-without-consent'
  /** More rounds than a client of 2026-07-28 goes through: without tasks its call ends there. */
  | 'too-many-rounds'
  /** Replaying the handler (2026-07-28) changed something again. */
  | 'repeats-effect'
  /** A retry that was delivered twice had two results. */
  | 'replay-differs'
  /** The person did not say yes, and the handler threw or gave an error result. */
  | 'unhandled-outcome'
  /** The handler threw at an answer that fits the form. */
  | 'throws-on-answer'
  | 'hangs'
  | 'crashes'
  /** A question, a step or a file operation was not awaited. */
  | 'not-awaited'
  /** The handler asks a question again and again until somebody agrees, or without end. */
  | 'asks-in-circles'
  /** A mistake that the library itself reports. */
  | 'mistake'
  /** The two eras ended differently. */
  | 'eras-differ'
  /** As a task, the call ended differently than on 2025-11-25. */
  | 'task-differs'
  /** A replay diverged from the record, so the call ends with an error on 2026-07-28. */
  | 'diverges'
  /** A path ended differently the second time, so the eras cannot be compared. */
  | 'not-repeatable'
  /** An effect runs while a question is open. */
  | 'effect-beside-ask'
  /** A timer runs, or the handler goes on, while a question is open. */
  | 'timer-beside-ask';

/** Kinds that are outside the rules for handlers, rather than breaking a promise to the person. */
export const outsideTheRules: ReadonlySet<FindingKind> = new Set([
  'not-repeatable',
  'effect-beside-ask',
  'timer-beside-ask',
]);

/** One finding on one path, before findings are merged. */
export interface Sighting {
  readonly kind: FindingKind;
  readonly playedAs: PlayedAs | undefined;
  /** What happened, in a sentence. */
  readonly message: string;
}

/** The rounds a server may count on: a client gives up at ten. */
const countedOnRounds = 9;

export interface JudgeOptions {
  /** Effects that need no consent, by name; a name without a path covers every path. */
  readonly withoutConsent: readonly string[];
  /** True if the client lacks the capability that the tool asks with. */
  readonly unsupported: boolean;
}

/** The findings of one run. */
export function judgeRun(trace: Trace, options: JudgeOptions): Sighting[] {
  const sightings: Sighting[] = [];
  const add = (kind: FindingKind, message: string) => void sightings.push({ kind, playedAs: trace.playedAs, message });
  for (const effect of trace.effects) {
    if (effect.late) add('acts-without-consent', `'${effect.name}' ran after the client was gone`);
    else if (!effect.consented && !needsNone(effect, options.withoutConsent))
      add('acts-without-consent', `'${effect.name}' ran though nobody had said yes`);
    if (effect.beside) add('effect-beside-ask', `'${effect.name}' ran while a question was open`);
  }
  if (trace.raced) add('timer-beside-ask', 'a timer was running, or the handler went on, while a question was open');
  if (trace.replayDiffers) add('replay-differs', 'the same retry, delivered twice, had two results');
  if (trace.rounds > countedOnRounds && trace.playedAs === '2026-07-28')
    add(
      'too-many-rounds',
      `a path takes ${trace.rounds} rounds; a client without tasks gives up after ${countedOnRounds}`,
    );
  const end = judgeEnd(trace, options.unsupported);
  if (end) add(end.kind, end.message);
  return sightings;
}

/** The finding at the end of a run, if any. */
function judgeEnd(trace: Trace, unsupported: boolean): Omit<Sighting, 'playedAs'> | undefined {
  const { end, failure } = trace;
  switch (end.kind) {
    case 'gone':
      return undefined;
    case 'hang':
      return { kind: 'hangs', message: 'the call did not end' };
    case 'endless':
      return { kind: 'asks-in-circles', message: `the handler asked ${trace.decisions.length} questions and went on` };
  }
  if (isMidcallError(failure)) {
    const { code, message } = failure;
    if (code === 'ask/unavailable') return undefined;
    const kind = kindOfCode[code] ?? (authorMistakes.has(code) ? 'mistake' : undefined);
    if (kind) return { kind, message };
  }
  const failed = end.kind === 'error' ? end.code !== missingCapability : end.result['isError'] === true;
  if (!failed) return undefined;
  const threw = failure === undefined ? undefined : `threw: ${firstLine(failure)}`;
  if (!unsupported && refusals(trace).length === 0) {
    if (threw) return { kind: 'throws-on-answer', message: `the handler ${threw}` };
    if (end.kind === 'error')
      return { kind: 'crashes', message: `the call ended with the error ${end.code}: ${end.message}` };
    // A plain no to a good answer is up to the tool.
    return undefined;
  }
  const part = unsupported ? 'the client cannot be asked' : `the person's part was '${refusals(trace).at(-1)?.label}'`;
  return { kind: 'unhandled-outcome', message: `${part}, and the handler ${threw ?? 'gave an error result'}` };
}

const kindOfCode: Partial<Record<MidcallErrorCode, FindingKind>> = {
  'ask/not-awaited': 'not-awaited',
  'ask/diverged': 'diverges',
  'ask/repeated': 'asks-in-circles',
  'ask/rounds': 'too-many-rounds',
};

const saysYes = ({ kind }: ExploredOutcome): boolean => kind === 'accept' || kind === 'replayed';

/** -32021 says that the handler cannot go on without being able to ask (2026-07-28, schema.json). */
const missingCapability = -32021;

/** The findings from comparing two ways of taking a path, the first by requests. */
export function judgePair(pushed: Trace, replayed: Trace): Sighting[] {
  const sightings: Sighting[] = [];
  if ([pushed, replayed].some(each => each.end.kind === 'hang' || each.end.kind === 'endless')) return sightings;
  const before = countNames(pushed.effects);
  const repeated = [...countNames(replayed.effects)].filter(([name, count]) => {
    const once = before.get(name);
    return once !== undefined && count > once;
  });
  for (const [name] of repeated)
    sightings.push({ kind: 'repeats-effect', playedAs: replayed.playedAs, message: `replaying ran '${name}' again` });
  if (repeated.length === 0 && !sameCourse(pushed, replayed)) {
    const message = difference(pushed, replayed);
    if (replayed.playedAs === 'task') sightings.push({ kind: 'task-differs', playedAs: 'task', message });
    else sightings.push({ kind: 'eras-differ', playedAs: undefined, message });
  }
  return sightings;
}

/** True if two runs asked the same, changed the same and ended the same. */
export function sameCourse(a: Trace, b: Trace): boolean {
  // A handler that cannot go on unasked says so by a code that only one era has.
  if (lacksCapability(a) || lacksCapability(b)) return true;
  return JSON.stringify(courseOf(a)) === JSON.stringify(courseOf(b));
}

const lacksCapability = ({ end }: Trace): boolean => end.kind === 'error' && end.code === missingCapability;

function courseOf(trace: Trace): { asked: string[]; effects: string[]; end: unknown } {
  const { end } = trace;
  return {
    asked: trace.decisions.map(({ question }) => question.words),
    effects: trace.effects.map(({ name }) => name).sort(),
    end: end.kind === 'result' ? spoken(end.result) : end,
  };
}

/** The parts of a result that both eras have. */
const spoken = ({ content, structuredContent, isError }: Readonly<Record<string, unknown>>): unknown =>
  JSON.parse(withoutPage(JSON.stringify({ content, structuredContent, isError: isError === true })));

/** How two runs that are not the same differ, with both sides. */
export function difference(a: Trace, b: Trace, names = [wayOf(a), wayOf(b)]): string {
  const [first, second] = [courseOf(a), courseOf(b)];
  const differing = (['asked', 'effects', 'end'] as const).filter(
    each => JSON.stringify(first[each]) !== JSON.stringify(second[each]),
  );
  const verbs = { asked: 'asks', effects: 'changes', end: 'ends with' };
  const did = (course: typeof first, other: typeof first): string =>
    differing.map(part => `${verbs[part]} ${around(course[part], other[part])}`).join(' and ');
  return `${names[0]} the call ${did(first, second)}; ${names[1]} it ${did(second, first)}`;
}

/** A value in brief, from shortly before where it differs from another. */
function around(value: unknown, other: unknown): string {
  const [text, another] = [JSON.stringify(value), JSON.stringify(other)];
  let at = 0;
  while (text[at] === another[at]) at++;
  const from = text.length > most ? Math.max(0, at - 40) : 0;
  return `${from > 0 ? '…' : ''}${clip(text.slice(from))}`;
}

const wayOf = ({ playedAs }: Trace): string => (playedAs === 'task' ? 'as a task' : `on ${playedAs}`);

function needsNone({ name }: Effect, allowed: readonly string[]): boolean {
  return allowed.some(each => name === each || name.startsWith(`${each} `));
}

function countNames(effects: readonly Effect[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of effects) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Effects that nobody agreed to; an answer that did not fit counts only if it was the last. */
function refusals({ decisions }: Trace): readonly ExploredOutcome[] {
  const last = decisions.at(-1);
  return decisions
    .filter(each => !saysYes(each.outcome) && (each.outcome.kind !== 'invalid' || each === last))
    .map(({ outcome }) => outcome);
}

const most = 160;
const clip = (text: string) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const firstLine = (error: unknown) =>
  clip(String((error as { message?: unknown } | null)?.message ?? error).split('\n')[0] ?? '');
