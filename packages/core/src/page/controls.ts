/** The native controls of forms, on the desk and on a server's pages; each form adds its own labels and layout. Pure. */
import { attributes, type Html, html } from './html.ts';

/** Attributes that a form gives its controls: ids, names, descriptions. */
export type ControlAttributes = Parameters<typeof attributes>[0];

/** A line of text. */
export const lineControl = (all: ControlAttributes): Html => html`<input${attributes(all)}>`;

/** Several lines of text. A line break that begins the value is kept. */
export const areaControl = (all: ControlAttributes, value: string): Html =>
  html`<textarea${attributes(all)}>\n${value}</textarea>`;

/** A number; with `integer`, a whole one. */
export const numberControl = (
  all: ControlAttributes,
  field: {
    readonly integer?: boolean | undefined;
    readonly minimum?: number | undefined;
    readonly maximum?: number | undefined;
  },
): Html =>
  lineControl({ ...all, type: 'number', min: field.minimum, max: field.maximum, step: field.integer ? 1 : 'any' });

/** A drop-down list. */
export const listControl = (
  all: ControlAttributes,
  options: readonly { readonly value: string; readonly title: Html | string; readonly selected: boolean }[],
): Html =>
  html`<select${attributes(all)}>${options.map(
    ({ value, title, selected }) => html`<option${attributes({ value, selected })}>${title}</option>`,
  )}</select>`;

/** One of several visible choices: a radio button or a checkbox with its text. */
export const optionControl = (all: ControlAttributes, text: Html, className = 'option'): Html =>
  html`<label class="${className}">${lineControl(all)}${text}</label>`;
