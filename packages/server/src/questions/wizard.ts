/**
 * Asks several forms as one question: on one page if the question goes by page, otherwise one form after another; then shows
 * all answers, from where the person may go back to any form. Where a client's rounds are few, forms share one.
 *
 * - wizard-W1 Nothing is accepted before the person has seen all their answers together and sent them.
 * - wizard-W2 The person's input is restored when they come back to a form, even to one that did not apply in the meantime.
 * - wizard-W3 The handler gets the same content either way: the forms that apply, each checked by its own rules and its
 *   `validate`, which runs again if an earlier form was changed.
 * - wizard-W4 From every form the person can go back to forms they answered before without filling it in first, as long as there
 *   are rounds for it.
 * - wizard-W6 No answer is lost to a round that is missing: forms that do not depend on each other share a round if the client's
 *   rounds would not be enough otherwise, the last round is left for the look at all answers, and what cannot fit is refused
 *   before the first question.
 * - wizard-W5 In the journal, a page is one question; otherwise each form is one, as if the handler had asked it with
 *   `call.elicit`. So replays, tasks and other replicas need no rules for wizards.
 */
import { MidcallError } from '@midcall/core/errors';
import {
  type Answer,
  assures,
  type By,
  checkContent,
  form as compile,
  type Form,
  formLimits,
  type Issue,
  readForm,
  refuseSecretMessage,
  type WireSchema,
  withWayBackField,
} from '@midcall/core/form';
import { defined, isRecord, isTexts } from '@midcall/core/json';
import {
  checkKind,
  checkOptions,
  func,
  type Kinds,
  name as nameKind,
  parts,
  required,
  text,
} from '@midcall/core/options';
import { shortLabel } from '../engine/index.ts';
import {
  type ElicitAsk,
  type WizardAsk,
  type WizardCondition,
  type WizardForm,
  type WizardForms,
  waysOut,
} from '../request/index.ts';
import type { ChannelCall, FormAsk, FormQuestion, WizardContents } from './channel.ts';
import { reachKinds, refuseInbox } from './check-ask.ts';
import { askAgain } from './judge.ts';
import { ladder } from './ladder.ts';
import { ASK_AGAIN } from './put-form.ts';
import { cut, type NotTaken, typedIn, validated } from './validated.ts';
import { applying, asCorrection, contentsOf, type FormAnswer, type OpenForm, summary } from './wizard-forms.ts';

/** Asks the person one question on the channel that the ladder selects. */
export interface WizardCall extends ChannelCall {
  /** See `GatewayCall.roundsLeft`. */
  readonly roundsLeft: number;
  putQuestion<T>(question: FormQuestion<T>): Promise<Answer<T>>;
}

type Reach = Pick<ElicitAsk<never>, 'timeoutMs' | 'assurance' | 'channels' | 'required'>;

const shortText = (most: number) => ({
  words: `a text of 1 to ${most} characters`,
  fits: (value: unknown) => typeof value === 'string' && value.trim() !== '' && value.length <= most,
});

const conditionKinds: Kinds<WizardCondition> = {
  form: required(nameKind),
  field: required(nameKind),
  is: required({
    words: 'a string, true or false, or a list of strings',
    fits: value => typeof value === 'string' || typeof value === 'boolean' || isTexts(value),
  }),
};

const formKinds: Kinds<WizardForm> = {
  title: required(shortText(80)),
  form: required({ words: 'what is asked, as of call.elicit', fits: value => value !== undefined }),
  when: parts(conditionKinds),
};

const MOST_FORMS = 50;

const askKinds: Kinds<WizardAsk<WizardForms>> = {
  message: required(shortText(1_000)),
  forms: required({
    words: `an object of 1 to ${MOST_FORMS} forms: { dates: { title: 'Dates', form: … } }`,
    fits: value => isRecord(value) && inRange(Object.keys(value).length),
  }),
  validate: {
    words: 'an object: { dates: ({ day }) => … }',
    fits: value => isRecord(value) && Object.values(value).every(each => each === undefined || func.fits(each)),
  },
  ...reachKinds,
};

const inRange = (count: number): boolean => count >= 1 && count <= MOST_FORMS;

