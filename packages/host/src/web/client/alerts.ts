/** A sound and a system notification when a question comes, where the person has asked for them. */

const key = 'midcall.alerts';

const switchedOn = (): boolean => localStorage.getItem(key) === 'on';

function chime(): void {
  const audio = new AudioContext();
  const gain = audio.createGain();
  gain.connect(audio.destination);
  gain.gain.setValueAtTime(0.0001, audio.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.12, audio.currentTime + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + 0.45);
  for (const [at, hertz] of [
    [0, 660],
    [0.12, 880],
  ] as const) {
    const tone = audio.createOscillator();
    tone.frequency.value = hertz;
    tone.connect(gain);
    tone.start(audio.currentTime + at);
    tone.stop(audio.currentTime + 0.5);
    tone.onended = () => void (at > 0 && audio.close());
  }
}

/** Tells the person, unless the page is in front of them. */
export function alertPerson(text: string): void {
  if (!switchedOn()) return;
  chime();
  if (document.visibilityState === 'visible' || !('Notification' in window)) return;
  if (Notification.permission === 'granted') new Notification('Midcall', { body: text, tag: 'midcall-question' });
}

/** True where the browser shows no notification, whatever the person wants. */
const denied = (): boolean => !('Notification' in window) || Notification.permission === 'denied';

function prepare(): void {
  for (const box of document.querySelectorAll<HTMLElement>('[data-alerts]')) box.hidden = false;
  for (const control of document.querySelectorAll<HTMLInputElement>('[data-alerts-switch]'))
    control.checked = switchedOn();
  for (const help of document.querySelectorAll<HTMLElement>('[data-alerts-denied]'))
    help.hidden = !(switchedOn() && denied());
}

/** Shows the switch and listens to it. */
export function startAlerts(): void {
  document.addEventListener('midcall:shown', prepare);
  document.addEventListener('change', event => {
    const control = event.target as HTMLInputElement;
    if (!control.matches('[data-alerts-switch]')) return;
    localStorage.setItem(key, control.checked ? 'on' : 'off');
    prepare();
    if (control.checked && 'Notification' in window && Notification.permission === 'default') {
      void Notification.requestPermission().then(prepare);
    }
  });
  // A person who allows them in the settings of the browser comes back to a page that knows.
  window.addEventListener('focus', prepare);
  prepare();
}
