/** The desk's client script: everything here adds to pages that work without it. */
import { startAges } from './ages.ts';
import { alertPerson, startAlerts } from './alerts.ts';
import { startForms } from './forms.ts';
import { refresh } from './page.ts';

function announce(text: string): void {
  const region = document.getElementById('announce');
  if (region) region.textContent = text;
}

/** How long the desk may be away before the page says so, in milliseconds. */
const patienceMs = 1500;

function listen(): void {
  const events = new EventSource(`/events?since=${document.body.dataset['event'] ?? '0'}`);
  const offline = document.getElementById('offline');
  let timer = 0;
  let away = false;
  events.addEventListener('changed', event => {
    const { text, alert } = JSON.parse((event as MessageEvent<string>).data) as { text?: string; alert?: boolean };
    void refresh();
    if (text === undefined) return;
    announce(text);
    if (alert) alertPerson(text);
  });
  events.addEventListener('error', () => {
    away = true;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => offline?.removeAttribute('hidden'), patienceMs);
  });
  events.addEventListener('open', () => {
    window.clearTimeout(timer);
    offline?.setAttribute('hidden', '');
    if (away) void refresh();
    away = false;
  });
  window.addEventListener('pagehide', () => events.close());
  window.addEventListener('pageshow', event => event.persisted && location.reload());
}

document.body.classList.add('scripted');
window.addEventListener('popstate', () => void refresh());
startForms();
startAges();
startAlerts();
listen();
