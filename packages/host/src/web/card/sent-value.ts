/** A value of an answer as the person reads it: before it is sent, and afterwards. Pure. */
import type { AskedField } from '@midcall/core/form';
import { attributes, type Html, html } from '@midcall/core/page';
import { spelledNumber, writtenMoment } from '../../index.ts';
import { readable } from '../form/index.ts';
import { sentMoment, visibleHtml } from '../html/index.ts';

/** A number as the person writes it, and exactly as it is sent, if that differs. */
function sentNumber(value: number): Html {
  const [text, exact] = [spelledNumber(value), String(value)];
  return html`<data value="${exact}" data-number>${text}</data> <code${attributes({ class: 'quiet-text', hidden: text === exact })}>${exact}</code>`;
}

/** @param max - the most characters of a text that are shown */
export function sentValue(field: AskedField, value: unknown, max: number): Html {
  if (field.kind === 'number' && typeof value === 'number') return sentNumber(value);
  const moment = writtenMoment(field, value);
  return moment ? sentMoment(moment, String(value)) : visibleHtml(readable(field, value), max);
}
