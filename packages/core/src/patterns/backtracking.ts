/**
 * What a backtracking engine may do with a text, for patterns that only such an engine can judge: those of a schema library, whose
 * flags and transformations nobody but the library knows.
 *
 * A backtracking engine follows one path through the pattern after the other, and none twice. So the number of all paths bounds what
 * it does, whether or not the text matches: a text that matches may cost as much as one that does not, if what matches is tried last,
 * as in `(?:(a+)+b|a+!)`. The paths need not be followed to be counted: at each position, only the number that reaches each
 * instruction matters. That takes time linear in the text, while the number grows as the engine's time would.
 *
 * A description of a schema has no flags. What one of them would let match is counted as if it matched: either case, `.` at a line's
 * end, and `^` and `$` at every line. So the count is never too low for a flag, and sometimes too high.
 *
 * pattern-P4 No engine takes more steps than were counted.
 */
import { type CodePoints, complement, pointsIn } from './code-points.ts';
import { anyOnLine, flagsOf, NotLinear, type PatternNode, readPattern } from './pattern-syntax.ts';
import type { Work } from './work.ts';

/** Counts the paths of one pattern. */
export interface Backtracking {
  /**
   * True if an engine takes no more steps to judge this text, as it is or trimmed.
   * @param most - steps of the engine, about five nanoseconds each
   * @param work - pays for the counting; false if it is used up
   */
  isWithin(most: number, text: string, work: Work): boolean;
}

/** One instruction; `next` and `other` are indices. `depth`: how many repetitions it is in. */
type Instruction = { readonly depth: number } & (
  | { readonly type: 'point'; readonly points: CodePoints; readonly next: number }
  | { readonly type: 'fork'; readonly next: number; other: number }
  | { readonly type: 'at'; readonly place: 'start' | 'end' | 'anywhere'; readonly next: number }
  /** The end of what is repeated or optional. */
  | { readonly type: 'close'; next: number }
  | { readonly type: 'stop' }
);
type Bare = Instruction extends infer Each ? (Each extends Instruction ? Omit<Each, 'depth'> : never) : never;

const mostInstructions = 2_000;
/** Parts in sequence, including those that produce no instruction. */
const mostParts = 4_000;

/** @returns undefined for lookbehind, backreferences, a pattern that is too large, and what is no regular expression */
export function backtrackingOf(source: string): Backtracking | undefined {
  const flags = flagsOf(source);
  if (flags === undefined) return undefined;
  try {
    const { program } = new Assembler(readPattern(source, flags === 'u'));
    return {
      isWithin(most, text, work) {
        const trimmed = text.trim();
        const texts = trimmed === text ? [text] : [text, trimmed];
        return texts.every(each => spellings(each).every(points => isWithin(program, points, most, work)));
      },
    };
  } catch (error) {
    if (error instanceof NotLinear) return undefined;
    throw error;
  }
}

/** A text in code points, and in code units if these differ: engines without the flag `u` read those. */
function spellings(text: string): (readonly number[])[] {
  const points = Array.from(text, each => each.codePointAt(0)!);
  return points.length === text.length
    ? [points]
    : [points, Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))];
}

const anything = complement(pointsIn([]));

class Assembler {
  readonly program: Instruction[] = [];
  #parts = 0;
  #depth = 0;

  constructor(node: PatternNode) {
    this.#add(node);
    this.#put({ type: 'stop' });
  }

