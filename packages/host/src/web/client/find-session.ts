/**
 * On a page of the inbox without a session: leads to the session of this browser, or forgets it if this is its path, since the
 * session is over then. The secret of an invitation, which is behind the address and never sent with it, stays in this tab until the
 * person is signed in.
 */
import { forgetBase, isBelow, storedBase } from './base.ts';
import { storeItem } from './storage.ts';

const stored = storedBase('midcall-inbox');
const parameters = new URLSearchParams(location.search);
const question = parameters.get('question');
const isToPasskeys = parameters.has('passkeys');
const invitation = /^#([\w-]{20,100})$/.exec(location.hash)?.[1];

/** Where the address leads, below the path of the session (`destination` of the server). */
function destination(): string {
  if (isToPasskeys) return question === null ? '/passkeys' : `/passkeys?${new URLSearchParams({ question })}`;
  return question === null ? '/' : `/questions/${encodeURIComponent(question)}`;
}

if (isToPasskeys && invitation !== undefined) {
  storeItem('sessionStorage', 'midcall-invitation', invitation);
  history.replaceState(history.state, '', location.pathname + location.search);
}
if (stored !== undefined && isBelow(stored)) forgetBase('midcall-inbox');
else if (stored !== undefined) location.replace(`${stored}${destination()}`);
