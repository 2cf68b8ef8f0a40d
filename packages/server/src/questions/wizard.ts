/**
 * Asks several forms as one question: on one page if the question goes by page, otherwise one form after another; then shows
 * all answers, from where the person may go back to any form.
 *
 * - wizard-W1 Nothing is accepted before the person has seen all their answers together and sent them.
 * - wizard-W2 The person's input is restored when they come back to a form, even to one that did not apply in the meantime.
 * - wizard-W3 The handler gets the same content either way: the forms that apply, each checked by its own rules and its
 *   `validate`, which runs again if an earlier form was changed.
 * - wizard-W4 From every form the person can go back to earlier ones without filling it in first.
 * - wizard-W5 In the journal, a page is one question; otherwise each form is one, as if the handler had asked it with
 *   `call.elicit`. So replays, tasks and other replicas need no rules for wizards.
 */
import { type Answer, assures, type By, form as compile, type Form, type Issue } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import type { ElicitAsk } from '../request/index.ts';
import type { ChannelCall, FormAsk, FormQuestion, WizardContents } from './channel.ts';
import { askAgain } from './judge.ts';
import { ladder } from './ladder.ts';
import { ASK_AGAIN } from './put-form.ts';
import { type AnyWizard, readWizard } from './read-wizard.ts';
import { validated } from './validated.ts';
import { again, applying, contentsOf, type FormAnswer, type OpenForm, summary } from './wizard-forms.ts';
import { type WizardInput, withWayBack } from './wizard-way-back.ts';

/** Asks the person one question on the channel that the ladder selects. */
export interface WizardCall extends ChannelCall {
  putQuestion<T>(question: FormQuestion<T>): Promise<Answer<T>>;
}

type Reach = Pick<ElicitAsk<never>, 'timeoutMs' | 'assurance' | 'channels' | 'required'>;

/** @param check - rejects an ask whose channels or assurance are impossible for this call */
export async function askWizard(
  call: WizardCall,
  ask: AnyWizard,
  check: (ask: FormAsk<unknown>) => void,
): Promise<Answer<WizardContents>> {
  const forms = readWizard(ask);
  const { message, timeoutMs, assurance, channels, required } = ask;
  const reach: Reach = defined({ timeoutMs, assurance, channels, required });
  const first = questionOf(message, forms[0]!.form, reach);
  check(first.ask);
  const channel = ladder(first, call);
  if (channel?.putWizard) return channel.putWizard({ message, forms, ...reach }, call);
  return new Sequence(call, message, forms, reach).ask();
}

const questionOf = <T>(
  message: string,
  form: Form<T>,
  reach: Reach,
  more: { readonly wayBack?: string | undefined } = {},
): FormQuestion<T> => ({
  ask: { message, ...reach },
  form,
  withdrawn: undefined,
  ...defined(more),
});

/** One form after the other. */
class Sequence {
  readonly #call: WizardCall;
  readonly #message: string;
  readonly #forms: readonly OpenForm[];
  readonly #reach: Reach;
  /** The last answer to each form, even to one that no longer applies (wizard-W2). */
  readonly #answers = new Map<string, FormAnswer>();
  /** Input in a form that was left for an earlier one; restored when the form is shown again. */
  readonly #left = new Map<string, FormAnswer['typed']>();
  /** Forms to be validated again, since an earlier one was changed (wizard-W3). */
  readonly #stale = new Set<string>();
  /**
   * How often `validate` has rejected a form since it was last valid: the wizard ends if one never is, even if the person goes
   * back.
   */
  readonly #refusals = new Map<string, number>();
  #by: By | undefined;

  constructor(call: WizardCall, message: string, forms: readonly OpenForm[], reach: Reach) {
    this.#call = call;
    this.#message = message;
    this.#forms = forms;
    this.#reach = reach;
  }