  get #next(): number {
    return this.program.length + 1;
  }

  #put<T extends Bare>(bare: T): T {
    if (this.program.length >= mostInstructions) throw new NotLinear();
    const instruction = { ...bare, depth: this.#depth };
    this.program.push(instruction as unknown as Instruction);
    return instruction;
  }

  #fork(): { other: number } {
    return this.#put({ type: 'fork', next: this.#next, other: this.#next });
  }

  /** Appends `node`; paths leave it at the instruction after its last. */
  #add(node: PatternNode): void {
    this.#parts += 1;
    if (this.#parts > mostParts) throw new NotLinear();
    switch (node.type) {
      case 'points':
        this.#put({ type: 'point', points: node.points === anyOnLine ? anything : node.points, next: this.#next });
        return;
      case 'at':
        this.#put({
          type: 'at',
          place: node.place.endsWith('edge') ? 'anywhere' : (node.place as 'start'),
          next: this.#next,
        });
        return;
      case 'sequence':
        for (const part of node.parts) this.#add(part);
        return;
      case 'either':
        this.#addEither(node.parts);
        return;
      case 'repeat':
        this.#addRepeat(node);
        return;
      case 'ahead': {
        // Once it has looked ahead, an engine never returns into it: the paths within lead nowhere, and one continues.
        const fork = this.#fork();
        this.#add(node.part);
        this.#put({ type: 'stop' });
        fork.other = this.program.length;
      }
    }
  }

  #addEither(parts: readonly PatternNode[]): void {
    const ends: { other: number }[] = [];
    for (const [index, part] of parts.entries()) {
      const last = index === parts.length - 1;
      const fork = last ? undefined : this.#fork();
      this.#add(part);
      if (!last) ends.push(this.#fork());
      if (fork) fork.other = this.program.length;
    }
    for (const end of ends) Object.assign(end, { next: this.program.length, other: this.program.length });
  }

  #addRepeat({ part, min, max }: { readonly part: PatternNode; readonly min: number; readonly max: number }): void {
    for (let index = 0; index < min; index += 1) this.#add(part);
    if (max === Number.POSITIVE_INFINITY) {
      const start = this.program.length;
      const fork = this.#fork();
      this.#addClosed(part).next = start;
      fork.other = this.program.length;
      return;
    }
    const skips: { other: number }[] = [];
    for (let index = min; index < max; index += 1) {
      skips.push(this.#fork());
      const close = this.#addClosed(part);
      close.next = this.program.length;
    }
    for (const skip of skips) skip.other = this.program.length;
  }

  #addClosed(part: PatternNode): { next: number } {
    this.#depth += 1;
    this.#add(part);
    const close = this.#put({ type: 'close', next: 0 });
    this.#depth -= 1;
    return close;
  }
}

/**
 * Counts the paths, position by position. An engine refuses a repetition that consumed nothing, so it matters in which of the
 * repetitions around it a path has consumed something since they began. If it has in one, it has in all around that one, so their
 * number says it. It falls with every repetition that ends and never rises without a character, which gives the order in which every
 * number is complete before it is passed on: by this number downwards, and then along the program.
 */
function isWithin(program: readonly Instruction[], text: readonly number[], most: number, work: Work): boolean {
  const deepest = program.reduce((deep, { depth }) => Math.max(deep, depth), 0);
  const width = deepest + 1;
  let now = new Float64Array(program.length * width);
  let later = new Float64Array(program.length * width);
  const scanning = 1 + (now.length >> 3);
  let paths = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const point = text[at];
    const cases = point === undefined ? [] : casesOf(point);
    let steps = scanning;
    // A match may begin at every position.
    now[0]! += 1;
    for (let moved = deepest; moved >= 0; moved -= 1) {
      for (let index = 0; index < program.length; index += 1) {
        const count = now[index * width + moved]!;
        if (count === 0) continue;
        paths += count;
        if (paths > most) return false;
        steps += 1;
        const instruction = program[index]!;
        switch (instruction.type) {
          case 'point': {
            steps += cases.length * instruction.points.steps;
            const { next } = instruction;
            if (cases.some(each => instruction.points.has(each))) later[next * width + program[next]!.depth]! += count;
            break;
          }
          case 'fork':
            now[instruction.next * width + moved]! += count;
            if (instruction.other !== instruction.next) now[instruction.other * width + moved]! += count;
            break;
          case 'at':
            if (mayHold(instruction.place, at, text)) now[instruction.next * width + moved]! += count;
            break;
          case 'close':
            if (moved === instruction.depth) now[instruction.next * width + moved - 1]! += count;
            break;
          case 'stop':
        }
      }
    }
    if (!work.spend(steps)) return false;
    now.fill(0);
    [now, later] = [later, now];
  }
  return true;
}

const endsLine = (point: number | undefined): boolean =>
  point === undefined || point === 10 || point === 13 || point === 0x2028 || point === 0x2029;

function mayHold(place: 'start' | 'end' | 'anywhere', at: number, text: readonly number[]): boolean {
  return place === 'anywhere' || endsLine(place === 'start' ? text[at - 1] : text[at]);
}

/** The code points that the flag `i` treats as this one. */
function casesOf(point: number): readonly number[] {
  if (point < 128) return (point >= 65 && point <= 90) || (point >= 97 && point <= 122) ? [point, point ^ 32] : [point];
  const character = String.fromCodePoint(point);
  const upper = character.toUpperCase();
  return [
    ...new Set([character, character.toLowerCase(), upper, upper.toLowerCase()].map(each => each.codePointAt(0)!)),
  ];
}
