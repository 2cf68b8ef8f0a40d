/** What is known about one run of a tool, during and after it. No I/O. */
import type { Observation } from '@midcall/server';
import type { Era } from '../eras.ts';
import { type PageInput, pageIn, visitPage } from '../finish-page.ts';
import {
  type Answering,
  type ExploredOutcome,
  type ExploredQuestion,
  outcomesOf,
  withoutPage,
} from './explore-outcome.ts';

/** How a path is taken: by requests (2025-11-25), in rounds (2026-07-28), or as a task of the extension. */
export type PlayedAs = Era | 'task';

/** One answer that was delivered. */
export interface DeliveredAnswer {
  readonly question: ExploredQuestion;
  readonly outcome: ExploredOutcome;
}

/** One question of a path, and its outcome. */
export interface Decision {
  readonly question: ExploredQuestion;
  readonly outcome: ExploredOutcome;
  /** How many outcomes there were to choose from. */
  readonly of: number;
}

/** One effect. */
export interface Effect {
  readonly name: string;
  /** Somebody had said yes by then. */
  readonly consented: boolean;
  /** A question of the same run was open while it ran. */
  readonly beside: boolean;
  /** The client was gone already. */
  readonly late: boolean;
}

/** What happened along one path, taken in one way. */
export interface Trace {
  readonly playedAs: PlayedAs;
  readonly decisions: readonly Decision[];
  readonly leftOut: readonly string[];
  readonly effects: readonly Effect[];
  readonly end:
    | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
    | { readonly kind: 'error'; readonly code: number; readonly message: string }
    | { readonly kind: 'hang' | 'gone' | 'endless' };
  /** The result with which the handler, or the library, ended the call. */
  readonly failure: unknown;
  /** One of the handler's own timers was running, or the handler went on, while a question was open. */
  readonly raced: boolean;
  /** A retry that was sent twice got two different results. */
  readonly replayDiffers: boolean;
  readonly rounds: number;
  readonly askedRoots: boolean;
  /** The server waited for a page that nobody finished, or for an answer in an inbox. */
  readonly onPage: boolean;
  /** The server passed the options on to `midcall()`, so that we control its clock and see its effects. */
  readonly observed: boolean;
}

/** Chooses an outcome: the number of the question from 0, and how many outcomes there are. */
export type Picker = (index: number, of: number) => number;

/** The rules for judging a run in progress. */
export interface TraceRules {
  readonly answering: Answering | undefined;
  /** True if the answers so far mean yes. */
  readonly consents: (answers: readonly DeliveredAnswer[]) => boolean;
  /** Questions after which a run is abandoned. */
  readonly mostAsks: number;
}

type Noted = { -readonly [K in keyof Effect]: Effect[K] };

/** A trace that is being written. */
export class OpenTrace {
  readonly decisions: Decision[] = [];
  readonly #leftOut = new Set<string>();
  readonly #effects: Noted[] = [];
  readonly #delivered: DeliveredAnswer[] = [];
  readonly #rules: TraceRules;
  readonly #pick: Picker;
  readonly #openSteps: Noted[] = [];
  #failure: unknown;
  raced = false;
  replayDiffers = false;
  rounds = 0;
  askedRoots = false;
  /** The server waits for a page that nobody finishes, or for an answer in an inbox. */
  onPage = false;
  /** The link of the last page that was shown. */
  #link: string | undefined;
  /** True if the person ended the last page they agreed to open; undefined if there was none. */
  #ended: boolean | undefined;
  observed = false;
  /** Questions are with the person. */
  waiting = false;
  /** The client has gone. */
  gone = false;

  constructor(rules: TraceRules, pick: Picker) {
    this.#rules = rules;
    this.#pick = pick;
  }

