/** The `form` page: a form richer than the flat schema, whose answer goes to the handler. */
import type { Json, Page } from '../server/index.ts';
import { checkItems, type Items, type ItemsValue } from './form-item.ts';
import { formStep, formView } from './form-step.ts';
import { type PageKind, pageOf } from './page.ts';

export interface FormPageOptions<S extends Items> {
  readonly title: string;
  readonly items: S;
  /** Words on the button; `Send` where absent. */
  readonly send?: string;
}

interface Data {
  readonly title: string;
  readonly send: string;
  readonly items: Items;
}

export const formKind: PageKind = {
  name: 'form',
  show: ({ data }) => {
    const { items, ...words } = data as unknown as Data;
    return formView(items, words);
  },
  submit({ data }, sent) {
    const { items, ...words } = data as unknown as Data;
    const step = formStep(items, words, sent);
    return 'again' in step ? step : { finish: () => step.value };
  },
};

/**
 * A page with a form of groups, lists, dependent questions and long text.
 * @throws MidcallError `form/unsupported`, which names the question
 */
export function formPage<const S extends Items>({
  title,
  items,
  send = 'Send',
}: FormPageOptions<S>): Page<ItemsValue<S>> {
  checkItems(items);
  return pageOf(formKind, { title, send, items } as unknown as Json);
}
