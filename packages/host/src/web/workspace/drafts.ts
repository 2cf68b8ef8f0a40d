/**
 * The content of open questions' forms, so that a closed tab does not lose it. It is only in the memory of this process: what a
 * browser stores for a port of 127.0.0.1 can be read by the next server on that port.
 *
 * - drafts-D1 No secret is kept.
 * - drafts-D2 A draft is dropped if the person ended its question. If the question ended without them, the draft is left for
 *   copying.
 */
import { isCardNumber } from '@midcall/core/form';
import { type Ending, type Question, secretsOf } from '../../index.ts';
import type { Draft } from '../form/index.ts';

/** The most characters of a draft; a longer one is not stored. */
const longest = 1_000_000;

/** What our own controls post besides the person's input. */
const controlNames: ReadonlySet<string> = new Set(['csrf', 'action', 'visited', 'mute-for']);

/** drafts-D1. The draft without our own values and without secrets; a secret's default, which nobody typed, stays. */
export function keepable(question: Question, draft: Draft): Draft {
  const storable = new Map(
    [...draft].filter(([name, values]) => !controlNames.has(name) && !values.some(isCardNumber)),
  );
  if (question.kind !== 'form') return storable;
  const secrets = secretsOf(question);
  for (const [at, field] of question.fields.entries()) {
    if (!secrets.has(field.name)) continue;
    if (field.default === undefined) storable.delete(`f${at}`);
    else storable.set(`f${at}`, [String(field.default)]);
  }
  return storable;
}

/** True if somebody decided how a question ended, so that input elsewhere is useless. */
export const endedByPerson = (ending: Ending): boolean => 'via' in ending;

const lengthOf = (draft: Draft): number =>
  [...draft.values()].reduce((sum, values) => sum + values.reduce((own, each) => own + each.length, 0), 0);

/** Drafts by question. */
export class Drafts {
  readonly #drafts = new Map<string, Draft>();

  /** Stores the present content of an open question's form, in place of the former. */
  keep(question: Question, draft: Draft): void {
    if (lengthOf(draft) <= longest) this.#drafts.set(question.id, keepable(question, draft));
  }

  of(questionId: string): Draft | undefined {
    return this.#drafts.get(questionId);
  }

  /** Takes the draft of a question that has ended. @returns it if it is left for copying */
  end(questionId: string, ending: Ending): Draft | undefined {
    const draft = this.#drafts.get(questionId);
    this.#drafts.delete(questionId);
    return endedByPerson(ending) ? undefined : draft;
  }
}
