export { ansiHtml, hasAnsi } from './ansi-html.ts';
export { clock, day, minute, sentMoment } from './clock.ts';
export { icons } from './icons.ts';
export { markCodePoints, named, visibleHtml, visibleJsonHtml, visibleValue } from './visible-html.ts';
