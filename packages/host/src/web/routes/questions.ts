/** Answers questions: the one place where what a person posted becomes a reply. */

import { isMidcallError } from '@midcall/core/errors';
import type { Context, Hono } from 'hono';
import { areAlike, type Question, type Receipt, type Reply, type RootsQuestion, secretsOf } from '../../index.ts';
import { readProposal } from '../apps/index.ts';
import { grantedRoots, issuesOf, mayBeAllowed, newFolder, postedAction, postedAnswer } from '../card/index.ts';
import { contentOf, type Draft, draftFrom, first, visitedIssues } from '../form/index.ts';
import {
  callPage,
  callPath,
  openingPage,
  questionPage,
  type Returned,
  type TogetherView,
  togetherPage,
  togetherPath,
} from '../pages/index.ts';
import { keptTexts, texts } from '../texts/index.ts';
import { type CallView, durationOf } from '../workspace/index.ts';
import { callContext, cardContext, type Desk, missing, offerFolder, posted, redirect, show } from './context.ts';

/** The name this view answers under. */
export const via = 'web';

export function questionRoutes(app: Hono, desk: Desk): void {
  const { workspace } = desk;

  /** The folders that are ticked, and the one that is named, which is offered now. */
  const sharing = async (question: RootsQuestion, draft: Draft): Promise<ReturnType<typeof postedAnswer>> => {
    const uris = grantedRoots(question, draft);
    const named = (first(draft, newFolder) ?? '').trim();
    if (named === '' || !workspace.inbox.get(question.id))
      return { reply: { action: 'accept', content: { uris } }, issues: [] };
    try {
      const added = [await offerFolder(workspace, named)];
      return { reply: { action: 'accept', content: { uris, added } }, issues: [] };
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return { reply: { action: 'accept' }, issues: [{ field: newFolder, rule: 'folder', message: error.message }] };
    }
  };

  /** The call on whose page a question is: its own or, if it names none, the one that it was answered from. */
  const callOf = (question: Question, draft: Draft): CallView | undefined => {
    const call = workspace.calls.get(question.call?.id ?? first(draft, 'at') ?? '');
    return call?.items.some(item => 'question' in item && item.question.id === question.id) ? call : undefined;
  };

  const pageOf = (id: string, draft: Draft, more: { readonly returned?: Returned; readonly notice?: string }) => {
    const view = workspace.calls.question(id);
    const call = view && callOf(view.question, draft);
    if (call) return callPage(call, { ...callContext(desk, call), ...more });
    return view && questionPage(view, { ...cardContext(desk), ...more });
  };

  const back = (
    context: Context,
    id: string,
    draft: Draft,
    more: { readonly returned?: Returned; readonly notice?: string },
    status: 200 | 409 | 422,
  ) => {
    const content = pageOf(id, draft, more);
    return content ? show(context, desk, content, status) : missing(context, desk, texts.question.unknown);
  };

  /** Where the ending of a question is shown. */
  const endPath = (question: Question, draft: Draft): string => {
    const call = callOf(question, draft);
    const place = call ? callPath(call.context.id) : `/questions/${encodeURIComponent(question.id)}`;
    return `${place}#q-${question.id}-end`;
  };

  /** Why an answer was not sent. Somebody who sends one once more, as the first was not seen to arrive, learns that it did. */
  const tooLate = ({ kind }: Question, receipt: Extract<Receipt, { readonly ok: false }>): string => {
    const ending = receipt.problem === 'ended' ? receipt.ending : undefined;
    const isOwn = ending !== undefined && 'via' in ending && ending.via === via;
    return isOwn ? keptTexts.answeredBefore(texts.ending.sentence(ending, kind)) : texts.question.alreadyEnded;
  };

  const received = (context: Context, question: Question, draft: Draft, receipt: Receipt): Response => {
    if (receipt.ok) return redirect(context, desk, endPath(question, draft));
    workspace.calls.typed(question.id, draft, true);
    if (receipt.problem === 'invalid')
      return back(context, question.id, draft, { returned: { id: question.id, draft, issues: receipt.issues } }, 422);
    return back(context, question.id, draft, { notice: tooLate(question, receipt) }, 409);
  };

  const opening = (context: Context, href: string): Response => {
    context.header('referrer-policy', 'no-referrer');
    return context.html(openingPage(href, desk.assets.paths)) as Response;
  };

  app.post('/questions/:question', async context => {
    const question = workspace.calls.question(context.req.param('question'))?.question;
    if (!question) return missing(context, desk, texts.question.unknown);
    const draft = posted(context);
    const action = postedAction(question, draft);
    if (action === 'mute') {
      if (!workspace.inbox.get(question.id))
        return back(context, question.id, draft, { notice: texts.question.alreadyEnded }, 409);
      try {
        await workspace.decisions.mute(question.asker.id, durationOf(first(draft, 'mute-for')));
      } catch (error) {
        if (!isMidcallError(error)) throw error;
        return back(context, question.id, draft, { notice: error.message }, 409);
      }
      return redirect(context, desk, endPath(question, draft));
    }
    const last = action === 'same' && question.kind === 'form' ? workspace.calls.lastAnswer(question) : undefined;
    if (last && question.kind === 'form') {
      const filled = draftFrom(question.fields, last, desk.zone);
      workspace.calls.typed(question.id, filled);
      return back(context, question.id, draft, { returned: { id: question.id, draft: filled, issues: [] } }, 200);
    }
    if (action === 'review' && question.kind === 'form') {
      workspace.calls.typed(question.id, draft);
      const read = contentOf(question.fields, draft);
      return back(
        context,
        question.id,
        draft,
        { returned: { id: question.id, draft, issues: issuesOf(question, read) } },
        200,
      );
    }
    // The inbox refuses what no button of the card posts.
    const accepts =
      action === 'accept' ||
      (action === 'allow' && mayBeAllowed(question)) ||
      (action === 'grant' && question.kind === 'call');
    if (!accepts)
      return received(context, question, draft, await workspace.inbox.reply(question.id, { action } as Reply, via));
    const { reply, issues } =
      question.kind === 'roots' ? await sharing(question, draft) : postedAnswer(question, draft);
    if (issues.length > 0) {
      workspace.calls.typed(question.id, draft, true);
      return back(context, question.id, draft, { returned: { id: question.id, draft, issues } }, 422);
    }
    // Signing in happens on its page, and the question ends when that is done.
    if (question.kind === 'sign-in' && question.url.openable && workspace.inbox.get(question.id))
      return opening(context, question.url.href);
    const receipt = await workspace.inbox.reply(question.id, reply, via);
    if (receipt.ok && action === 'allow')
      await workspace.decisions.make({ server: question.asker.id, subject: 'sampling', effect: 'allow' });
    if (receipt.ok && question.kind === 'url') return opening(context, question.url.href);
    return received(context, question, draft, receipt);
  });

  /** The questions about calls that an address or a form names. */
  const calls = (ids: readonly string[]): readonly TogetherView[] =>
    [...new Set(ids)].flatMap(id => {
      const view = workspace.calls.question(id);
      return view?.question.kind === 'call' ? [view as TogetherView] : [];
    });

  const together = (context: Context, ids: readonly string[], notice?: string): Response => {
    const [first, ...others] = calls(ids);
    if (!first) return missing(context, desk, texts.question.unknown);
    const alike = others.filter(({ question }) => areAlike(first.question, question));
    const content = togetherPage([first, ...alike], { ...cardContext(desk), ...(notice !== undefined && { notice }) });
    return show(context, desk, content, notice === undefined ? 200 : 409);
  };

  app.get('/calls-together', context => together(context, context.req.queries('question') ?? []));

  app.post('/calls-together', async context => {
    const draft = posted(context);
    const action = first(draft, 'action');
    const named = draft.get('question') ?? [];
    // Each question gets a reply of its own, and ends once: one that has ended meanwhile does not keep the others open.
    const receipts = await Promise.all(
      calls(named).map(({ question }) => workspace.inbox.reply(question.id, { action } as Reply, via)),
    );
    const late = receipts.filter(receipt => !receipt.ok && receipt.problem !== 'invalid').length;
    if (late > 0) return together(context, named, texts.callQuestion.together.hadEnded(late));
    return redirect(context, desk, togetherPath(calls(named).map(({ question }) => question)));
  });

  app.post('/questions/:question/draft', async context => {
    workspace.calls.typed(context.req.param('question'), posted(context));
    return context.body(null, 204);
  });

  app.post('/questions/:question/proposal', async context => {
    const view = workspace.calls.question(context.req.param('question'));
    if (view?.question.kind !== 'form' || view.ending) return missing(context, desk, texts.question.unknown);
    const { question } = view;
    const { fields } = question;
    const draft = posted(context);
    const form = { fields, secrets: secretsOf(question), zone: desk.zone };
    const proposal = readProposal(first(draft, 'proposal') ?? '', draft, form);
    if (!proposal.ok) return context.text(proposal.issues.map(({ message }) => message).join(' '), 422);
    workspace.calls.typed(question.id, proposal.draft);
    const issues = visitedIssues(fields, proposal.draft, issuesOf(question, contentOf(fields, proposal.draft)));
    return back(
      context,
      question.id,
      proposal.draft,
      { returned: { id: question.id, draft: proposal.draft, issues } },
      200,
    );
  });

  app.post('/questions/:question/check', async context => {
    const view = workspace.calls.question(context.req.param('question'));
    if (view?.question.kind !== 'form') return missing(context, desk, texts.question.unknown);
    const { question } = view;
    const draft = posted(context);
    if (view.ending) {
      workspace.calls.typed(question.id, draft);
      return missing(context, desk, texts.question.unknown);
    }
    workspace.calls.typed(question.id, draft);
    const { fields } = question;
    const issues = visitedIssues(fields, draft, issuesOf(question, contentOf(fields, draft)));
    return back(context, question.id, draft, { returned: { id: question.id, draft, issues } }, 200);
  });
}
