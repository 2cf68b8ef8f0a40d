/**
 * Drives a server with a scripted person and reports what breaks the rules: each tool is called, and each question of it is
 * declined, dismissed, sent back unconfirmed, accepted, accepted without content, and asked of a client that cannot ask, in
 * every era the server speaks.
 *
 * - lint-N1 Plays that should change nothing come first, in every era, and those that may change something last: an accept must
 *   find everything unchanged.
 * - lint-N2 The report says what could not be judged.
 */

import { isMidcallError, type MidcallError, noSuchTool } from '@midcall/core/errors';
import { notOfferedRevision } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import { type Clock, systemClock } from '@midcall/core/time';
import type { Era } from '@midcall/host';
import { eras as bothEras } from '@midcall/testing';
import type { Tool, Transport } from '@modelcontextprotocol/client';
import { judgeAsk } from './judge-ask.ts';
import { judgeAgainstAccept, judgeTrace, judgeUnasked, readsAbsent, requiresContent } from './judge-plays.ts';
import { type Breach, finding, gathered, type LintFinding } from './lint-finding.ts';
import { asksForm, confirmations, fieldsOf, type Play, type PlayName } from './lint-play.ts';
import { forPlay, LintSession, type PlayTrace } from './lint-session.ts';
import { wordsOf } from './same-course.ts';
import { argumentNames, sampleArguments } from './sample-arguments.ts';

/** Which tools are called. */
export type LintSelection =
  /** Calls only the tools that declare `readOnlyHint`. */
  | { readonly which: 'read-only' }
  | { readonly which: 'all' }
  /** These, with these arguments; made from the input schema if absent. */
  | { readonly which: 'named'; readonly tools: ReadonlyMap<string, Readonly<Record<string, unknown>> | undefined> };

/** What is called if nobody says which. */
const readOnly: LintSelection = { which: 'read-only' };

/** Which server to lint, and how. */
export interface LintOptions {
  readonly select?: LintSelection;
  /** Default: every era the server speaks. */
  readonly eras?: readonly Era[];
  /** `file://` URIs the client declares as its roots. */
  readonly roots?: readonly string[];
  /** The name by which servers know this linter. */
  readonly client?: { readonly name: string; readonly version: string };
  /** How many milliseconds to wait for a silent server; 10,000 if absent. */
  readonly waitMs?: number;
  /** How many milliseconds to wait for the server to start, and for its tools; 30,000 if absent. */
  readonly startTimeoutMs?: number;
  readonly clock?: Clock;
  /** Called with a line on what is being done. */
  readonly onProgress?: (line: string) => void;
}

/** The findings. */
export interface LintReport {
  readonly server: { readonly name: string; readonly version: string };
  readonly eras: readonly Era[];
  readonly findings: readonly LintFinding[];
  /** Tool -> how many questions it asked at most in one call. */
  readonly tools: ReadonlyMap<string, number>;
  /** Which tools were to be called. */
  readonly select: LintSelection['which'];
  /** Tools that were not called, since nobody allowed it. */
  readonly notCalled: readonly string[];
  readonly calls: number;
  /** What could not be judged, including eras that were not reached; a sentence or two each. */
  readonly notes: readonly string[];
}

/** The most questions of one call whose refusal is tried separately. */
const deepest = 3;

/**
 * Lints a server.
 * @param open - makes a transport to the server; called for every connection
 * @throws MidcallError `host/not-found` if the server cannot be reached, `cli/usage` if a named tool does not exist
 */
export async function lint(open: () => Transport, options: LintOptions = {}): Promise<LintReport> {
  const linter = new Linter(open, options);
  try {
    return await linter.run();
  } finally {
    await linter.close();
  }
}

class Linter {
  readonly #open: () => Transport;
  readonly #options: LintOptions;
  readonly #sessions = new Map<string, LintSession>();
  readonly #findings: LintFinding[] = [];
  readonly #notes = new Set<string>();
  readonly #askCounts = new Map<string, number>();
  #calls = 0;

  constructor(open: () => Transport, options: LintOptions) {
    this.#open = open;
    this.#options = options;
  }

