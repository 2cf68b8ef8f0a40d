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
  /**
   * True if an engine takes a time proportional to the text, and about no more than so many steps for this length, whatever the
   * text is. That costs nothing to know, so a long text is asked about here first.
   */
  isLinearWithin(most: number, length: number): boolean;
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
type WithoutDepth = Instruction extends infer Each ? (Each extends Instruction ? Omit<Each, 'depth'> : never) : never;

const mostInstructions = 2_000;
/** Parts in sequence, including those that produce no instruction. */
const mostParts = 4_000;

/** @returns undefined for lookbehind, backreferences, a pattern that is too large, and what is no regular expression */
export function backtrackingOf(source: string): Backtracking | undefined {
  const flags = flagsOf(source);
  if (flags === undefined) return undefined;
  try {
    const pattern = readPattern(source, flags === 'u');
    const { program } = new Assembler(pattern);
    const perCharacter = waysOfLinear(pattern) * program.length;
    return {
      isLinearWithin: (most, length) => perCharacter * (length + 1) <= most * boundOverTime,
      isWithin(most, text, work) {
        const trimmed = text.trim();
        const texts = trimmed === text ? [text] : [text, trimmed];
        return texts.every(
          each =>
            work.spend(perCharacterSpelled * each.length) &&
            spellings(each).every(points => isWithin(program, points, most, work)),
        );
      },
    };
  } catch (error) {
    if (error instanceof NotLinear) return undefined;
    throw error;
  }
}

/** How many times more paths {@link waysOfLinear} bounds than an engine takes, at least. */
const boundOverTime = 20;

/**
 * How many paths there are from one position, for a pattern whose time is proportional to the text whatever the text is, so that
 * nothing needs to be counted: it has at most one repetition without an end, of a fixed number of characters, on a line, and after a
 * `^`. Infinity for any other pattern.
 */
function waysOfLinear(pattern: PatternNode): number {
  const { loops, ways } = waysOf(pattern);
  return loops === 0 || (loops === 1 && isAnchored(pattern)) ? ways : Number.POSITIVE_INFINITY;
}

/** The repetitions without an end on one path, Infinity if they are not simple; and the paths if each of them has one. */
function waysOf(node: PatternNode): { readonly loops: number; readonly ways: number } {
  switch (node.type) {
    case 'points':
    case 'at':
      return { loops: 0, ways: 1 };
    case 'ahead':
      return waysOf(node.part);
    case 'sequence': {
      const parts = node.parts.map(waysOf);
      return {
        loops: parts.reduce((sum, { loops }) => sum + loops, 0),
        ways: parts.reduce((product, { ways }) => product * ways, 1),
      };
    }
    case 'either': {
      const parts = node.parts.map(waysOf);
      return {
        loops: Math.max(0, ...parts.map(({ loops }) => loops)),
        ways: parts.reduce((sum, { ways }) => sum + ways, 0),
      };
    }
    case 'repeat': {
      const { part, min, max } = node;
      const { loops, ways } = waysOf(part);
      if (max === Number.POSITIVE_INFINITY) return { loops: isFixed(part) ? 1 : max, ways: 1 };
      if (loops > 0 && max > 1) return { loops: Number.POSITIVE_INFINITY, ways };
      let sum = 0;
      for (let times = min; times <= max && sum < Number.POSITIVE_INFINITY; times += 1) sum += ways ** times;
      return { loops, ways: sum };
    }
  }
}

/** True for a fixed number of characters, none of which ends a line: with the flag `m`, a `^` holds there. */
function isFixed(node: PatternNode): boolean {
  if (node.type === 'points') return node.points !== anyOnLine && !lineEnds.some(point => node.points.has(point));
  if (node.type === 'sequence') return node.parts.length > 0 && node.parts.every(isFixed);
  return node.type === 'repeat' && node.min === node.max && node.min > 0 && isFixed(node.part);
}

/** True if every match begins where `^` holds. */
function isAnchored(node: PatternNode): boolean {
  if (node.type === 'at') return node.place === 'start';
  if (node.type === 'either') return node.parts.every(isAnchored);
  return node.type === 'sequence' && node.parts[0] !== undefined && isAnchored(node.parts[0]);
}

const lineEnds = [10, 13, 0x2028, 0x2029];

/** What it costs to write a text as numbers. */
const perCharacterSpelled = 30;

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

  #put<T extends WithoutDepth>(part: T): T {
    if (this.program.length >= mostInstructions) throw new NotLinear();
    const instruction = { ...part, depth: this.#depth };
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

const endsLine = (point: number | undefined): boolean => point === undefined || lineEnds.includes(point);

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
