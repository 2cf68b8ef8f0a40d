/**
 * How deeply JSON from others may nest: a deeper text takes seconds to parse, and its value overflows the stack of any code that
 * traverses it. Pure.
 */

/** The maximum nesting depth. */
const maxDepth = 256;

/** @param what - that nests too deeply */
export const tooDeeply = (what: string): string => `The ${what} nests more than ${maxDepth} levels. Send it flatter.`;

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [...'"\\[]{}'].map(each =>
  each.charCodeAt(0),
);

/** True if a text of JSON nests too deeply, counted without parsing it. */
export function textNests(text: string): boolean {
  if (text.length <= maxDepth) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) inString = !inString;
    else if (inString) at += code === backslash ? 1 : 0;
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/**
 * Reads JSON that somebody else wrote.
 * @throws SyntaxError if it is not JSON, or nests too deeply
 */
export function parseShallow(text: string): unknown {
  if (textNests(text)) throw new SyntaxError(`It nests more than ${maxDepth} levels. Write it flatter.`);
  return JSON.parse(text);
}

/** The value of a JSON text; undefined if it is not JSON. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True if a parsed value nests as {@link textNests} says of a text. */
export function nests(value: unknown, levels = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const name in value) if (nests((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
