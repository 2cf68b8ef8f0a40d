/**
 * Moments as a clock and a calendar show them. Client script formats them as the person's browser does; without it, they are in
 * British English.
 */
import { type Html, html } from '@midcall/core/page';
import { dateFormat } from '@midcall/core/time';
import { momentStyles, spelledMoment, type WrittenMoment } from '../../index.ts';

type Style = 'time' | 'minute' | WrittenMoment['style'];

/** The same styles are in `client/ages.ts`. */
const options: Record<Style, Intl.DateTimeFormatOptions> = {
  time: { timeStyle: 'medium' },
  minute: { timeStyle: 'short' },
  ...momentStyles,
};

const written = (at: number, zone: string, style: Style): string =>
  dateFormat('en-GB', { ...options[style], timeZone: zone }).format(at);

const moment = (at: number, zone: string, style: Style): Html =>
  html`<time class="clock" datetime="${new Date(at).toISOString()}" data-clock="${style}">${written(at, zone, style)}</time>`;

/** A moment as a clock shows it. */
export const clock = (at: number, zone: string): Html => moment(at, zone, 'time');

/** The day of a moment that may be of an earlier session. */
export const day = (at: number, zone: string): Html => moment(at, zone, 'day');

/** A moment to the minute, with its day unless that is today. */
export function minute(at: number, now: number, zone: string): Html {
  const today = written(at, zone, 'day') === written(now, zone, 'day');
  const time = moment(at, zone, 'minute');
  return today ? time : html`<span>${day(at, zone)}<span class="clock">,</span> ${time}</span>`;
}

/** A date or a time that is sent, as the person reads it, and exactly as it is sent. */
export const sentMoment = (moment: WrittenMoment, exact: string): Html =>
  html`<time datetime="${exact}" data-clock="${moment.style}" data-wall="${moment.wall}">${spelledMoment(moment)}</time> <code class="quiet-text">${exact}</code>`;
