/** The page for an ordinary `call.elicit` on the page channel: the same flat form, the same three ways out. */
import { checkContent, type Field, type ReadForm, readForm } from '@midcall/core/form';
import { html } from '@midcall/core/page';
import type { Json } from '../../base/index.ts';
import type { Details } from '../../request/index.ts';
import { contentOf, itemsOf } from '../forms/item.ts';
import { formStep, formView } from '../forms/step.ts';
import type { PageKind, PageView } from './page.ts';
import { detailsBlock } from './view.ts';

const words = { title: 'A question for you', send: 'Send answer' };

function fieldsOf(data: Json): readonly Field[] {
  const read: ReadForm = readForm((data as { schema?: unknown }).schema);
  return read.ok ? read.fields : [];
}

const withDetails = (data: Json, view: PageView): PageView => ({
  ...view,
  body: html`${detailsBlock((data as { readonly details?: Details }).details)}${view.body}`,
});

export const questionKind: PageKind = {
  name: 'question',
  show: ({ data }) => withDetails(data, formView(itemsOf(fieldsOf(data)), words)),
  submit({ data }, sent) {
    const fields = fieldsOf(data);
    const items = itemsOf(fields);
    const step = formStep(items, words, sent);
    if ('again' in step) return { again: withDetails(data, step.again) };
    const checked = checkContent(fields, contentOf(fields, step.value as Record<string, Json>));
    if (checked.ok) return { finish: () => checked.content as Json };
    const problem = checked.issues[0]?.message ?? 'An answer does not fit yet.';
    return { again: withDetails(data, formView(items, words, sent, undefined, problem)) };
  },
};
