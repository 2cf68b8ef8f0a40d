/**
 * The `secret` page: an API key or the like goes from the person's browser into the vault. The handler gets the name under
 * which it is stored, never the value; a handler that needs the value reads it from the vault itself.
 */

import { MidcallError } from '@midcall/core/errors';
import { checkOptions, name as nameKind, required, text } from '@midcall/core/options';
import { html } from '@midcall/core/page';
import type { Page } from '../../request/index.ts';
import type { Keeper, PageKind, PageView } from './page.ts';
import { safeText } from './view.ts';

/** The options of a page that takes a secret. */
export interface SecretOptions {
  /** The name under which it is stored for this person, such as `weather-api`. */
  readonly name: string;
  /** What the person is asked to enter, such as `API key`. */
  readonly label: string;
  /** Where they find it. */
  readonly help?: string;
  readonly title?: string;
}

interface Data {
  readonly name: string;
  readonly label: string;
  readonly title: string;
  readonly help?: string;
}

const longest = 16_384;
const nameShape = /^[\w.:/-]{1,100}$/;

const view = ({ title, label, help }: Data, problem?: string): PageView => ({
  title,
  send: 'Save',
  body: html`<div class="field"><label for="secret">${safeText(label, 200)}</label>${
    help !== undefined && html`<p class="help" id="secret-help">${safeText(help, 1_000)}</p>`
  }<input type="password" id="secret" name="secret" required maxlength="${longest}" autocomplete="off" spellcheck="false"${
    help !== undefined && html` aria-describedby="secret-help"`
  }></div>`,
  ...(problem === undefined ? {} : { problem }),
});

/** The kind of page that takes a secret. */
export const secretKindName = 'secret';

/** @param vault - where the values go */
export function secretKind(vault: Keeper): PageKind {
  return {
    name: secretKindName,
    show: ({ data }) => view(data as unknown as Data),
    submit({ data, principal }, sent) {
      const secret = data as unknown as Data;
      const value = (sent.get('secret')?.[0] ?? '').trim();
      if (value === '') return { again: view(secret, 'Nothing was entered.') };
      if (value.length > longest) return { again: view(secret, 'This is too long to be right.') };
      return {
        async finish() {
          if (!principal) throw new MidcallError('connect/identity', 'Nothing can be kept for an unknown person.');
          await vault.put(principal, secret.name, value);
          return { secret: secret.name };
        },
      };
    },
  };
}

/**
 * A page that takes a secret into the vault.
 * @throws MidcallError `form/unsupported` for an invalid name
 * @example
 * ```ts
 * const page = secret({ name: 'weather-key', label: 'API key', help: 'It is in your account settings.' });
 * const answer = await call.elicitUrl({ message: 'The weather service needs your key.', page });
 * ```
 */
export function secret(options: SecretOptions): Page<{ readonly secret: string }> {
  checkOptions('secret', options, { name: required(nameKind), label: required(nameKind), help: text, title: text });
  const { name, label, help, title = label } = options;
  if (!nameShape.test(name)) {
    throw new MidcallError('form/unsupported', 'secret: name is 1 to 100 letters, digits and _ . : / -');
  }
  return {
    kind: secretKindName,
    data: { name, label, title, ...(help === undefined ? {} : { help }) },
    assurance: 'out-of-band',
  };
}
