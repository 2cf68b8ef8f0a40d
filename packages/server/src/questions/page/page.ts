/** The same question on a page of ours, where the host and the model cannot answer it. */
import { type Answer, type Assurance, assures, type Form, type Judging } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import type { Json } from '../../base/index.ts';
import type { AskChannel, ChannelCall, FormQuestion } from '../channel.ts';
import { formDigest } from '../form-digest.ts';
import { askAgain } from '../judge.ts';
import { ASK_AGAIN } from '../put-form.ts';
import { recordedCheck } from '../recorded-check.ts';
import { typedIn, validated, withProblems } from '../validated.ts';
import { gives, ways } from './plan.ts';

export const page: AskChannel = {
  name: 'page',
  onWhereNamed: true,
  reaches: (question, call) => worths(question, call).length > 0,
  assurance: (question, call) => worths(question, call).reduce((a, b) => (assures(b, a) ? b : a), 'relayed'),
  async put(question, call) {
    const { ask, form } = question;
    const { key, timeoutMs, assurance, channels } = ask;
    let { message } = ask;
    let { schema } = form;
    for (let attempt = 0; ; attempt++) {
      const answer = await call.askOnPage<Json>(
        {
          message,
          page: { kind: 'question', data: { schema: schema as unknown as Json } },
          ...defined({ key, timeoutMs, assurance, channels }),
        },
        refusedByHost(question),
      );
      const identity = ['page', message, formDigest(schema), key];
      const checkedAnswer = await checked(answer, form, recordedCheck(call.run, message, identity));
      const saidYes = answer.action === 'accept';
      const issues =
        checkedAnswer.action === 'accept' ? await validated(call.run, ask, checkedAnswer.content, identity) : undefined;
      if (!issues) return { answer: checkedAnswer, saidYes };
      if (attempt === ASK_AGAIN)
        return { answer: { action: 'cancel', reason: 'invalid', by: checkedAnswer.by }, saidYes };
      message = askAgain(ask.message, issues);
      schema = withProblems(form.schema, { issues, typed: typedIn(answer) });
    }
  },
};

/** A host that refused faster than a person reads may have no way to ask: only a link remains (plan-N3). */
const refusedByHost = ({ before }: FormQuestion): boolean => before !== undefined && !before.saidYes;

/** The assurance of the page, for each way in which it can be announced. */
function worths(question: FormQuestion, call: ChannelCall): readonly Assurance[] {
  const pages = call.pages();
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

/** The page's answer, checked by the form like any other. */
async function checked<T>(answer: Answer<Json>, form: Form<T>, judging: Judging): Promise<Answer<T>> {
  if (answer.action !== 'accept') return answer;
  const result = await form.check(answer.content, judging);
  if (result.ok) return { action: 'accept', content: result.value, by: answer.by };
  return { action: 'cancel', reason: 'invalid', by: answer.by };
}
