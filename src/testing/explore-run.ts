/**
 * Runs a tool once, in one era, along one path of outcomes, and tells what happened. Time moves by decision only: each
 * answer takes a moment, and an outcome that is a timeout lets the person's time pass.
 */
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { checkGiven, func } from '../check-options.ts';
import type { MidcallOptions, Observation } from '../server/index.ts';
import { memoryStore } from '../stores/memory.ts';
import type { Era } from './eras.ts';
import { virtualClock } from './explore-clock.ts';
import {
  type Answering,
  type ExploredOutcome,
  type ExploredQuestion,
  outcomesOf,
  readQuestion,
} from './explore-outcome.ts';
import { openWire, type Wire, type WireMessage } from './explore-wire.ts';

/** The options a server under exploration passes on to `midcall()`; later ones of its own win at its own risk. */
export type ExploreOptionsForMidcall = Required<
  Pick<MidcallOptions, 'now' | 'timer' | 'store' | 'observe' | 'warn' | 'stateTtlMs' | 'maxRounds'>
>;

/** What runs are made of; the same for every run of an exploration. */
export interface Subject {
  readonly server: (
    options: ExploreOptionsForMidcall,
    effect: (name: string) => void,
  ) => McpServerFactory | Promise<McpServerFactory>;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly roots: () => readonly { readonly uri: string; readonly name?: string }[];
  readonly answering: Answering | undefined;
  /** True where what was answered so far means yes. */
  readonly consents: (given: readonly Given[]) => boolean;
  readonly before: () => void | Promise<void>;
  /** Real milliseconds. */
  readonly hangMs: number;
  /** Questions after which a run is left. */
  readonly mostAsks: number;
}

/** One answer that was delivered. */
export interface Given {
  readonly question: ExploredQuestion;
  readonly outcome: ExploredOutcome;
}

/** One question of a path, and what was made of it. */
export interface Decision {
  readonly question: ExploredQuestion;
  readonly outcome: ExploredOutcome;
  /** How many outcomes there were to choose from. */
  readonly of: number;
}

/** One change of the world. */
export interface Effect {
  readonly name: string;
  /** Somebody had said yes by then. */
  readonly consented: boolean;
  /** A question of the same run was open while it ran. */
  readonly beside: boolean;
  /** The client was gone already. */
  readonly late: boolean;
}

export interface Trace {
  readonly era: Era;
  readonly decisions: readonly Decision[];
  readonly leftOut: readonly string[];
  readonly effects: readonly Effect[];
  readonly end:
    | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
    | { readonly kind: 'error'; readonly code: number; readonly message: string }
    | { readonly kind: 'hang' | 'gone' | 'endless' };
  /** What the handler, or the library for it, ended the call with. */
  readonly failure: unknown;
  /** A timer of the handler's own was running, or the handler went on, while a question was open. */
  readonly raced: boolean;
  /** A retry that was sent twice got two different results. */
  readonly replayDiffers: boolean;
  readonly rounds: number;
  readonly askedRoots: boolean;
  readonly onPage: boolean;
  /** The server passed the options on to `midcall()`, so that its clock and its effects are ours to see. */
  readonly observed: boolean;
}

/** Chooses an outcome: the number of the question from 0, and how many outcomes there are. */
export type Picker = (index: number, of: number) => number;

const factoryKind = { ...func, words: 'a function that makes a server: options => () => notesServer(options)' };

const momentMs = 300;
const day = 86_400_000;
/** Longer than any question may stay open, and within the life of a state. */
const personGoneMs = 25 * day;
const stateTtlMs = 60 * day;
const manyRounds = 1_000;
const mostTimers = 50;

/** Runs one path in one era. */
export async function runPath(subject: Subject, era: Era, pick: Picker): Promise<Trace> {
  await subject.before();
  const clock = virtualClock();
  const state = new PathState(subject, pick);
  const options: ExploreOptionsForMidcall = {
    now: clock.now,
    timer: clock.timer,
    store: memoryStore({ now: clock.now }),
    observe: seen => state.saw(seen),
    warn: () => {},
    stateTtlMs,
    maxRounds: manyRounds,
  };
  const factory = await subject.server(options, name => state.effect(name));
  checkGiven('explore', 'what server(options) gives', factory, factoryKind);
  const wire = openWire(factory, clock, subject.hangMs);
  try {
    const path = { subject, wire, clock, state };
    const end = era === '2025-11-25' ? await pushed(path) : await inRounds(path);
    await wire.drain();
    return { era, end, ...state.trace() };
  } finally {
    await wire.close();
  }
}

