/** Reads the forms of a wizard, once per ask. Pure. */
import { MidcallError } from '@midcall/core/errors';
import { form as compile, type Form, refuseSecretMessage } from '@midcall/core/form';
import { isRecord } from '@midcall/core/json';
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
import type { WizardAsk, WizardCondition, WizardForm, WizardForms } from '../request/index.ts';
import { reachKinds, refuseInbox } from './check-ask.ts';
import type { OpenForm } from './wizard-forms.ts';

const shortText = (most: number) => ({
  words: `a text of 1 to ${most} characters`,
  fits: (value: unknown) => typeof value === 'string' && value.trim() !== '' && value.length <= most,
});

const conditionKinds: Kinds<WizardCondition> = {
  form: required(nameKind),
  field: required(nameKind),
  is: required({
    words: 'a string, true or false, or a list of strings',
    fits: value =>
      typeof value === 'string' ||
      typeof value === 'boolean' ||
      (Array.isArray(value) && value.every(each => typeof each === 'string')),
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
