/** The input of a form that can no longer be sent, as texts to copy. Pure. */
import { labelOf } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
import { type Question, secretsOf } from '../../index.ts';
import { texts } from '../texts/index.ts';
import { contentOf, type Draft, first, readable, untouched } from './draft.ts';

/** One control and its input. */
export interface Typed {
  readonly label: string;
  readonly text: string;
}

/**
 * What differs from the form's initial state; nothing if it was not changed.
 * @param zone - the person's time zone, in which times are filled in
 */
export function typedIn(question: Question, draft: Draft, zone: string): readonly Typed[] {
  switch (question.kind) {
    case 'form': {
      const before = untouched(question.fields, zone);
      const { content } = contentOf(question.fields, draft);
      const secrets = secretsOf(question);
      return question.fields.flatMap((field, at) => {
        const [was, is] = [before.get(`f${at}`) ?? [], draft.get(`f${at}`) ?? []];
        if (secrets.has(field.name) || is.join('\n') === '' || was.join('\n') === is.join('\n')) return [];
        const text = Object.hasOwn(content, field.name) ? readable(field, content[field.name]) : is.join('\n');
        return [{ label: labelOf(field), text }];
      });
    }
    case 'sampling-request':
      return [
        ...changed(texts.sampling.system, question.systemPrompt, first(draft, 'system')),
        ...question.messages.flatMap(({ role, content }, at) =>
          blocks(texts.sampling.role[role] ?? role, `m${at}`, content, draft),
        ),
      ];
    case 'sampling-reply':
      return blocks(texts.sampling.ownReply, 'c', question.content, draft);
    default:
      return [];
  }
}

const changed = (label: string, was: string | undefined, is: string | undefined): readonly Typed[] =>
  is === undefined || is === '' || is === was?.replace(/\r\n?/g, '\n') ? [] : [{ label, text: is }];

const blocks = (label: string, prefix: string, all: readonly unknown[], draft: Draft): readonly Typed[] =>
  all.flatMap((block, at) => {
    const was = isRecord(block) && typeof block['text'] === 'string' ? block['text'] : undefined;
    return changed(label, was, first(draft, `${prefix}.b${at}`));
  });
