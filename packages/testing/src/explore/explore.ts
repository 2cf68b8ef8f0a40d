/**
 * Runs a tool through every outcome of its questions, in both eras and as a task, and reports what breaks.
 *
 * - explore-X1 Every path is taken in both eras, and as a task if its call becomes one, each time in a fresh world, with a
 *   clock that stands still.
 * - explore-X2 Up to `depth` questions every combination of outcomes is taken, shortest deviations first, as far as `budget`
 *   allows; a fifth of it goes into random paths if there are questions beyond that depth, drawn from `seed`.
 * - explore-X3 The same tool, arguments, options and seed give the same report.
 * - explore-X4 The report says what was not covered.
 */
import {
  anything,
  checkKind,
  checkOptions,
  count,
  func,
  type Kinds,
  listOf,
  name,
  required,
} from '@midcall/core/options';
import { pageIn } from '../finish-page.ts';
import { seeded } from '../seeded.ts';
import { difference, type FindingKind, judgePair, judgeRun, sameCourse } from './explore-finding.ts';
import type { Answering } from './explore-outcome.ts';
import { type ExploreReport, Findings, writeReport } from './explore-report.ts';
import { runPath, type Subject } from './explore-run.ts';
import type { DeliveredAnswer, Picker, PlayedAs, Trace } from './explore-trace.ts';
import { watchServers } from './explore-wire.ts';

/** The tool to explore. */
export interface ExploredTool {
  /**
   * Makes its server; called for every run, so that each starts from the same state.
   * @param options - to be passed to `midcall()`: the clock, a store and an observer
   * @param effect - for fakes of outside services: reports a change that no step and no file shows
   */
  readonly server: Subject['server'];
  readonly name: string;
}

/** How to explore. */
export interface ExploreOptions {
  /** How many questions deep every combination of outcomes is taken; 3 if absent. */
  readonly depth?: number;
  /** The maximum number of paths, each taken in both eras and as a task; 500 if absent. */
  readonly budget?: number;
  /** The seed of the random paths; 1 if absent. */
  readonly seed?: number;
  /** Called before every run: resets what is outside the server. */
  readonly before?: () => void | Promise<void>;
  /** A good answer to a question, if its form alone does not determine one; for sampling, the model's reply. */
  readonly answers?: Answering;
  /** The client's declared capabilities; forms if absent. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The client's roots, if it declares them. */
  readonly roots?: Subject['roots'];
  /** True if the answers so far mean yes; if absent, an accepted form or a finished page, and none with `confirm: false`. */
  readonly consents?: (answers: readonly DeliveredAnswer[]) => boolean;
  /** Effects that need no consent, such as one that can be undone: steps by name, files by operation (`files.write`). */
  readonly withoutConsent?: readonly string[];
  /** Real milliseconds of silence after which a server counts as hanging; 5,000 if absent. */
  readonly hangMs?: number;
}

