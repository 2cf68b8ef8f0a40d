/** The icons of the desk, drawn in the colour of the surrounding text. */
import { type Html, trusted } from '@midcall/core/page';

const draw = (paths: string): Html =>
  trusted(
    `<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${paths}</svg>`,
  );

export const icons = {
  call: draw('<path d="M5 3.5v9l7-4.5z"/>'),
  question: draw('<path d="M2.5 3h11v8H8l-3 2.5V11H2.5z"/>'),
  answer: draw('<path d="M3 8.5 6.5 12 13 4.5"/>'),
  declined: draw('<path d="m4 4 8 8m0-8-8 8"/>'),
  ended: draw('<path d="M3.5 8h9"/>'),
  result: draw('<path d="M3 4h10M3 8h10M3 12h6"/>'),
  failed: draw('<path d="M8 4v5m0 2.6v.1"/>'),
  page: draw('<path d="M6.5 3.5H3.5v9h9v-3M9 3h4v4m0-4L7.5 8.5"/>'),
  model: draw('<path d="M8 2.5 9.4 6.6 13.5 8 9.4 9.4 8 13.5 6.6 9.4 2.5 8l4.1-1.4z"/>'),
  folder: draw('<path d="M2 4.5h4.5L8 6h6v6.5H2z"/>'),
  inbox: draw('<path d="M2.5 9h3l1 2h3l1-2h3M2.5 9l2-5.5h7l2 5.5v3.5h-11z"/>'),
  plus: draw('<path d="M8 3.5v9M3.5 8h9"/>'),
  working: draw('<path d="M8 2.5a5.5 5.5 0 1 1-5.5 5.5"/>'),
  find: draw('<path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14"/>'),
  star: draw('<path d="m8 2 1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z"/>'),
  settings: draw('<path d="M2.5 4.5h6m3 0h2M2.5 11.5h2m3 0h6M8.5 3v3h3V3zM4.5 10v3h3v-3z"/>'),
  server: draw('<path d="M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1"/>'),
  unfold: draw('<path d="m5.5 3.5 4.5 4.5-4.5 4.5"/>'),
  warning: draw('<path d="M8 2.5 14 13H2zM8 6.5v3m0 1.7v.1"/>'),
};
