/**
 * Keeps the times on a page true while it is open, without moving anything around them: ages count on, questions that end soon
 * count down, and moments are formatted by the person's browser. Ages and ends are counted by the clock of who made the page, since a
 * device's own may be wrong.
 */
import { announce } from './announce.ts';

const units: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** Seconds, rounded to one unit. */
function spelled(seconds: number): string {
  const [size, name] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${name}`;
}

function write(into: HTMLElement, text: string): void {
  if (into.textContent !== text) into.textContent = text;
}

/** How many seconds before the end of a question a screen reader announces what is left; the first one starts the countdown. */
const told = [300, 60, 15] as const;
const inWords = ['5 minutes', '1 minute', '15 seconds'] as const;

/** The seconds that were left at the last check. */
const before = new WeakMap<Element, number>();

function countDown(each: HTMLElement, now: number): void {
  const left = Math.ceil((Number(each.dataset['until']) - now) / 1000);
  const last = before.get(each);
  before.set(each, left);
  const hidden = left > told[0];
  if (each.hidden !== hidden) each.hidden = hidden;
  if (hidden) return;
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`;
  write(each, left <= 0 ? 'time is up' : clock);
  const step = told.findIndex(at => last !== undefined && last > at && left <= at && left > 0);
  if (step >= 0) announce(`${inWords[step]} ${each.dataset['what']}.`);
}

const styles: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  time: { timeStyle: 'medium' },
  minute: { timeStyle: 'short' },
  day: { dateStyle: 'medium' },
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
};

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(style: string, timeZone: string): Intl.DateTimeFormat {
  const key = `${style} ${timeZone}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(navigator.language, { ...styles[style], timeZone });
  formats.set(key, format);
  return format;
}

function localize(root: Document): void {
  const here = document.body.dataset['zone'] ?? 'UTC';
  for (const each of root.querySelectorAll<HTMLTimeElement>('time[data-clock]')) {
    // What was entered is shown as it was, whatever its zone.
    const { clock = '', wall } = each.dataset;
    const [at, zone] = wall === undefined ? [Date.parse(each.dateTime), here] : [Number(wall), 'UTC'];
    write(each, formatOf(clock, zone).format(at));
  }
}

/** A page that seems to have been made up to so many milliseconds ago was on its way for so long, and the device's clock is right. */
const mostOnWayMs = 10_000;

/** How many milliseconds the clock of who made the pages is ahead of the device's, by the last page that came. */
let ahead = 0;

function setClock({ body }: Document): void {
  const { now } = body.dataset;
  if (now === undefined) return;
  const by = Number(now) - Date.now();
  ahead = by < 0 && by > -mostOnWayMs ? 0 : by;
}

function tick(root = document): void {
  const now = Date.now() + ahead;
  for (const age of root.querySelectorAll<HTMLElement>('time[data-since]'))
    write(age, spelled(Math.max(0, Math.floor((now - Number(age.dataset['since'])) / 1000))));
  for (const each of root.querySelectorAll<HTMLElement>('[data-until]')) countDown(each, now);
}

function look(root = document): void {
  setClock(root);
  localize(root);
  tick(root);
}

/** Starts counting. */
export function startAges(): void {
  window.setInterval(() => tick(), 1000);
  // Before it is shown, so that nothing on screen is written twice.
  document.addEventListener('midcall:fetched', event => look((event as CustomEvent<Document>).detail));
  look();
}
