export { onlyCookie, seeOther } from './browser.ts';
export {
  areaControl,
  type ControlAttributes,
  lineControl,
  listControl,
  numberControl,
  optionControl,
} from './controls.ts';
export type { HtmlValue, Page, Part } from './html.ts';
export { attributes, brandMark, escaped, Html, html, icon, page, tokens, trusted } from './html.ts';
export { pageHeaders } from './page-headers.ts';
