/**
 * One call of `doctor`: runs the checks one after the other, and notes each in the chart before and after. Every check ends by
 * itself, whatever its outcome, so that none keeps the others out of the report.
 */

import type { Answer, Form } from '@midcall/core/form';
import { textOf } from '@midcall/core/sampling';
import type { Call } from '@midcall/server';
import { confirm } from '@midcall/server/connect';
import type { Chart } from './chart.ts';
import { type CheckName, type Finding, finding, type RowName } from './checks.ts';
import { judgeFields, judgePage, judgeRefusal, judgeReply, judgeRoots, judgeWord } from './judge.ts';
import {
  declineQuestion,
  dismissQuestion,
  draw,
  fieldsQuestion,
  fieldsWanted,
  pageMessage,
  type Question,
  type RandomValues,
  samplingPrompt,
  wordQuestion,
} from './questions.ts';

export interface Examination {
  readonly chart: Chart;
  /** The checks that were named; the remaining ones if absent. */
  readonly requested: readonly CheckName[] | undefined;
  /** How many milliseconds each question may take. */
  readonly waitMs: number;
  /** A random whole number below its argument. */
  readonly random: (limit: number) => number;
  /** True if the client declares that it announces changes to its roots. */
  readonly announcesRoots: boolean;
  /** Why no page can be shown from here; undefined if one can. */
  readonly noPages: string | undefined;
  /** Called for every finding. */
  readonly report: () => Promise<void>;
}

/** A page is abandoned before the rounds of a 2026-07-28 client are used up, each of which waits less than a minute for it. */
const PAGE_TIMEOUT_MS = 90_000;

type Findings = ReadonlyMap<RowName, Finding>;

/** The checks in which the person takes part; numbered for them. */
const questionChecks: readonly CheckName[] = ['form', 'fields', 'decline', 'dismiss', 'page'];

export async function examine(call: Call, examination: Examination): Promise<void> {
  const { chart, requested, report, random } = examination;
  const plan = await call.step('plan', () => ({ ...chart.plan(requested), drawn: draw(random) }));
  call.defer(() => chart.leave());
  const questions = plan.checks.filter(check => questionChecks.includes(check));
  for (const check of plan.checks) {
    const number = questions.indexOf(check) + 1;
    const lead = number > 0 ? `Midcall doctor, ${number} of ${questions.length}. ` : '';
    await call.step(`put ${check}`, () => {
      chart.put(check);
      return null;
    });
    const findings = await attempt(check, lead, plan.drawn, call, examination);
    await call.step(`settle ${check}`, async () => {
      chart.settle(check, findings());
      await report();
      return null;
    });
  }
}

/** @returns a function that makes the findings, within a step of their own, since some of them read the clock */
async function attempt(
  check: CheckName,
  lead: string,
  drawn: RandomValues,
  call: Call,
  { chart, waitMs, announcesRoots, noPages }: Examination,
): Promise<() => Findings> {
  const ask = (question: Question): Promise<Answer<unknown>> =>
    call.elicit({ message: lead + question.message, form: asItCame(question.form), timeoutMs: waitMs });
  const one = (row: RowName, result: Finding): Findings => new Map([[row, result]]);
  switch (check) {
    case 'roots': {
      const roots = await call.roots().catch(() => undefined);
      return () => one(check, judgeRoots(roots, chart.since(check), { announces: announcesRoots }));
    }
    case 'sampling': {
      const reply = await sampled(call, drawn, waitMs);
      return () => one(check, judgeReply(drawn.reply, chart.since(check), reply));
    }
    case 'form': {
      const answer = await ask(wordQuestion(drawn));
      return () => one(check, judgeWord(drawn.word, answer));
    }
    case 'fields': {
      const question = fieldsQuestion(drawn);
      const answer = await ask(question);
      return () => judgeFields(question.form, fieldsWanted(drawn), answer);
    }
    case 'decline':
    case 'dismiss': {
      const answer = await ask(check === 'decline' ? declineQuestion : dismissQuestion);
      return () => one(check, judgeRefusal(check, answer));
    }
    case 'page': {
      if (noPages) return () => one(check, finding('not-tried', 0, noPages));
      const timeoutMs = Math.min(waitMs, PAGE_TIMEOUT_MS);
      const page = confirm({ title: 'Did you open this page yourself?', allow: 'Yes, I did' });
      const message = lead + pageMessage;
      const answer = await call.elicitUrl({ message, page, assurance: 'in-band', channels: ['native'], timeoutMs });
      return () => one(check, judgePage(answer, timeoutMs));
    }
  }
}

async function sampled(
  call: Call,
  drawn: RandomValues,
  timeoutMs: number,
): Promise<{ readonly text: string } | { readonly error: unknown }> {
  try {
    const text = samplingPrompt(drawn);
    const reply = await call.sample({
      messages: [{ role: 'user', content: { type: 'text', text } }],
      maxTokens: 50,
      timeoutMs,
    });
    return { text: textOf(reply) };
  } catch (error) {
    return { error };
  }
}

/** How forms recognize each other across copies of the package; see `isForm`. */
const formMark = Symbol.for('midcall.form');

/**
 * The same form, with unchecked content. Everywhere else, an answer that does not fit is asked for again and never counts; the
 * doctor checks whether it fits.
 */
function asItCame({ schema, fields }: Form<unknown>): Form<unknown> {
  return Object.freeze({
    [formMark]: true,
    schema,
    fields,
    library: false,
    check: async (content: unknown) => ({ ok: true, value: content }) as const,
  });
}