/** What is known of a run while it goes on. */
class PathState {
  readonly decisions: Decision[] = [];
  readonly #leftOut = new Set<string>();
  readonly #effects: { name: string; consented: boolean; beside: boolean; late: boolean }[] = [];
  readonly #given: Given[] = [];
  readonly #subject: Subject;
  readonly #pick: Picker;
  readonly #openSteps: Effect[] = [];
  #failure: unknown;
  raced = false;
  replayDiffers = false;
  rounds = 0;
  askedRoots = false;
  /** Somebody agreed to open a page. */
  onPage = false;
  observed = false;
  /** Questions are with the person. */
  waiting = false;
  /** The client has gone. */
  gone = false;

  constructor(subject: Subject, pick: Picker) {
    this.#subject = subject;
    this.#pick = pick;
  }

  decide(question: ExploredQuestion): ExploredOutcome {
    const { list, leftOut } = outcomesOf(question, this.#subject.answering);
    for (const each of leftOut) this.#leftOut.add(each);
    const index = Math.min(this.#pick(this.decisions.length, list.length), list.length - 1);
    const outcome = list[index]!;
    this.decisions.push({ question, outcome, of: list.length });
    return outcome;
  }

  get exhausted(): boolean {
    return this.decisions.length >= this.#subject.mostAsks;
  }

  deliver(question: ExploredQuestion, outcome: ExploredOutcome): void {
    this.onPage ||= question.params['mode'] === 'url';
    this.#given.push({ question, outcome });
  }

  saw(seen: Observation): void {
    this.observed = true;
    if (seen.kind === 'failed') this.#failure = seen.error;
    else if (seen.kind === 'returned') this.raced ||= this.waiting && !this.gone;
    else if (seen.kind === 'effect' && seen.phase === 'begun') this.#begin(seen);
    else if (seen.kind === 'effect') this.#end(seen);
  }

  /** A change that a fake of an outside service tells of. */
  effect(name: string): void {
    if (this.#openSteps.length === 0) this.#note(name, this.waiting);
  }

  trace(): Omit<Trace, 'era' | 'end'> {
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
    // What a step marked as an effect does to files is that step's effect, and is counted once.
    if (seen.by === 'files' && this.#openSteps.length > 0) return;
    const noted = this.#note(seen.name, seen.asking);
    if (seen.by === 'step') this.#openSteps.push(noted);
  }

  #end(seen: Observation & { kind: 'effect' }): void {
    if (seen.by !== 'step') return;
    const index = this.#openSteps.findIndex(each => each.name === seen.name);
    const [open] = this.#openSteps.splice(index, 1);
    if (open && seen.asking) (open as { beside: boolean }).beside = true;
  }

  #note(name: string, beside: boolean): Effect {
    const effect = { name, consented: this.#subject.consents(this.#given), beside, late: this.gone };
    this.#effects.push(effect);
    return effect;
  }
}

interface Path {
  readonly subject: Subject;
  readonly wire: Wire;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly state: PathState;
}

const clientInfo = { name: 'midcall-explore', version: '1.0.0' };

function ended(message: WireMessage): Trace['end'] {
  if (message.error) return { kind: 'error', code: message.error.code, message: message.error.message };
  return { kind: 'result', result: message.result ?? {} };
}

/** The client goes away, and whatever could still happen is let happen. */
async function leave({ wire, clock, state }: Path): Promise<Trace['end']> {
  state.gone = true;
  await wire.close();
  await wire.drain();
  clock.advance(personGoneMs);
  await wire.drain();
  return { kind: 'gone' };
}

/** 2025-11-25: questions are requests, answered in place. */
async function pushed(path: Path): Promise<Trace['end']> {
  const { subject, wire, clock, state } = path;
  const params = { protocolVersion: '2025-11-25', capabilities: subject.capabilities, clientInfo };
  wire.send({ id: 1, method: 'initialize', params });
  if (!(await wire.receive())) return { kind: 'hang' };
  wire.send({ method: 'notifications/initialized' });
  wire.send({ id: 2, method: 'tools/call', params: { name: subject.name, arguments: subject.args } });
  for (;;) {
    const first = await wire.receive(state.onPage);
    if (!first) return { kind: 'hang' };
    const round: { message: WireMessage; question: ExploredQuestion; outcome: ExploredOutcome }[] = [];
    for (const message of [first, ...(await wire.drain())]) {
      if (message.method === undefined && message.id === 2) return ended(message);
      if (message.method === 'roots/list') {
        state.askedRoots = true;
        wire.send({ id: message.id, result: { roots: subject.roots() } });
      } else if (message.method !== undefined && message.id !== undefined) {
        if (state.exhausted) return { kind: 'endless' };
        const question = readQuestion(message.method, message.params ?? {});
        round.push({ message, question, outcome: state.decide(question) });
      }
    }
    if (round.length === 0) continue;
    state.rounds++;
    state.waiting = true;
    await wire.drain().then(messages => wire.unread(messages));
    if (round.some(({ outcome }) => outcome.kind === 'disconnect')) return leave(path);
    clock.advance(momentMs);
    state.waiting = false;
    for (const { message, question, outcome } of round) {
      if (outcome.kind === 'timeout') continue;
      state.deliver(question, outcome);
      const refused = { error: { code: -1, message: 'User rejected sampling request' } };
      const answer = { id: message.id, ...(outcome.kind === 'refuse' ? refused : { result: outcome.reply }) };
      wire.send(answer);
      if (outcome.kind === 'replayed') wire.send(answer);
    }
    const silent = new Set(round.filter(({ outcome }) => outcome.kind === 'timeout').map(({ message }) => message.id));
    if (silent.size > 0) await letTimePass(path, silent);
  }
}

/** Moves the clock until the server has withdrawn every question that nobody answers. */
async function letTimePass({ wire, clock }: Path, silent: Set<number | string | undefined>): Promise<void> {
  const said: WireMessage[] = [];
  for (let fired = 0; silent.size > 0 && fired < mostTimers && clock.next(); fired++) {
    for (const message of await wire.drain()) {
      if (message.method === 'notifications/cancelled') silent.delete(message.params?.['requestId'] as number);
      else said.push(message);
    }
  }
  wire.unread(said);
}

interface InputRequired {
  readonly inputRequests: Readonly<Record<string, { method: string; params?: Record<string, unknown> }>>;
  readonly requestState?: string;
}

function inputRequired(message: WireMessage): InputRequired | undefined {
  if (message.result?.['resultType'] !== 'input_required') return undefined;
  return { inputRequests: {}, ...message.result } as InputRequired;
}

/** 2026-07-28: questions come in the result, and the call is sent again with the answers. */
async function inRounds(path: Path): Promise<Trace['end']> {
  const { subject, wire, clock, state } = path;
  let id = 0;
  const call = async (more: Readonly<Record<string, unknown>>): Promise<WireMessage | undefined> => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': subject.capabilities,
    };
    id += 1;
    wire.send({ id, method: 'tools/call', params: { name: subject.name, arguments: subject.args, ...more, _meta } });
    for (;;) {
      const message = await wire.receive(state.onPage);
      if (!message || (message.id === id && message.method === undefined)) return message;
    }
  };
  /** Questions nobody answers, by their key: they come again with every round until their time is up. */
  const silent = new Set<string>();
  let reply = await call({});
  for (;;) {
    if (!reply) return { kind: 'hang' };
    const needed = inputRequired(reply);
    if (!needed) return ended(reply);
    const asked = Object.entries(needed.inputRequests).filter(([key]) => !silent.has(key));
    if (asked.length > 0) state.rounds++;
    const responses: Record<string, unknown> = {};
    const delivered: Given[] = [];
    let twice = false;
    let left = false;
    for (const [key, { method, params = {} }] of asked) {
      if (method === 'roots/list') {
        state.askedRoots = true;
        responses[key] = { roots: subject.roots() };
        continue;
      }
      if (state.exhausted) return { kind: 'endless' };
      const question = readQuestion(method, params);
      const outcome = state.decide(question);
      if (outcome.kind === 'disconnect' || outcome.kind === 'refuse') left = true;
      else if (outcome.kind === 'timeout') silent.add(key);
      else {
        responses[key] = outcome.reply;
        delivered.push({ question, outcome });
      }
      twice ||= outcome.kind === 'replayed';
    }
    state.waiting = true;
    await wire.drain();
    state.raced ||= wire.timing();
    if (left) return leave(path);
    state.waiting = false;
    const answers = Object.keys(responses).length > 0;
    if (answers || silent.size === 0) clock.advance(momentMs);
    else {
      clock.advance(personGoneMs);
      silent.clear();
    }
    for (const { question, outcome } of delivered) state.deliver(question, outcome);
    const retry = { requestState: needed.requestState, inputResponses: responses };
    reply = await call(retry);
    if (twice && reply) {
      const again = await call(retry);
      const same = JSON.stringify([again?.result, again?.error]) === JSON.stringify([reply.result, reply.error]);
      state.replayDiffers ||= !same;
    }
  }
}
