/** JSON as people write it: with comments, trailing commas, and the byte order mark of some editors. */
import { parseShallow } from '@midcall/core/json';

/** Where a string, a comment or the space at a position ends; the position itself if none begins there. */
function tokenEnd(text: string, at: number): number {
  if (text[at] === '"') {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return Math.min(end + 1, text.length);
  }
  const [close, length] = text.startsWith('//', at)
    ? ['\n', 0]
    : text.startsWith('/*', at)
      ? ['*/', 2]
      : [undefined, 0];
  if (close === undefined) return at;
  const end = text.indexOf(close, at + 2);
  return end < 0 ? text.length : end + length;
}

/**
 * JSON without its comments and trailing commas, which are replaced by as many spaces, so that positions in errors stay right.
 * Runs in linear time.
 */
function withoutComments(text: string): string {
  const parts: string[] = [];
  /** The index in `parts` of the last comma, as long as only space has followed. */
  let comma: number | undefined;
  for (let at = 0; at < text.length; ) {
    const end = tokenEnd(text, at);
    const char = text[at]!;
    if (end > at && char === '/') parts.push(text.slice(at, end).replace(/[^\n]/g, ' '));
    else if (end > at) {
      parts.push(text.slice(at, end));
      comma = undefined;
    } else {
      if ((char === '}' || char === ']') && comma !== undefined) parts[comma] = ' ';
      if (char === ',') comma = parts.length;
      else if (!/\s/.test(char)) comma = undefined;
      parts.push(char);
    }
    at = Math.max(end, at + 1);
  }
  return parts.join('');
}

/** @throws SyntaxError as `JSON.parse` does, with positions in this text, and if it nests too deeply */
export const parseCommented = (text: string): unknown => parseShallow(withoutComments(text.replace(/^\uFEFF/, ' ')));