  decide(question: ExploredQuestion): ExploredOutcome {
    const { list, leftOut } = outcomesOf(question, this.#rules.answering);
    for (const each of leftOut) this.#leftOut.add(each);
    const index = Math.min(this.#pick(this.decisions.length, list.length), list.length - 1);
    const outcome = list[index]!;
    this.decisions.push({ question, outcome, of: list.length });
    return outcome;
  }

  get exhausted(): boolean {
    return this.decisions.length >= this.#rules.mostAsks;
  }

  /** Delivers an answer, after the person has been on the page that the question led to. */
  async deliver(question: ExploredQuestion, outcome: ExploredOutcome): Promise<void> {
    const { url, code } = pageIn(question.params);
    this.#link = url ?? this.#link;
    const { onPage } = outcome;
    this.#delivered.push({ question, outcome });
    if (onPage) this.#ended = onPage !== 'leave';
    if (!onPage || onPage === 'leave' || this.#link === undefined) return;
    try {
      const input = onPage === 'finish' ? (this.#rules.answering?.(question) as PageInput | undefined) : undefined;
      const missing = await visitPage({
        url: this.#link,
        code,
        decline: onPage === 'decline',
        ...(input && { input }),
      });
      for (const name of missing) this.#leftOut.add(`the input '${name}': the page of "${question.words}" has none`);
    } catch (error) {
      this.#ended = false;
      this.#leftOut.add(`the page of "${question.words}": ${withoutPage((error as Error).message)}`);
      const label = 'agree to a page that is not finished here';
      const unfinished: ExploredOutcome = { ...outcome, kind: 'unfinished', label };
      this.#delivered.splice(-1, 1, { question, outcome: unfinished });
      const at = this.decisions.findLastIndex(each => each.question === question);
      this.decisions[at] = { ...this.decisions[at]!, outcome: unfinished };
    }
  }

  saw(seen: Observation): void {
    this.observed = true;
    if (seen.kind === 'page') {
      this.onPage ||= this.#ended !== true;
      if (this.#ended === undefined)
        this.#leftOut.add('pages that are announced by a link alone: nobody finishes them');
    } else if (seen.kind === 'inbox') {
      this.onPage = true;
      this.#leftOut.add('approvers who have not answered: give testInbox() their votes');
    } else if (seen.kind === 'approved') {
      const { message, content } = seen;
      this.#delivered.push({
        question: { method: 'elicitation/create', params: { message }, words: message },
        outcome: { kind: 'accept', label: 'approvers agree', reply: { action: 'accept', content } },
      });
    } else if (seen.kind === 'failed') this.#failure = seen.error;
    else if (seen.kind === 'returned') this.raced ||= this.waiting && !this.gone;
    else if (seen.kind === 'effect' && seen.phase === 'begun') this.#begin(seen);
    else if (seen.kind === 'effect') this.#end(seen);
  }

  /** An effect reported by a fake of an outside service. */
  effect(name: string): void {
    if (this.#openSteps.length === 0) this.#note(name, this.waiting);
  }

  told(): Omit<Trace, 'playedAs' | 'end'> {
    const { decisions, raced, replayDiffers, rounds, askedRoots, onPage, observed } = this;
    const leftOut = [...this.#leftOut];
    const failure = this.#failure;
    return {
      decisions,
      leftOut,
      effects: this.#effects,
      failure,
      raced,
      replayDiffers,
      rounds,
      askedRoots,
      onPage,
      observed,
    };
  }

  #begin(seen: Observation & { kind: 'effect' }): void {
    // Changes to files by a step marked as an effect are that step's effect, and are counted once.
    if (seen.by === 'files' && this.#openSteps.length > 0) return;
    const noted = this.#note(seen.name, seen.asking);
    if (seen.by === 'step') this.#openSteps.push(noted);
  }

  #end(seen: Observation & { kind: 'effect' }): void {
    if (seen.by !== 'step') return;
    const index = this.#openSteps.findIndex(each => each.name === seen.name);
    const [open] = this.#openSteps.splice(index, 1);
    if (open && seen.asking) open.beside = true;
  }

  #note(name: string, beside: boolean): Noted {
    const effect = { name, consented: this.#rules.consents(this.#delivered), beside, late: this.gone };
    this.#effects.push(effect);
    return effect;
  }
}
