/** JSON values as TypeScript source: single quotes, names unquoted where possible. Pure. */

/** Invisible characters, and those that reorder text: code must read as it runs. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const written = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;

/** A value as it is written in code. */
export function literal(value: unknown): string {
  if (typeof value === 'string') {
    const inside = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"');
    return `'${inside.replaceAll("'", "\\'").replace(unseen, written)}'`;
  }
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${key(name)}: ${literal(each)}`)
    .join(', ')} }`;
}

/** The name of a member. */
export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));

/** `object.name`, or in brackets. */
export const member = (object: string, name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? `${object}.${name}` : `${object}[${literal(name)}]`;