  async run(): Promise<LintReport> {
    const eras = await this.#eras();
    const { tools, server } = await this.#listed(eras);
    const { chosen, notCalled } = this.#choose(tools);
    for (const tool of chosen) await this.#tool(tool, eras);
    const findings = gathered(this.#findings);
    const [asksByTool, calls] = [this.#askCounts, this.#calls];
    const select = (this.#options.select ?? readOnly).which;
    return { server, eras, findings, select, tools: asksByTool, notCalled, calls, notes: [...this.#notes] };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(session => session.close()));
  }

  async #eras(): Promise<readonly Era[]> {
    const eras = this.#options.eras ?? bothEras;
    const spoken: Era[] = [];
    const failed: MidcallError[] = [];
    for (const era of eras) {
      try {
        await this.#session(era, 'accept');
        spoken.push(era);
      } catch (error) {
        if (!isMidcallError(error, 'host/not-found')) throw error;
        failed.push(error);
      }
    }
    // A revision that is not offered is no reason if there is another one: the SDK says so of any odd answer.
    if (spoken.length === 0) throw failed.find(({ cause }) => !isNotOffered(cause)) ?? failed.at(-1);
    for (const { message } of failed) this.#notes.add(`${message} Nothing was judged there.`);
    return spoken;
  }

  async #listed(eras: readonly Era[]): Promise<{ tools: readonly Tool[]; server: LintReport['server'] }> {
    const byName = new Map<string, Tool>();
    let server: LintReport['server'] = { name: '', version: '' };
    for (const era of eras) {
      const session = await this.#session(era, 'accept');
      server = session.server ?? server;
      for (const tool of await session.tools()) if (!byName.has(tool.name)) byName.set(tool.name, tool);
      for (const sentence of session.leftOut) this.#notes.add(sentence);
    }
    return { tools: [...byName.values()], server };
  }

  #choose(tools: readonly Tool[]): { chosen: readonly Tool[]; notCalled: readonly string[] } {
    const select = this.#options.select ?? readOnly;
    const names = tools.map(tool => tool.name);
    if (select.which === 'named') {
      const missing = [...select.tools.keys()].find(name => !names.includes(name));
      if (missing !== undefined) throw noSuchTool(missing, tools);
    }
    const chosen = tools.filter(tool => {
      if (select.which === 'named') return select.tools.has(tool.name);
      return select.which === 'all' || tool.annotations?.readOnlyHint === true;
    });
    return { chosen, notCalled: names.filter(name => !chosen.some(tool => tool.name === name)) };
  }

  async #tool(tool: Tool, eras: readonly Era[]): Promise<void> {
    const { select } = this.#options;
    const namedArgs = select?.which === 'named' ? select.tools.get(tool.name) : undefined;
    const about: Subject = {
      tool,
      args: namedArgs ?? sampleArguments(tool.inputSchema),
      sampled: namedArgs === undefined,
    };
    const careful = new Map<Era, PlayTrace[]>();
    for (const era of eras) careful.set(era, await this.#refusing(about, era));
    const asks = eras.some(era => careful.get(era)!.some(trace => trace.asks.length > 0));
    const accepted: PlayTrace[] = [];
    for (const era of eras) if (asks) accepted.push(...(await this.#accepting(about, era, careful.get(era)!)));
    for (const era of eras) {
      const [first] = careful.get(era)!;
      if (first && first.asks.length === 0 && accepted[0]) this.#add(judgeUnasked(first, accepted[0]), about, first);
    }
    const most = Math.max(0, ...eras.flatMap(era => careful.get(era)!.map(trace => trace.asks.length)));
    this.#askCounts.set(tool.name, most);
    if (most === 0) this.#unasked(about, careful.get(eras[0]!)![0]!);
  }

  /** The plays that should change nothing. */
  async #refusing(about: Subject, era: Era): Promise<PlayTrace[]> {
    const first = await this.#play(about, era, { name: 'decline', from: 0 });
    if (first.asks.length === 0) return [first];
    const traces = [first, await this.#play(about, era, { name: 'dismiss', from: 0 })];
    traces.push(await this.#play(about, era, { name: 'no-capability', from: 0 }));
    if (first.asks.some(ask => ask.params['mode'] === 'url'))
      traces.push(await this.#play(about, era, { name: 'form-only', from: 0 }));
    if (confirms(first)) traces.push(await this.#play(about, era, { name: 'unconfirmed', from: 0 }));
    return traces;
  }

  /** Accepts one more question each time and refuses the next, until all are accepted; then the other plays. */
  async #accepting(about: Subject, era: Era, traces: PlayTrace[]): Promise<readonly PlayTrace[]> {
    if (traces.every(trace => trace.asks.length === 0)) return [];
    let accepted: PlayTrace | undefined;
    for (let from = 1; from <= deepest && !accepted; from += 1) {
      const trace = await this.#play(about, era, { name: 'decline', from });
      if (trace.asks.length > from) {
        traces.push(trace, await this.#play(about, era, { name: 'dismiss', from }));
        if (confirms(trace)) traces.push(await this.#play(about, era, { name: 'unconfirmed', from }));
      } else accepted = { ...trace, play: { name: 'accept', from: 0 } };
    }
    accepted ??= await this.#play(about, era, { name: 'accept', from: 0 });
    const name = visible(about.tool.name, { max: 60 });
    if (accepted.asks.length === 0) {
      this.#notes.add(
        `${name}: on ${era} it asked no more after it was accepted once; that era’s accept was not compared.`,
      );
      return [];
    }
    traces.push(accepted);
    if (accepted.end.kind === 'page-open')
      this.#notes.add(`${name}: nobody finishes the page it opens; what it does then was not seen.`);
    if (accepted.end.kind === 'silent')
      this.#notes.add(`${name}: accepted on ${era}, it gave no result in time; a longer --wait may show one.`);
    if (requiresContent(accepted.asks)) traces.push(await this.#play(about, era, { name: 'bare', from: 0 }));
    for (const trace of traces) this.#compare(about, trace, accepted, traces[0]!);
    return [accepted];
  }

  #compare(about: Subject, trace: PlayTrace, accepted: PlayTrace, declined: PlayTrace): void {
    const breaches = judgeAgainstAccept(trace, accepted, declined);
    const name = visible(about.tool.name, { max: 60 });
    if (breaches === undefined)
      this.#notes.add(
        `${name}: accepting did not succeed with the answers made up here; refusals could not be compared with it.`,
      );
    this.#add([...(breaches ?? []), ...readsAbsent(trace, accepted)], about, trace);
  }

  #unasked(about: Subject, trace: PlayTrace): void {
    const { tool } = about;
    const name = visible(tool.name, { max: 60 });
    const failed = trace.end.kind === 'error' || (trace.end.kind === 'result' && trace.end.result['isError'] === true);
    const reply = visible(wordsOf(trace.end).replace(/\s+/g, ' '), { max: 120 });
    const advice = about.sampled && Object.keys(about.args).length > 0 ? ' Give real arguments with --args.' : '';
    if (failed && needsModel(trace))
      this.#notes.add(
        `${name}: it needs a language model, which lint does not have, so it could not be judged: "${reply}".`,
      );
    else if (failed) this.#notes.add(`${name}: it failed before it could ask: "${reply}".${advice}`);
    else if (trace.end.kind === 'silent') this.#notes.add(`${name}: it gave no result in time, and asked nothing.`);
    else if (tool.annotations?.destructiveHint === true) {
      const message = `It declares destructiveHint and asked nothing; it answered: "${reply}".`;
      this.#add([{ rule: 'destructive-unasked', message }], { tool }, trace);
    }
  }

  async #play(about: Subject, era: Era, play: Play): Promise<PlayTrace> {
    this.#options.onProgress?.(`${visible(about.tool.name, { max: 60 })}: ${play.name} on ${era}`);
    const session = await this.#session(era, play.name);
    const trace = await session.call(about.tool.name, about.args, play);
    this.#calls += 1;
    const tool = { argumentNames: argumentNames(about.tool.inputSchema) };
    const breaches = trace.requests.flatMap(ask => judgeAsk(ask, tool, era, play.name));
    if (trace.end.kind === 'error' && trace.end.code === -32042 && era === '2026-07-28')
      breaches.push({ rule: 'wrong-wire', message: 'It ended with -32042, which 2026-07-28 does not have.' });
    this.#add([...breaches, ...judgeTrace(trace)], about, trace);
    return trace;
  }

  #add(breaches: readonly Breach[], { tool }: Pick<Subject, 'tool'>, { era, play }: PlayTrace): void {
    for (const breach of breaches) this.#findings.push(finding(breach, tool.name, era, play.name));
  }

  /** A connection with what the play's client declares; reuses the previous one if nothing is left open on it. */
  async #session(era: Era, play: PlayName): Promise<LintSession> {
    const { waitMs = 10_000, startTimeoutMs = 30_000, clock = systemClock, roots = [] } = this.#options;
    const client = this.#options.client ?? { name: 'midcall-lint', version: '1.0.0' };
    const options = forPlay({ era, roots, client, waitMs, startTimeoutMs, clock }, play);
    const key = JSON.stringify([era, options.elicitation ?? null]);
    const current = this.#sessions.get(key);
    if (current && !current.soiled) return current;
    await current?.close();
    const session = await LintSession.open(this.#open(), options);
    this.#sessions.set(key, session);
    return session;
  }
}

interface Subject {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments were made up here. */
  readonly sampled: boolean;
}

const isNotOffered = (cause: unknown): boolean => notOfferedRevision((cause as Error).message) !== undefined;

/** True if a call failed for want of sampling, as far as its requests and words tell. */
const needsModel = ({ requests, end }: PlayTrace): boolean =>
  requests.some(({ method }) => method === 'sampling/createMessage') ||
  /language model|\bsampling\b/i.test(wordsOf(end));

const confirms = (trace: PlayTrace): boolean =>
  trace.asks.some(ask => asksForm(ask) && confirmations(fieldsOf(ask.params)).length > 0);
