/** One canonical text for every JSON value, so that equal values have equal digests. Pure. */

/** JSON with sorted keys; `undefined` members are left out, as `JSON.stringify` does. */
export function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  let text = '';
  if (Array.isArray(value)) {
    for (const each of value) text += text === '' ? canonical(each) : `,${canonical(each)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    const written = `${JSON.stringify(key)}:${canonical(member)}`;
    text += text === '' ? written : `,${written}`;
  }
  return `{${text}}`;
}