/** The ask of a wizard, whatever its forms. */
export interface AnyWizard extends Omit<WizardAsk<WizardForms>, 'validate'> {
  readonly validate?: Readonly<Record<string, ((content: never, earlier: never) => unknown) | undefined>>;
}

/**
 * Reads the forms of a wizard, once per ask.
 * @throws TypeError for an unknown or wrong part, MidcallError `form/unsupported` or `form/secret` for a form that cannot be
 *   asked: what the author must mend
 */
export function readWizard(ask: AnyWizard): readonly OpenForm[] {
  refuseInbox('call.wizard', ask);
  checkOptions<AnyWizard>('call.wizard', ask, askKinds);
  checkKind('call.wizard', 'the message', ask.message, text);
  const { validate = {} } = ask;
  for (const name of Object.keys(validate)) {
    if (!Object.hasOwn(ask.forms, name))
      throw new TypeError(`call.wizard: validate has '${name}', which is not a form of this wizard.`);
  }
  const before = new Map<string, Form<unknown>>();
  return Object.entries(ask.forms).map(([name, configured]) => {
    if (!/^[A-Za-z][\w-]{0,31}$/.test(name)) {
      throw new MidcallError(
        'form/unsupported',
        `The name of a form must be 1 to 32 letters, digits, dashes and underscores, beginning with a letter; got '${name.slice(0, 40)}'.`,
      );
    }
    const options: WizardForm = configured;
    checkOptions<WizardForm>(`call.wizard: ${name}`, options, formKinds);
    const { title, when } = options;
    const form: Form<unknown> = compile(options.form);
    refuseSecretMessage(`${ask.message} ${title}`, form.fields);
    const condition = when && before.get(when.form);
    if (when && !condition?.fields.some(field => field.name === when.field)) {
      throw new MidcallError(
        'form/unsupported',
        `'${name}' is asked when '${when.form}.${when.field}' has a value, but no form before it has that field.`,
      );
    }
    before.set(name, form);
    return { name, title, form, when, validate: validate[name] as OpenForm['validate'] };
  });
}

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

/** Rounds that a wizard leaves for changes of mind, a form and a look at all answers each, while it asks one form at a time. */
const FOR_CHANGES = 4;

/** The input that a form checks: as entered, before a library transforms it. */
interface WizardInput {
  readonly typed: FormAnswer['typed'];
  /** The earlier form that the person wants to change instead. */
  readonly goTo?: string;
  /** True if it is a valid answer to the form nevertheless. */
  readonly fits: boolean;
}

/** A form to ask, and the name of its field that leads back, if it has one. */
interface Leaving {
  readonly form: Form<unknown>;
  readonly wayBack?: string;
}

/** The input by what it means for the form's fields; as it came if it does not fit. */
function readAs({ fields }: Form<unknown>, content: unknown): WizardInput['typed'] {
  const read = checkContent(fields, content);
  return read.ok ? read.content : typedIn({ content });
}

const TITLE = 'Or change an earlier answer';

/**
 * A wizard form with a choice to change an earlier form instead, and with the person's input as its defaults. Other input is
 * stored on the way back, even if the form is incomplete.
 * @param formsBefore - those the person may go back to
 * @param onInput - called with each answer
 */
function withWayBack(
  form: Form<unknown>,
  formsBefore: readonly OpenForm[],
  onInput: (input: WizardInput) => void,
): Leaving {
  const { properties } = form.schema;
  const check: Form<unknown>['check'] = async (typed, judging) => {
    const checked = await form.check(typed, judging);
    onInput({ typed: readAs(form, typed), fits: checked.ok });
    return checked;
  };
  const { schema, fields, library } = form;
  if (formsBefore.length === 0 || Object.keys(properties).length >= formLimits.fields)
    return { form: { schema, fields, library, check } };
  let wayBack = 'change';
  while (Object.hasOwn(properties, wayBack)) wayBack += '_';
  const oneOf = formsBefore.map(({ name, title }) => ({ const: name, title: `Change: ${title}` }));
  const extended = { ...schema, properties: { ...properties, [wayBack]: { type: 'string', title: TITLE, oneOf } } };
  const read = readForm(extended);
  return {
    wayBack,
    form: {
      schema: extended as WireSchema,
      fields: withWayBackField(read.ok ? read.fields : fields, wayBack),
      library,
      async check(content, judging) {
        const { [wayBack]: goTo, ...typed } = typedIn({ content });
        if (goTo === undefined || goTo === null || goTo === '') return check(typed, judging);
        if (!formsBefore.some(({ name }) => name === goTo)) {
          const message = `${TITLE} must be one of the forms before this one.`;
          return { ok: false, issues: [{ field: wayBack, rule: 'enum', message }] };
        }
        const checked = await form.check(typed, judging);
        onInput({ typed: readAs(form, typed), goTo: goTo as string, fits: checked.ok });
        return checked.ok ? checked : { ok: true, value: undefined };
      },
    },
  };
}

