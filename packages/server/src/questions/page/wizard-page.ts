/** A wizard on a page of ours: all its forms at once. */
import type { Answer, Issue } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import { MAX_TIMER_MS } from '@midcall/core/time';
import { digest, type Json } from '../../base/index.ts';
import type { ChannelCall, WizardContents, WizardQuestion } from '../channel.ts';
import { askAgain } from '../judge.ts';
import { ASK_AGAIN } from '../put-form.ts';
import { type NotTaken, recordedCheck, typedIn, validated } from '../validated.ts';
import { applying, asCorrection, contentsOf, type FormAnswer, type OpenForm } from '../wizard-forms.ts';

/** All forms on one page of ours; errors found by the handler's own rules are shown on a new page, with all input restored. */
export async function putWizardOnPage(
  { message: introduction, forms, timeoutMs, ...shared }: WizardQuestion,
  call: ChannelCall,
): Promise<Answer<WizardContents>> {
  let message = introduction;
  let before = new Map<string, NotTaken>();
  for (let attempt = 0; ; attempt++) {
    const data = {
      forms: forms.map(({ name, title, when, form }) => {
        const earlier = before.get(name);
        const schema = earlier ? asCorrection(form, earlier).schema : form.schema;
        return { name, title, schema, ...defined({ when }) };
      }),
      ...defined({ start: [...before].find(([, { issues }]) => issues.length > 0)?.[0] }),
    } as unknown as Json;
    const answer = await call.askOnPage<WizardContents>(
      {
        message,
        page: { kind: 'wizard', data },
        timeoutMs: Math.min((timeoutMs ?? call.config.askTimeoutMs) * forms.length, MAX_TIMER_MS),
        ...shared,
      },
      false,
    );
    if (answer.action !== 'accept') return answer;
    const { accepted, wrong } = await judged(call, forms, answer.content, ['wizard', message, digest(data)]);
    const { by } = answer;
    if (wrong.length === 0) return { action: 'accept', content: contentsOf(applying(forms, accepted), accepted), by };
    if (attempt === ASK_AGAIN) return { action: 'cancel', reason: 'invalid', by };
    message = askAgain(
      introduction,
      wrong.flatMap(([, issues]) => issues),
    );
    before = new Map(
      [...accepted].map(([name, { typed }]) => [name, { typed, issues: new Map(wrong).get(name) ?? [] }] as const),
    );
  }
}

/** Validates the input from a page, form by form; a form is validated only if the earlier ones are valid. */
async function judged(
  { run }: ChannelCall,
  forms: readonly OpenForm[],
  contents: WizardContents,
  identity: readonly Json[],
): Promise<{
  readonly accepted: ReadonlyMap<string, FormAnswer>;
  readonly wrong: readonly [string, readonly Issue[]][];
}> {
  const answered = new Map<string, FormAnswer>();
  for (const { name } of forms) {
    const typed = typedIn({ content: contents[name] });
    if (Object.hasOwn(contents, name)) answered.set(name, { typed, content: undefined });
  }
  const wrong: [string, readonly Issue[]][] = [];
  const applied = applying(forms, answered);
  for (const [index, { name, title, form, validate }] of applied.entries()) {
    const { typed = {} } = answered.get(name) ?? {};
    const checked = await form.check(typed, recordedCheck(run, title, [...identity, name]));
    if (!checked.ok) {
      wrong.push([name, checked.issues]);
      continue;
    }
    answered.set(name, { typed, content: checked.value });
    if (wrong.length > 0 || !validate) continue;
    const earlier = contentsOf(applied.slice(0, index), answered);
    const said = (content: unknown) => validate(content, earlier);
    const issues = await validated(run, { message: title, validate: said }, checked.value, [...identity, name]);
    if (issues) wrong.push([name, issues]);
  }
  return { accepted: answered, wrong };
}
