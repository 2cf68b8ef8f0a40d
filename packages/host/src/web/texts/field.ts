/** The desk's texts about the fields of a form. */
import { capitalized } from '@midcall/core/text';

export const fieldTexts = {
  required: 'required',
  optional: 'optional',
  leaveOut: 'No answer',
  notSet: 'Not set',
  yes: 'Yes',
  no: 'No',
  default: 'default',
  choose: 'Choose…',
  filter: (count: number) => `Filter ${count} choices`,
  nothingChosen: 'nothing chosen',
  zone: 'Time zone',
  reveal: 'Show',
  hidden: 'hidden',
  typeAgain: 'Enter this again: secrets are not kept on the page.',
  notJson: (why: string) => `This cannot be read as JSON: ${why}`,
  inJson: (path: string, why: string) => (path === '' ? why : `At ${path}: ${why}`),
  json: 'In JSON.',
  jsonThatFits: (schema: string) => `In JSON that fits ${schema}`,
  noObject: 'The arguments must be one JSON object, such as {"title": "Report"}.',
  onlyJson: (names: readonly string[]) =>
    `The form cannot show ${names.map(name => `“${name}”`).join(', ')} without changing it, so the arguments stay as JSON.`,
  stillMasked: (names: readonly string[]) =>
    `Enter the secret in ${names.map(name => `“${name}”`).join(', ')} again: it is masked here, and a mask is never sent.`,
  secretLeft: 'Enter this secret again: secrets are not taken over from the JSON.',
  oneEach: 'One per row. Empty rows are ignored.',
  atMostRows: (most: number) => `One per row, at most ${most}. Empty rows are ignored.`,
  row: (label: string, at: number) => `${label} ${at}`,
  addRow: 'Add another',
  addRowTo: (label: string) => `Add another: ${label}`,
  removeRow: 'Remove this row',
  removeRowOf: (label: string, at: number) => `Remove ${label} ${at}`,
  between: (what: string, min: number | undefined, max: number | undefined) => {
    if (min !== undefined && max !== undefined)
      return min === max ? `Exactly ${min} ${what}.` : `${min} to ${max} ${what}.`;
    if (min !== undefined) return `At least ${min} ${what}.`;
    return max === undefined ? '' : `At most ${max} ${what}.`;
  },
  characters: 'characters',
  choices: 'choices',
  whole: 'A whole number.',
  range: (least: number | undefined, most: number | undefined) => {
    // The largest whole numbers that are exact say nothing to a person.
    const min = least === undefined || least <= Number.MIN_SAFE_INTEGER ? undefined : least;
    const max = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most;
    if (min !== undefined && max !== undefined) return `From ${min} to ${max}.`;
    if (min !== undefined) return `${min} or more.`;
    return max === undefined ? '' : `${max} or less.`;
  },
  pattern: (pattern: string) => `Must match ${pattern}`,
  unchecked: (what: readonly string[]) => `Not checked here: ${what.join(', ')}`,
  uncheckedPattern: (pattern: string) => `Not checked here: must match ${pattern}`,
  notation: (notation: string) => `${capitalized(notation)}.`,
};