const toolKinds: Kinds<ExploredTool> = { name: required(name), server: required(func) };
const argsKind = {
  words: "an object: the tool's arguments",
  fits: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
const kinds: Kinds<ExploreOptions> = {
  depth: count,
  budget: count,
  seed: { words: 'a whole number', fits: Number.isSafeInteger },
  before: func,
  answers: func,
  capabilities: anything,
  roots: func,
  consents: func,
  withoutConsent: listOf(name),
  hangMs: count,
};

const unobserved =
  'effects, time limits and tasks: they are not seen, since server(options) does not pass its options on to midcall(options)';

const mostAsks = 30;
/** As many as if there were no limit. */
const manyRounds = 1_000;
/** Hanging takes real time, and one place that hangs is found on many paths. */
const mostHangs = 3;
/** The part of the budget for random paths, if there are questions beyond the depth. */
const forSampling = 0.2;

/**
 * @param args - the tool's arguments, as a client sends them; none if absent
 * @returns what was found; `report.text` is for people to read. It rejects only if a server cannot be made
 * @throws TypeError for an option that is unknown or invalid
 * @example
 * ```ts
 * const tool: ExploredTool = { name: 'note_delete', server: options => () => notesServer(midcall(options)) };
 * const report = await explore(tool, { title: 'Soup' });
 * if (report.findings.length > 0) throw new Error(report.text);
 * ```
 */
export async function explore(
  tool: ExploredTool,
  args: Readonly<Record<string, unknown>> = {},
  options: ExploreOptions = {},
): Promise<ExploreReport> {
  checkOptions('explore', tool, toolKinds);
  checkKind('explore', 'the second argument', args, argsKind);
  checkOptions('explore', options, kinds);
  const { depth = 3, budget = 500 } = options;
  const subject = subjectOf(tool, args, options);
  const stop = watchServers();
  try {
    const exploration = new Exploration(subject, options.withoutConsent ?? []);
    const left = await exploration.exhaust(depth, budget);
    await exploration.sample(depth, budget, options.seed ?? 1);
    for (const lacking of lackings(subject.capabilities)) await exploration.unsupported(lacking);
    return exploration.report(left, depth);
  } finally {
    stop();
  }
}

function subjectOf(tool: ExploredTool, args: Subject['args'], options: ExploreOptions): Subject {
  return {
    ...tool,
    args,
    capabilities: options.capabilities ?? { elicitation: {} },
    roots: options.roots ?? (() => []),
    answering: options.answers,
    consents: options.consents ?? saidYes,
    before: options.before ?? (() => {}),
    hangMs: options.hangMs ?? 5_000,
    mostAsks,
  };
}

/** Agreeing to open a page is not yet an answer to what it asks: it has to be finished. */
function saidYes(answers: readonly DeliveredAnswer[]): boolean {
  const asked = answers.filter(
    ({ question: { method, params } }) => method === 'elicitation/create' && !pageIn(params).codeFollows,
  );
  const yes = asked.filter(({ outcome }) => outcome.kind === 'accept' || outcome.kind === 'replayed');
  const no = yes.some(
    ({ outcome }) => (outcome.reply?.['content'] as { confirm?: unknown } | undefined)?.confirm === false,
  );
  return yes.length > 0 && !no;
}

/** The client without each thing it could be asked. */
function lackings(capabilities: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return ['elicitation', 'sampling']
    .filter(name => name in capabilities)
    .map(name => Object.fromEntries(Object.entries(capabilities).filter(([each]) => each !== name)));
}

class Exploration {
  readonly #subject: Subject;
  readonly #withoutConsent: readonly string[];
  readonly #findings = new Findings();
  readonly #notCovered = new Set<string>();
  #paths = 0;
  #runs = 0;
  #asks = 0;
  #hangs = 0;
  /** False once a call that could have been a task was none. */
  #hasTasks = true;

  constructor(subject: Subject, withoutConsent: readonly string[]) {
    this.#subject = subject;
    this.#withoutConsent = withoutConsent;
  }

  /** Takes every combination to a depth; the result is how many were left when the budget was used up. */
  async exhaust(depth: number, budget: number): Promise<number> {
    const waiting: number[][] = [[]];
    let most = budget;
    while (waiting.length > 0 && this.#paths < most && this.#hangs < mostHangs) {
      const prefix = waiting.shift()!;
      const { decisions } = await this.#take(index => prefix[index] ?? 0);
      if (decisions.length > depth) most = Math.min(most, Math.ceil(budget * (1 - forSampling)));
      // Each deviation from this path's own firsts begins another; so each combination is reached once.
      for (let index = prefix.length; index < Math.min(depth, decisions.length); index++) {
        const before = [...prefix, ...Array<number>(index - prefix.length).fill(0)];
        for (let other = 1; other < decisions[index]!.of; other++) waiting.push([...before, other]);
      }
    }
    return waiting.length;
  }

  /** Spends what is left of the budget on random paths, if there are questions beyond the depth. */
  async sample(depth: number, budget: number, seed: number): Promise<void> {
    if (this.#asks <= depth) return;
    const next = seeded(seed);
    const random = () => next() / 2 ** 32;
    const begun = this.#paths;
    const share = Math.ceil(budget * forSampling);
    while (this.#paths < Math.min(budget, begun + share) && this.#hangs < mostHangs) {
      // Half of the answers are good accepts, so that the random paths are long.
      await this.#take((_, of) => (random() < 0.5 ? 0 : Math.floor(random() * of)));
    }
    this.#notCovered.add(
      `beyond the first ${questions(depth)} of a path (it asks up to ${this.#asks}): ${this.#paths - begun} random paths were taken`,
    );
  }

  /** One path for a client that lacks something. */
  async unsupported(capabilities: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#take(() => 0, capabilities);
  }

  report(left: number, depth: number): ExploreReport {
    if (this.#asks === 0) this.#notCovered.add('questions: with these arguments the tool asked none');
    if (left > 0)
      this.#notCovered.add(
        this.#hangs >= mostHangs
          ? `${left} combinations and more, since the exploration stopped after ${mostHangs} paths that hang`
          : `${left} combinations and more of the first ${questions(depth)}: the budget was used up`,
      );
    return writeReport({
      tool: this.#subject.name,
      findings: this.#findings.list(false),
      outside: this.#findings.list(true),
      paths: this.#paths,
      runs: this.#runs,
      asks: this.#asks,
      notCovered: [...this.#notCovered],
    });
  }

  async #take(pick: Picker, lacking?: Readonly<Record<string, unknown>>): Promise<Trace> {
    const subject = lacking ? { ...this.#subject, capabilities: lacking } : this.#subject;
    const picked: number[] = [];
    const once: Picker = (index, of) => {
      picked[index] ??= pick(index, of);
      return picked[index];
    };
    const pushed = (await this.#run(subject, '2025-11-25', once))!;
    const traces = [pushed];
    // On 2026-07-28 there is no refusal of sampling on the wire: the client gives the call up.
    if (!pushed.decisions.some(({ outcome }) => outcome.kind === 'refuse')) {
      traces.push((await this.#run(subject, '2026-07-28', once))!);
      const asTask = this.#hasTasks ? await this.#run(subject, 'task', once) : undefined;
      this.#hasTasks = asTask !== undefined;
      if (asTask) traces.push(asTask);
    }
    this.#paths += 1;
    // A tool that wants to be a task refuses to be anything else.
    const played = traces.every(each => each.playedAs === 'task' || wantsTask(each)) ? traces.slice(-1) : traces;
    await this.#judge(subject, played, once, lacking !== undefined);
    return traces.reduce((a, b) => (b.decisions.length > a.decisions.length ? b : a));
  }

  async #run(subject: Subject, playedAs: PlayedAs, pick: Picker, maxRounds?: number): Promise<Trace | undefined> {
    const trace = await runPath(subject, playedAs, pick, maxRounds);
    if (!trace) return undefined;
    this.#runs += 1;
    this.#asks = Math.max(this.#asks, trace.decisions.length);
    if (trace.end.kind === 'hang') this.#hangs += 1;
    for (const each of trace.leftOut) this.#notCovered.add(each);
    if (trace.decisions.length > 0 && !trace.observed) this.#notCovered.add(unobserved);
    if (trace.askedRoots) this.#notCovered.add('roots: they are always answered, with the roots given');
    return trace;
  }

  async #judge(subject: Subject, traces: readonly Trace[], pick: Picker, unsupported: boolean): Promise<void> {
    const options = { withoutConsent: this.#withoutConsent, unsupported };
    const [pushed, replayed, asTask] = traces;
    const sightings = traces.map(trace => [trace, judgeRun(trace, options)] as const);
    for (const [trace, seen] of sightings) {
      const path = describe(trace, unsupported);
      for (const sighting of distinct(seen)) this.#findings.add(sighting, path);
    }
    const explained: FindingKind[] = ['diverges', 'timer-beside-ask', 'effect-beside-ask', 'not-awaited'];
    if (!pushed || !replayed) return;
    // A page that nobody finishes is waited for, and left with a ticket, by the rules of each era.
    if (traces.some(({ onPage }) => onPage)) return;
    if (sightings.some(([, seen]) => seen.some(({ kind }) => explained.includes(kind)))) return;
    let inEras = judgePair(pushed, replayed);
    if (inEras.length > 0) {
      // A wizard shares rounds, and offers fewer changes, where a client has few of them: that is not the handler's doing.
      const unbounded = await this.#run(subject, '2026-07-28', pick, manyRounds);
      inEras = judgePair(pushed, unbounded!);
    }
    // What already fails in rounds is not reported again for the task.
    const between = inEras.length === 0 && asTask ? judgePair(pushed, asTask) : inEras;
    if (between.length === 0) return;
    const path = describe(pushed, unsupported);
    if (between.every(({ kind }) => kind !== 'repeats-effect')) {
      const again = await this.#run(subject, '2025-11-25', pick);
      if (again && !sameCourse(pushed, again)) {
        const both = difference(pushed, again, ['the first time', 'the second time']);
        const message = `the same path twice came to different ends; use the clock, and steps for what varies: ${both}`;
        this.#findings.add({ kind: 'not-repeatable', playedAs: undefined, message }, path);
        return;
      }
    }
    for (const sighting of between) this.#findings.add(sighting, path);
  }
}

/** True if a call was refused because it has to be a task, by the codes of the two eras. */
const wantsTask = ({ decisions, end }: Trace): boolean =>
  decisions.length === 0 && end.kind === 'error' && (end.code === -32601 || end.code === -32021);

function describe(trace: Trace, unsupported: boolean): string[] {
  if (unsupported) return ['the client cannot be asked'];
  return trace.decisions.map(({ question, outcome }) => `"${question.words}" -> ${outcome.label}`);
}

function distinct<T extends { kind: string; message: string }>(sightings: readonly T[]): T[] {
  const seen = new Map(sightings.map(each => [`${each.kind} ${each.message}`, each]));
  return [...seen.values()];
}

const questions = (count: number): string => (count === 1 ? 'question' : `${count} questions`);