/**
 * One form after the other, or, where the client's rounds would not be enough, all in one round that do not depend on each other.
 */
class Sequence {
  readonly #call: WizardCall;
  readonly #message: string;
  readonly #forms: readonly OpenForm[];
  readonly #reach: Reach;
  /** The last answer to each form, even to one that no longer applies (wizard-W2). */
  readonly #answers = new Map<string, FormAnswer>();
  /**
   * Input in a form that is to be shown again: it was left for an earlier form, or rejected. A rejected form that was left has no
   * issues any more, since the earlier form may be all that was wrong.
   */
  readonly #notTaken = new Map<string, NotTaken>();
  /** Forms to be validated again, since an earlier one was changed (wizard-W3). */
  readonly #stale = new Set<string>();
  /**
   * How often `validate` has rejected a form since it was last valid: the wizard ends if one never is, even if the person goes
   * back.
   */
  readonly #refusals = new Map<string, number>();
  /** Whether there were rounds enough for one form after the other, and for changes, when the wizard began. */
  #oneAtATime = true;
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
      const left = await this.#roundsLeft(count);
      const forms = applying(this.#forms, this.#answers);
      if (!(await this.#revalidate(forms, changed, count))) return this.#invalid();
      const open = forms.filter(({ name }) => this.#isOpen(name, changed));
      if (open.length > 0) {
        const { fewest, most } = this.#rounds(open);
        if (left < fewest) {
          // An answer that was rejected cannot be asked for again: the last round is for the look at all answers.
          if (this.#notTaken.size > 0) return this.#invalid();
          return this.#call.run.fail(tooFewRounds(this.#message, fewest, left));
        }
        const spare = left - most;
        if (count === 0) this.#oneAtATime = spare >= FOR_CHANGES;
        const batch = this.#oneAtATime && spare >= 0 ? open.slice(0, 1) : independent(open);
        const outcome = await this.#askForms(batch, forms, { count, left });
        if (typeof outcome === 'object') return outcome;
        if (outcome !== undefined || batch.some(({ name }) => name === changed)) changed = outcome;
      } else {
        const by = this.#by!;
        if (forms.length === 1) return { action: 'accept', content: contentsOf(forms, this.#answers), by };
        const changeable = forms.filter(form => left - 1 >= this.#rounds([form]).fewest);
        const reviewed = await this.#review(forms, changeable);
        if (reviewed.action !== 'accept') return reviewed;
        if (reviewed.content.next === SEND)
          return { action: 'accept', content: contentsOf(forms, this.#answers), by: this.#by! };
        changed = reviewed.content.next;
      }
    }
  }

  /** True for a form that is to be asked; one that is to be validated again may still be good as it is. */
  #isOpen(name: string, changed: string | undefined): boolean {
    return name === changed || this.#notTaken.has(name) || !this.#answers.has(name);
  }

  /**
   * How many rounds of questions the client has left for this call, recorded so that a replay asks the same questions. Without end
   * where the questions are requests, and where the call outlives its rounds.
   */
  async #roundsLeft(count: number): Promise<number> {
    const { run, request, roundsLeft } = this.#call;
    if (request.client.asks !== 'rounds') return Number.POSITIVE_INFINITY;
    const work = { run: () => (Number.isFinite(roundsLeft) ? roundsLeft : null), idempotent: true };
    const identity = ['rounds', this.#message, count];
    const recorded = await run.step('call.wizard', () => work, { kind: 'drawn', identity });
    return typeof recorded === 'number' ? recorded : Number.POSITIVE_INFINITY;
  }

  /** The rounds for open forms, those their answers may lead to, and the look at all answers: at least, and one form at a time. */
  #rounds(open: readonly OpenForm[]): { readonly fewest: number; readonly most: number } {
    const depths = new Map<string, number>();
    for (const form of this.#forms) {
      const before = form.when ? (depths.get(form.when.form) ?? 0) : 0;
      if (open.includes(form) || (before > 0 && !this.#answers.has(form.name))) depths.set(form.name, before + 1);
    }
    const look = this.#forms.length > 1 ? 1 : 0;
    return { fewest: Math.max(...depths.values()) + look, most: depths.size + look };
  }

  /**
   * Validates forms again whose earlier ones were changed; one that is no longer valid is to be shown again. Those behind a form
   * that is still open wait for its answer.
   * @returns false if one was rejected too often
   */
  async #revalidate(forms: readonly OpenForm[], changed: string | undefined, count: number): Promise<boolean> {
    for (const open of forms) {
      const { name } = open;
      const standing = this.#answers.get(name);
      if (this.#isOpen(name, changed)) return true;
      if (!standing || !this.#stale.has(name)) continue;
      this.#stale.delete(name);
      const issues = await this.#problems(open, standing.content, forms, [count, 'again']);
      if (issues.length === 0) continue;
      this.#notTaken.set(name, { issues, typed: standing.typed });
      return !this.#isRefusedTooOften(name);
    }
    return true;
  }

  async #problems(
    open: OpenForm,
    content: unknown,
    forms: readonly OpenForm[],
    identity: readonly (string | number)[],
  ): Promise<readonly Issue[]> {
    const { name, validate } = open;
    const earlier = contentsOf(forms.slice(0, forms.indexOf(open)), this.#answers);
    const judge = validate && ((got: unknown) => validate(got, earlier));
    const asked = { message: this.#messageOf(open, forms), ...defined({ validate: judge }) };
    const found = (await validated(this.#call.run, asked, content, [name, ...identity])) ?? [];
    this.#refusals.set(name, found.length > 0 ? (this.#refusals.get(name) ?? 0) + 1 : 0);
    return found;
  }

  #isRefusedTooOften(name: string): boolean {
    return (this.#refusals.get(name) ?? 0) > ASK_AGAIN;
  }

  /** Counts the forms that apply given the answers so far, as the page of a wizard does. */
  #messageOf(open: OpenForm, forms: readonly OpenForm[]): string {
    const step = forms.length === 1 ? '' : `Step ${forms.indexOf(open) + 1} of ${forms.length}: `;
    return `${this.#message}\n\n${step}${open.title}`;
  }

  /**
   * Asks forms that are new, are to be changed, or are no longer valid, all in one round.
   * @returns nothing if they are answered; the name of an earlier form to change; or the final answer if it is not an accept
   */
  async #askForms(
    batch: readonly OpenForm[],
    forms: readonly OpenForm[],
    { count, left }: { readonly count: number; readonly left: number },
  ): Promise<Answer<never> | string | undefined> {
    const answered = await Promise.all(batch.map(open => this.#askForm(open, forms, left)));
    const refused = answered.find(({ answer }) => answer.action !== 'accept');
    if (refused) return refused.answer as Answer<never>;
    let goBack: string | undefined;
    for (const { open, answer, input, issues } of answered) {
      if (answer.action !== 'accept') continue;
      const { name } = open;
      const { typed, goTo, fits } = input;
      this.#by = weakest(this.#by, answer.by);
      this.#stale.delete(name);
      // A rejected form is only validated again after an earlier one was changed: that may be all that was wrong.
      if (goTo !== undefined && (issues.length === 0 || !fits)) {
        this.#notTaken.set(name, { issues: [], typed });
        goBack ??= goTo;
        continue;
      }
      this.#notTaken.delete(name);
      if (goTo === undefined) {
        const wrong = await this.#problems(open, answer.content, forms, [count]);
        if (this.#isRefusedTooOften(name)) return this.#invalid();
        if (wrong.length > 0) {
          this.#notTaken.set(name, { issues: wrong, typed });
          continue;
        }
      } else {
        this.#stale.add(name);
        goBack ??= goTo;
      }
      this.#answers.set(name, { content: answer.content, typed });
      for (const later of this.#forms.slice(this.#forms.indexOf(open) + 1)) {
        if (later.validate && this.#answers.has(later.name) && !batch.includes(later)) this.#stale.add(later.name);
      }
    }
    return goBack;
  }

  async #askForm(open: OpenForm, forms: readonly OpenForm[], left: number) {
    const { name } = open;
    const formsBefore = forms.slice(0, forms.indexOf(open));
    const before = this.#notTaken.get(name);
    const issues = before?.issues ?? [];
    const typed = before?.typed ?? this.#answers.get(name)?.typed;
    const shown = typed ? asCorrection(open.form, { issues, typed }) : open.form;
    let input: WizardInput = { typed: {}, fits: true };
    // Those of the same round have no answer yet; and there must be rounds for both forms.
    const answeredBefore = formsBefore.filter(
      each => this.#answers.has(each.name) && left - 1 >= this.#rounds([each, open]).fewest,
    );
    const { form, wayBack } = withWayBack(shown, answeredBefore, got => {
      input = got;
    });
    const message = this.#messageOf(open, forms);
    const asked = issues.length === 0 ? message : askAgain(message, issues);
    const answer = await this.#call.putQuestion(questionOf(asked, form, this.#reach, { wayBack }));
    return { open, answer, input, issues };
  }

  #invalid(): Answer<never> {
    return { action: 'cancel', reason: 'invalid', by: this.#by! };
  }

  /** Shows all answers (wizard-W1). @returns SEND, or the name of the form to change */
  async #review(
    forms: readonly OpenForm[],
    changeable: readonly OpenForm[],
  ): Promise<Answer<{ readonly next: string }>> {
    const lines = forms.map(open => `${open.title}: ${summary(open, this.#answers.get(open.name)!)}`);
    const only = changeable.length > 0 ? '' : ' They can no longer be changed here: send them, or decline.';
    const message = cut(`${this.#message}\n\nCheck your answers.${only}\n${lines.join('\n')}`, LONGEST);
    const answer = await this.#call.putQuestion(questionOf(message, reviewForm(changeable), this.#reach));
    if (answer.action === 'accept') this.#by = weakest(this.#by, answer.by);
    return answer;
  }
}

/** The forms that can be asked in one round: whether one applies may depend on another. */
const independent = (open: readonly OpenForm[]): readonly OpenForm[] =>
  open.filter(({ when }) => !open.some(({ name }) => name === when?.form));

const tooFewRounds = (message: string, fewest: number, left: number): MidcallError =>
  new MidcallError(
    'ask/rounds',
    `'${shortLabel(message)}' needs at least ${fewest} ${fewest === 1 ? 'round' : 'rounds'} of questions, and this client allows ${left} more for this call, so it ` +
      `was not asked. ${waysOut}`,
  );

/** No form has this name. */
const SEND = '.send';

const reviewForm = (changeable: readonly OpenForm[]) =>
  compile({
    type: 'object',
    properties: {
      next: {
        type: 'string',
        title: 'Send them?',
        oneOf: [
          { const: SEND, title: 'Send these answers' },
          ...changeable.map(({ name, title }) => ({ const: name, title: `Change: ${title}` })),
        ],
      },
    },
    required: ['next'],
  }) as Form<{ readonly next: string }>;

/** The limit of a message; answers that do not fit can be seen by going back to their form. */
const LONGEST = 2_000;

/** The combined assurance of several answers, and how long they took. */
function weakest(all: By | undefined, one: By): By {
  if (!all) return one;
  const { channel, assurance } = assures(one.assurance, all.assurance) ? all : one;
  const suspect = all.suspect ?? one.suspect;
  return { channel, assurance, elapsedMs: all.elapsedMs + one.elapsedMs, ...defined({ suspect }) };
}
