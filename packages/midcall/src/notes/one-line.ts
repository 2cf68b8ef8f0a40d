/**
 * Text from a note as one clean line of a question or a list: anybody may have written a note, and people decide by its title.
 * Pure.
 */

// Control characters, line and paragraph separators, half surrogates, and everything that reorders or hides text.
const unseen = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]+/gu;

/**
 * One line without control, bidi and invisible characters.
 * @param limit - the most code points to return; a longer text ends in an ellipsis
 */
export function oneLine(text: string, limit = 120): string {
  const line = text.normalize('NFC').replace(unseen, ' ').replace(/\s+/gu, ' ').trim();
  const points = [...line];
  return points.length <= limit ? line : `${points.slice(0, limit - 1).join('')}…`;
}

/** The first characters of a text, at most `length`; none is cut in half. */
export function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/u, '');
}
