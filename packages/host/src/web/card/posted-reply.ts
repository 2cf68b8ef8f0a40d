/** What a card posted, as the reply that it stands for. Pure. */
import { type Issue, isWayBack } from '@midcall/core/form';
import type { Question, Reply, RootsQuestion } from '../../index.ts';
import { contentOf, type Draft, first } from '../form/index.ts';
import { grantChoice } from './call-body.ts';
import { samplingEdits } from './sampling-body.ts';

/** What the pressed button says. One that goes back says which form in place of an action: an answer as well. */
export function postedAction(question: Question, draft: Draft): string | undefined {
  const action = first(draft, 'action');
  if (action !== undefined || question.kind !== 'form') return action;
  const wayBack = question.fields.findIndex(isWayBack);
  return wayBack >= 0 && first(draft, `f${wayBack}`) !== undefined ? 'accept' : undefined;
}

/** An accepting reply as posted, and what is wrong with it before the inbox checks it. */
export function postedAnswer(
  question: Exclude<Question, RootsQuestion>,
  draft: Draft,
): { readonly reply: Reply; readonly issues: readonly Issue[] } {
  const accept = (content?: Readonly<Record<string, unknown>>): Reply => ({
    action: 'accept',
    ...(content && { content }),
  });
  switch (question.kind) {
    case 'form': {
      const { content, issues } = contentOf(question.fields, draft);
      return { reply: accept(content), issues };
    }
    case 'url':
    case 'url-finish':
    case 'sign-in':
      return { reply: accept(), issues: [] };
    case 'call':
      return {
        reply: first(draft, 'action') === 'grant' ? accept({ grant: grantChoice(draft) }) : accept(),
        issues: [],
      };
    case 'sampling-request':
    case 'sampling-reply':
      return { reply: accept(samplingEdits(question, draft)), issues: [] };
  }
}
