/**
 * On a page outside the desk, such as that of a used start link: leads to the desk if this browser has used it before. A desk that
 * has been started again has another path, and recognizes the browser by its key.
 */
import { forgetBase, isBelow, storedBase } from './base.ts';
import { forgetBrowser, proof } from './known.ts';

const path = storedBase('midcall-desk');
const question = new URLSearchParams(window.location.search).get('question');
const { nonce, refused } = document.body.dataset;

/** The page of the desk that was asked for. @param below - the path as it is below the desk's path */
const wanted = (below: string): string => (question === null ? below : `/questions/${encodeURIComponent(question)}`);

async function signIn(to: string): Promise<void> {
  if (refused !== undefined) return void (await forgetBrowser());
  if (nonce === undefined) return;
  const own = await proof(nonce);
  if (!own) return;
  const form = document.createElement('form');
  form.method = 'post';
  form.action = '/sign-in';
  for (const [name, value] of Object.entries({ ...own, to })) {
    const field = document.createElement('input');
    [field.type, field.name, field.value] = ['hidden', name, value];
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

// The desk that was here has ended, and another one has its port.
if (path !== undefined && isBelow(path)) {
  forgetBase('midcall-desk');
  void signIn(wanted(`${location.pathname.slice(path.length)}${location.search}${location.hash}` || '/'));
} else if (path !== undefined && refused === undefined) window.location.replace(`${path}${wanted('/')}`);
else void signIn(wanted('/'));
