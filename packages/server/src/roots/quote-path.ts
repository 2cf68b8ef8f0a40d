/** A path made safe for a message: control characters escaped, the middle of a long one left out. */
export function quotePath(path: string): string {
  const safe = path.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `'${safe.length <= 240 ? safe : `${safe.slice(0, 160)}…${safe.slice(-60)}`}'`;
}
