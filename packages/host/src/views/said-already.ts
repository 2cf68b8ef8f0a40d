/**
 * Whether a server's own description states a limit that we would add to it, so that a person does not read it twice: "Between
 * 2 and 10 characters. 2 to 10 characters." Only plain statements of the very same numbers count. Pure.
 */

/** What is counted, as people write it. */
const nouns = {
  characters: '(?:characters?|chars?|letters?)',
  choices: '(?:choices?|options?|items?|values?)',
  number: '',
} as const;

/**
 * @param min - the least; undefined if there is none
 * @param max - the most; undefined if there is none
 * @param of - what is counted; `number` for a number's own value
 */
export function saidAlready(
  description: string | undefined,
  min: number | undefined,
  max: number | undefined,
  of: keyof typeof nouns,
): boolean {
  if (description === undefined || (min === undefined && max === undefined)) return false;
  const end = of === 'number' ? '(?![\\d.,]*\\d)' : `\\s+${nouns[of]}\\b`;
  const says = (pattern: string): boolean => new RegExp(`(?<![\\d.,-])${pattern}${end}`, 'i').test(description);
  const [least, most] = [literal(min), literal(max)];
  if (min === max) return says(`(?<=exactly\\s)${least}`);
  if (min === undefined) return says(`(?<=(?:at most|up to|no more than|maximum|maximum of|max\\.?)\\s)${most}`);
  if (max === undefined) return says(`(?<=(?:at least|minimum|minimum of|min\\.?)\\s)${least}`);
  return says(`${least}\\s?(?:and|to|-|–)\\s?${most}`) || says(`(?<=at least\\s)${least}\\s+and at most\\s+${most}`);
}

const literal = (value: number | undefined): string => String(value).replaceAll(/[.+-]/g, '\\$&');
