/** Proposes values for the arguments of prompts and resource templates while somebody types, as the server completes them. */
import { fieldsOf } from './fields.ts';

const pauseMs = 80;

let timer = 0;
/** Counts what was asked, so that older proposals never replace newer ones. */
let latest = 0;

async function complete(control: HTMLInputElement, path: string): Promise<void> {
  const { form, list } = control;
  if (!form || !list) return;
  latest += 1;
  const own = latest;
  const body = fieldsOf(form);
  body.set('typing', control.name);
  const response = await fetch(path, { method: 'POST', body });
  if (!response.ok || own !== latest) return;
  const values = (await response.json()) as readonly string[];
  list.replaceChildren(...values.map(value => Object.assign(document.createElement('option'), { value })));
}

function onType(event: Event): void {
  const control = event.target as HTMLInputElement;
  const path = control.dataset['complete'];
  if (path === undefined) return;
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void complete(control, path).catch(() => {}), event.type === 'input' ? pauseMs : 0);
}

/** Starts listening. */
export function startCompleting(): void {
  document.addEventListener('input', onType);
  document.addEventListener('focusin', onType);
}
