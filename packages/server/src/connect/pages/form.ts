/**
 * The `form` page: a form richer than the flat schema, whose answer goes to the handler; and forms with effects of their own.
 */

import type { Assurance } from '@midcall/core/form';
import { checkOptions, func, name as nameKind, oneOf, required } from '@midcall/core/options';
import type { Json } from '../../base/index.ts';
import type { Page } from '../../request/index.ts';
import { checkItems, type Items, type ItemsValue } from '../forms/item.ts';
import { formStep, formView } from '../forms/step.ts';
import { type PageKind, pageOf, type Visit } from './page.ts';

/** A form on a page of ours. */
export interface FormPageOptions<S extends Items> {
  readonly title: string;
  readonly items: S;
  /** The label of the button; `Send` if absent. */
  readonly send?: string;
}

const pageKinds = {
  title: required(nameKind),
  items: required({
    words: "an object of questions: { name: { kind: 'text', label: 'Name' } }",
    fits: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  }),
  send: nameKind,
};

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
 * @example
 * ```ts
 * const page = formPage({ title: 'Your trip', items: { from: { kind: 'text', label: 'From' } } });
 * const answer = await call.elicitUrl({ message: 'Where from?', page });
 * ```
 */
export function formPage<const S extends Items>(options: FormPageOptions<S>): Page<ItemsValue<S>> {
  checkOptions<FormPageOptions<S>>('formPage', options, pageKinds);
  const { title, items, send = 'Send' } = options;
  checkItems(items);
  return pageOf(formKind, { title, send, items } as unknown as Json);
}

/** A form that is checked and saved on its page. */
export interface FormKindOptions<S extends Items> extends FormPageOptions<S> {
  /** The kind's name. */
  readonly name: string;
  /** The least assurance that its answers need. */
  readonly assurance?: Assurance;
  /**
   * Checks that the form cannot do, such as whether a directory exists.
   * @returns what is wrong, in a sentence for the person, by the path of the question (`people.0.name`)
   */
  readonly check?: (value: ItemsValue<S>, visit: Visit) => Promise<ReadonlyMap<string, string>>;
  /** Runs when the form is finished, after the link was used up, and before the handler learns of it. */
  readonly save?: (value: ItemsValue<S>, visit: Visit) => Promise<void>;
}

/**
 * A form of the server's own that is checked and saved on its page. Give `kind` to `connect({ kinds })`, and `page` to
 * `call.elicitUrl`.
 * @throws MidcallError `form/unsupported`, which names the question
 * @example
 * ```ts
 * const settings = formKindOf({
 *   name: 'settings',
 *   title: 'Settings',
 *   items: { folder: { kind: 'text', label: 'Folder' } },
 *   save: async ({ folder }, { principal }) => save(principal, folder),
 * });
 * const pages = connect({ name: 'Library', kinds: [settings.kind] });
 * ```
 */
export function formKindOf<const S extends Items>(
  options: FormKindOptions<S>,
): { readonly kind: PageKind; readonly page: Page<ItemsValue<S>> } {
  checkOptions<FormKindOptions<S>>('formKindOf', options, {
    ...pageKinds,
    name: required(nameKind),
    assurance: oneOf('relayed', 'in-band', 'out-of-band', 'verified'),
    check: func,
    save: func,
  });
  const { name, title, items, send = 'Send', check, save, assurance } = options;
  checkItems(items);
  const words = { title, send };
  const kind: PageKind = {
    name,
    show: () => formView(items, words),
    async submit(visit, sent) {
      const step = formStep(items, words, sent);
      if ('again' in step) return step;
      const value = step.value as unknown as ItemsValue<S>;
      const issues = (await check?.(value, visit)) ?? new Map();
      if (issues.size > 0) return { again: formView(items, words, sent, issues, 'Something does not fit yet.') };
      return {
        async finish() {
          await save?.(value, visit);
          return step.value;
        },
      };
    },
  };
  return { kind, page: pageOf(kind, null, assurance) };
}
