export { clock, day, minute, sentMoment } from './clock.ts';
export { icons } from './icons.ts';
export { visibleHtml, visibleJsonHtml, visibleValue } from './visible-html.ts';