  async ask(): Promise<Answer<WizardContents>> {
    let changed: string | undefined;
    for (let count = 0; ; count++) {
      const forms = applying(this.#forms, this.#answers);
      const next = forms.find(
        ({ name }) => name === changed || this.#left.has(name) || this.#stale.has(name) || !this.#answers.has(name),
      );
      if (next) {
        const outcome = await this.#askForm(next, forms, count);
        if (typeof outcome === 'object') return outcome;
        if (outcome !== undefined || next.name === changed) changed = outcome;
      } else {
        const by = this.#by!;
        if (forms.length === 1) return { action: 'accept', content: contentsOf(forms, this.#answers), by };
        const reviewed = await this.#review(forms);
        if (reviewed.action !== 'accept') return reviewed;
        if (reviewed.content.next === SEND)
          return { action: 'accept', content: contentsOf(forms, this.#answers), by: this.#by! };
        changed = reviewed.content.next;
      }
    }
  }

  /**
   * Asks a form that is new, is to be changed, or is no longer valid.
   * @returns nothing if it is now valid; the name of an earlier form to change; or the final answer if it is not an accept
   */
  async #askForm(
    open: OpenForm,
    forms: readonly OpenForm[],
    count: number,
  ): Promise<Answer<never> | string | undefined> {
    const { name, title } = open;
    const formsBefore = forms.slice(0, forms.indexOf(open));
    const earlier = contentsOf(formsBefore, this.#answers);
    const validate = open.validate && ((content: unknown) => open.validate!(content, earlier));
    const message = `${this.#message}\n\nStep ${formsBefore.length + 1}: ${title}`;
    const problems = async (content: unknown, attempt: number): Promise<readonly Issue[]> => {
      const identity = [name, count, attempt];
      const found = (await validated(this.#call.run, { message, ...defined({ validate }) }, content, identity)) ?? [];
      this.#refusals.set(name, found.length > 0 ? (this.#refusals.get(name) ?? 0) + 1 : 0);
      return found;
    };
    const isRefusedTooOften = (): boolean => this.#refusals.get(name)! > ASK_AGAIN;
    let standing = this.#answers.get(name);
    let typed = this.#left.get(name) ?? standing?.typed;
    let issues: readonly Issue[] = [];
    if (standing && this.#stale.delete(name) && !this.#left.has(name)) {
      issues = await problems(standing.content, 0);
      if (issues.length === 0) return undefined;
      if (isRefusedTooOften()) return this.#invalid();
    }
    this.#left.delete(name);
    for (let attempt = 1; ; attempt++) {
      let input: WizardInput = { typed: {}, fits: true };
      const shown = typed ? again(open.form, { issues, typed }) : open.form;
      const { form, wayBack } = withWayBack(shown, formsBefore, got => {
        input = got;
      });
      const asked = issues.length === 0 ? message : askAgain(message, issues);
      const answer = await this.#call.putQuestion(questionOf(asked, form, this.#reach, { wayBack }));
      if (answer.action !== 'accept') return answer as Answer<never>;
      this.#by = weakest(this.#by, answer.by);
      const { goTo, fits } = input;
      typed = input.typed;
      // A rejected form is only validated again after an earlier one was changed: that may be all that was wrong.
      if (goTo !== undefined && (issues.length === 0 || !fits)) {
        this.#left.set(name, typed);
        return goTo;
      }
      standing = { content: answer.content, typed };
      if (goTo === undefined) {
        issues = await problems(standing.content, attempt);
        if (isRefusedTooOften()) return this.#invalid();
        if (issues.length > 0) continue;
      } else {
        this.#stale.add(name);
      }
      this.#answers.set(name, standing);
      for (const later of this.#forms.slice(this.#forms.indexOf(open) + 1)) {
        if (later.validate && this.#answers.has(later.name)) this.#stale.add(later.name);
      }
      return goTo;
    }
  }

  #invalid(): Answer<never> {
    return { action: 'cancel', reason: 'invalid', by: this.#by! };
  }

  /** Shows all answers (wizard-W1). @returns SEND, or the name of the form to change */
  async #review(forms: readonly OpenForm[]): Promise<Answer<{ readonly next: string }>> {
    const lines = forms.map(open => `${open.title}: ${summary(open, this.#answers.get(open.name)!)}`);
    const message = cut(`${this.#message}\n\nCheck your answers.\n${lines.join('\n')}`);
    const answer = await this.#call.putQuestion(questionOf(message, reviewForm(forms), this.#reach));
    if (answer.action === 'accept') this.#by = weakest(this.#by, answer.by);
    return answer;
  }
}

/** No form has this name. */
const SEND = '.send';

const reviewForm = (forms: readonly OpenForm[]) =>
  compile({
    type: 'object',
    properties: {
      next: {
        type: 'string',
        title: 'Send them?',
        oneOf: [
          { const: SEND, title: 'Send these answers' },
          ...forms.map(({ name, title }) => ({ const: name, title: `Change: ${title}` })),
        ],
      },
    },
    required: ['next'],
  }) as Form<{ readonly next: string }>;

/** The limit of a message; answers that do not fit can be seen by going back to their form. */
const LONGEST = 2_000;
const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

/** The combined assurance of several answers, and how long they took. */
function weakest(all: By | undefined, one: By): By {
  if (!all) return one;
  const { channel, assurance } = assures(one.assurance, all.assurance) ? all : one;
  const suspect = all.suspect ?? one.suspect;
  return { channel, assurance, elapsedMs: all.elapsedMs + one.elapsedMs, ...defined({ suspect }) };
}
