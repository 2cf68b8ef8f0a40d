/**
 * Parses the part of ECMAScript's regular expressions that can be described as a set of states: no lookbehind, no backreferences.
 * Everything is counted in code points, as JSON Schema asks.
 */
import { type CodePoints, complement, onePoint, pointsIn, pointsWith, union } from './code-points.ts';

/** A pattern as a tree. */
export type PatternNode =
  | { readonly type: 'points'; readonly points: CodePoints }
  | { readonly type: 'sequence' | 'either'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }
  /** A lookahead, whatever its sign. */
  | { readonly type: 'ahead'; readonly part: PatternNode }
  | { readonly type: 'at'; readonly place: 'start' | 'end' | 'word-edge' | 'no-word-edge' };

/** Thrown inside this folder for valid syntax that is not supported here. */
export class NotLinear extends Error {}

/**
 * @param unicode - true if it is a pattern under the flag `u`; without it `\p{Lu}` and `\u{61}` mean something else
 * @throws NotLinear for lookbehind, backreferences and other things that only a backtracking engine can do
 */
export function readPattern(source: string, unicode: boolean): PatternNode {
  const reader = new PatternReader([...source], unicode);
  const node = reader.either();
  if (!reader.done) throw new NotLinear();
  return node;
}

/** The flags under which it is a regular expression. Compiling is always safe; only matching can explode. */
export function flagsOf(source: string): 'u' | '' | undefined {
  for (const flags of ['u', ''] as const) {
    try {
      new RegExp(source, flags);
      return flags;
    } catch {
      // Older patterns escape what needs no escape, which `u` forbids.
    }
  }
  return undefined;
}

const digits = pointsIn([[48, 57]]);
/** Letters, digits and the underscore, as `\w` has them. */
export const wordPoints: CodePoints = pointsIn([
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]);
const spaces = pointsIn([
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);
/** What `.` is without the flag `s`. */
export const anyOnLine: CodePoints = complement(
  pointsIn([
    [10, 10],
    [13, 13],
    [0x2028, 0x2029],
  ]),
);
const classes: Readonly<Record<string, CodePoints>> = {
  d: digits,
  D: complement(digits),
  w: wordPoints,
  W: complement(wordPoints),
  s: spaces,
  S: complement(spaces),
};
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };
const deepest = 50;

class PatternReader {
  readonly #text: readonly string[];
  readonly #unicode: boolean;
  #at = 0;
  #depth = 0;

  constructor(text: readonly string[], unicode: boolean) {
    this.#text = text;
    this.#unicode = unicode;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  either(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { type: 'either', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (!this.done && this.#peek() !== '|' && this.#peek() !== ')') parts.push(this.#repeated(this.#atom()));
    return parts.length === 1 ? parts[0]! : { type: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const range = this.#quantifier();
    if (!range) return part;
    // Lazy or greedy decides which match is found, not whether there is one.
    this.#take('?');
    if (part.type === 'at' || this.#quantifier()) throw new NotLinear();
    return { type: 'repeat', part, min: range[0], max: range[1] };
  }

  #quantifier(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    const match =
      this.#peek() === '{' && /^\{(\d{1,6})(,(\d{1,6})?)?\}/.exec(this.#text.slice(this.#at, this.#at + 16).join(''));
    if (!match) return undefined;
    this.#at += match[0].length;
    const min = Number(match[1]);
    return [min, match[2] === undefined ? min : match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3])];
  }

  #atom(): PatternNode {
    const character = this.#next();
    switch (character) {
      case '^':
        return { type: 'at', place: 'start' };
      case '$':
        return { type: 'at', place: 'end' };
      case '.':
        return { type: 'points', points: anyOnLine };
      case '[':
        return { type: 'points', points: this.#class() };
      case '(':
        return this.#group();
      case '\\': {
        if (this.#take('b')) return { type: 'at', place: 'word-edge' };
        if (this.#take('B')) return { type: 'at', place: 'no-word-edge' };
        return { type: 'points', points: this.#escape() };
      }
      default:
        return { type: 'points', points: single(character) };
    }
  }

  #group(): PatternNode {
    let ahead = false;
    if (this.#take('?')) {
      if (this.#take('=') || this.#take('!')) ahead = true;
      else if (this.#take('<')) {
        if (this.#peek() === '=' || this.#peek() === '!') throw new NotLinear();
        while (this.#next() !== '>');
      } else if (!this.#take(':')) throw new NotLinear();
    }
    this.#depth += 1;
    if (this.#depth > deepest) throw new NotLinear();
    const inner = this.either();
    this.#depth -= 1;
    if (!this.#take(')')) throw new NotLinear();
    return ahead ? { type: 'ahead', part: inner } : inner;
  }

  #class(): CodePoints {
    const negated = this.#take('^');
    const sets: CodePoints[] = [];
    while (!this.#take(']')) {
      const low = this.#classMember();
      if (this.#peek() !== '-' || this.#text[this.#at + 1] === ']') {
        sets.push(low);
        continue;
      }
      this.#at += 1;
      const high = this.#classMember();
      const [from, to] = [low.ranges?.[0], high.ranges?.[0]];
      // A class cannot bound a range; browsers then take the hyphen literally.
      if (!from || !to || from[0] !== from[1] || to[0] !== to[1]) sets.push(low, single('-'), high);
      else sets.push(pointsIn([[from[0], to[0]]]));
    }
    return negated ? complement(union(sets)) : union(sets);
  }

  #classMember(): CodePoints {
    const character = this.#next();
    if (character !== '\\') return single(character);
    return this.#take('b') ? onePoint(8) : this.#escape();
  }

  #escape(): CodePoints {
    const letter = this.#next();
    if (Object.hasOwn(classes, letter)) return classes[letter]!;
    if (Object.hasOwn(controls, letter) && !/\d/.test(this.#peek())) return onePoint(controls[letter]!);
    const rest = this.#text.slice(this.#at, this.#at + 64).join('');
    if (!this.#unicode && /^[pP]|^u\{/.test(letter + this.#peek())) throw new NotLinear();
    if (letter === 'p' || letter === 'P') {
      const name = /^\{[A-Za-z_=]{1,60}\}/.exec(rest);
      if (!name) throw new NotLinear();
      this.#at += name[0].length;
      return pointsWith(`\\${letter}${name[0]}`);
    }
    const hex =
      letter === 'x'
        ? /^([0-9a-fA-F]{2})/.exec(rest)
        : letter === 'u'
          ? (/^([0-9a-fA-F]{4})/.exec(rest) ?? /^\{([0-9a-fA-F]{1,6})\}/.exec(rest))
          : null;
    if (hex) {
      this.#at += hex[0].length;
      const point = Number.parseInt(hex[1]!, 16);
      // Half of a surrogate pair: what it means depends on what follows.
      if (point >= 0xd800 && point <= 0xdfff) throw new NotLinear();
      return onePoint(point);
    }
    if (/[A-Za-z0-9]/.test(letter)) throw new NotLinear();
    return single(letter);
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #next(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new NotLinear();
    this.#at += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

const single = (character: string): CodePoints => onePoint(character.codePointAt(0)!);
