/** Stores how the person likes the desk. Every page is updated then, this one too. */
import { postToDesk } from './base.ts';

/** Posts one preference. */
export const prefer = (what: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  postToDesk(`/preferences/${what}`, fields);

function onClick(event: MouseEvent): void {
  const drawer = (event.target as Element).closest('button')?.closest<HTMLFormElement>('form[data-drawer]');
  if (drawer) {
    event.preventDefault();
    void prefer('drawer', { open: String(new FormData(drawer).get('open')) }).catch(() => {});
    return;
  }
  const group = (event.target as Element).closest('summary')?.parentElement;
  const server = group?.dataset['fold'];
  // The group opens or closes once this event is over.
  if (server !== undefined)
    void prefer('fold', { server, folded: String((group as HTMLDetailsElement).open) }).catch(() => {});
}

/** Starts listening. */
export function startPreferences(): void {
  document.addEventListener('click', onClick);
}
