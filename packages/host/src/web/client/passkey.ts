/*! Contains @simplewebauthn/browser, copyright (c) 2020 Matthew Miller, under the MIT License. */
/**
 * Lets a passkey confirm a form before it is sent, and makes passkeys. What the browser has to do comes from the address that the form
 * names (`data-passkey`), for exactly what the form would send; what the browser returns is sent with the form.
 */
import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { type Deliver, post } from './forms.ts';
import { forgetItem, storedItem } from './storage.ts';

type Wanted = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type New = Parameters<typeof startRegistration>[0]['optionsJSON'];

/** What to do before a form is sent; without `does`, nothing. */
type Request =
  | { readonly does: 'get'; readonly options: Wanted; readonly token: string; readonly again?: true }
  | { readonly does: 'create'; readonly options: New; readonly token: string; readonly again?: undefined }
  | { readonly does?: undefined };

type Note = 'waiting' | 'cancelled' | 'unable' | 'had';

/** Says in a form what becomes of it; undefined: nothing. */
function note(form: HTMLFormElement, which: Note | undefined): void {
  for (const line of form.querySelectorAll<HTMLElement>('[data-passkey-note] [data-when]'))
    line.hidden = line.dataset['when'] !== which;
}

/** Why the browser has not done it. */
function reasonOf(error: unknown): Note {
  if (!('credentials' in navigator) || typeof PublicKeyCredential === 'undefined') return 'unable';
  return error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
    ? 'had'
    : 'cancelled';
}

const stored = 'midcall-invitation';

const isJson = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('application/json') === true;

/** Sends a form, once a passkey has confirmed it if it needs that. */
export const deliverConfirmed: Deliver = async (form, to, body) => {
  const path = form.dataset['passkey'];
  if (path === undefined) return post(to, body);
  for (;;) {
    const asked = await post(path, body);
    // A page that says what is wrong, or that there is nothing to confirm any more.
    if (!isJson(asked)) return asked;
    const request = (await asked.json()) as Request;
    if (!request.does) break;
    note(form, 'waiting');
    try {
      const response =
        request.does === 'get'
          ? await startAuthentication({ optionsJSON: request.options })
          : await startRegistration({ optionsJSON: request.options });
      body.set('passkey', JSON.stringify({ token: request.token, response }));
    } catch (error) {
      note(form, reasonOf(error));
      return undefined;
    }
    if (!request.again) break;
  }
  note(form, undefined);
  // It is used up, whatever becomes of it.
  if (body.get('invitation')) forgetItem('sessionStorage', stored);
  return post(to, body);
};

/** Shows the way to a first passkey to somebody who has come by an invitation. */
function showInvited(part: ParentNode): void {
  const invitation = storedItem('sessionStorage', stored);
  if (invitation === null) return;
  for (const each of part.querySelectorAll<HTMLElement>('[data-invited]')) each.hidden = false;
  for (const each of part.querySelectorAll<HTMLElement>('[data-uninvited]')) each.hidden = true;
  for (const each of part.querySelectorAll<HTMLInputElement>('input[name=invitation]')) each.value = invitation;
}

/** Starts using the invitation that this tab has come by. */
export function startInvitations(): void {
  document.addEventListener('midcall:fetched', event => showInvited((event as CustomEvent<Document>).detail));
  showInvited(document);
}
