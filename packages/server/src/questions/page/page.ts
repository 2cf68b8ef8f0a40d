/** The same question on a page of ours, where the host and the model cannot answer it. */
import { type Assurance, assures } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import type { Json } from '../../base/index.ts';
import type { Journal } from '../../engine/index.ts';
import { type Config, detailsDigest } from '../../request/index.ts';
import type { AskChannel, ChannelCall, FormQuestion } from '../channel.ts';
import { formDigest } from '../form-digest.ts';
import { putUntilItFits } from '../put-form.ts';
import { recordedCheck, withProblems } from '../validated.ts';
import { gives, noPages, type Plan, pageSwitch, ways } from './plan.ts';

export const page: AskChannel = {
  ...pageSwitch,
  byDefault: true,
  tickets: 'any-client',
  showsDetails: true,
  because: {
    suspect: 'nobody on the page proved to be the person who was asked.',
    error: 'the page failed or was taken back. If it had been sent, it may be done: find out before trying again.',
  },
  waiting: {
    // If this process has no pages, only their expiry is known.
    look: async (pageId, { pages }) => (await pages?.outcome(pageId, 0)) === undefined,
    cancel: async (pageId, { pages }) => (await pages?.withdraw(pageId, true)) ?? false,
  },
  lacks: ({ pages }) => (pages ? undefined : noPages),
  reaches: (question, call) => worths(question, call).length > 0,
  assurance: (question, call) => worths(question, call).reduce((a, b) => (assures(b, a) ? b : a), 'relayed'),
  put: (question, call) =>
    putUntilItFits(question, call, async (message, before) => {
      const { ask, form } = question;
      const { key, timeoutMs, assurance, channels, details } = ask;
      const schema = before ? withProblems(form.schema, before) : form.schema;
      const answer = await call.askOnPage<Json>(
        {
          message,
          page: { kind: 'question', data: { schema: schema as unknown as Json, ...defined({ details }) } as Json },
          ...defined({ key, timeoutMs, assurance, channels }),
        },
        refusedByHost(question),
      );
      const identity = [
        'page',
        message,
        formDigest(schema),
        key,
        ...(details === undefined ? [] : [detailsDigest(details)]),
      ];
      if (answer.action !== 'accept') return { judged: { answer }, got: undefined, identity };
      const { by } = answer;
      const checked = await form.check(answer.content, recordedCheck(call.run, message, identity));
      const judged = checked.ok
        ? { answer: { action: 'accept', content: checked.value, by } as const }
        : { issues: checked.issues, by };
      return { judged, got: answer, identity };
    }),
  withdraw: withdrawPages,
  putWizard: async (question, call) =>
    (await call.run.guarded(() => import('./wizard-page.ts'))).putWizardOnPage(question, call),
};

/** A host that refused faster than a person reads may have no way to ask: only a link remains (plan-N3). */
const refusedByHost = ({ before }: FormQuestion): boolean => before !== undefined && !before.saidYes;

/** The assurance of the page, for each way in which it can be announced. */
function worths(question: FormQuestion, call: ChannelCall): readonly Assurance[] {
  const { pages } = call;
  if (!pages) return [];
  const { message, channels, timeoutMs = call.config.askTimeoutMs } = question.ask;
  const pageQuestion = {
    message,
    page: { kind: 'question', data: null },
    demanded: undefined,
    channels,
    timeoutMs,
    asError: false,
    onlyLink: refusedByHost(question),
  };
  return ways(pageQuestion, call.request, pages, call.config).map(({ check }) => gives[check]);
}

/** Withdraws the pages in a journal; one that is finished stays as it is. Never rejects. */
export async function withdrawPages(journal: Journal, { pages, waiting }: Pick<Config, 'pages' | 'waiting'>) {
  for (const { kind, value } of journal) {
    const plan = kind === 'url' ? (value as unknown as Partial<Plan> | null) : undefined;
    if (plan?.kind !== 'announced') continue;
    const { pageId } = (plan as Extract<Plan, { kind: 'announced' }>).at;
    await waiting.remove({ kind: 'page', ref: pageId });
    await pages?.withdraw(pageId).catch(() => false);
  }
}
