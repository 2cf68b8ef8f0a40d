/**
 * Regular expressions from strangers, matched without backtracking.
 *
 * pattern-P1 A pattern never reaches a backtracking engine with text to match: it runs as a set of states, in time linear in the
 *    text.
 * pattern-P2 Reading and matching are counted in steps; work that would exceed the budget is not done.
 * pattern-P3 What cannot be decided this way is reported as undecided, never guessed.
 */
import type { CodePoints } from './code-points.ts';
import { flagsOf, NotLinear, type PatternNode, readPattern, wordPoints } from './pattern-syntax.ts';
import type { Work } from './work.ts';

type Place = 'start' | 'end' | 'word-edge' | 'no-word-edge';

/** One instruction; `next` and `other` are indices. */
type Instruction =
  | { readonly type: 'point'; readonly points: CodePoints; next: number }
  | { readonly type: 'fork'; next: number; other: number }
  | { readonly type: 'at'; readonly place: Place; next: number }
  | { readonly type: 'match' };

/** What is known about a pattern. */
export type PatternVerdict =
  /** `matches`: undefined if the budget is used up. */
  | { readonly verdict: 'linear'; matches(text: string, work: Work): boolean | undefined }
  /** The text is no regular expression. */
  | { readonly verdict: 'broken' }
  /** Lookaround, backreferences, too large, or no budget left: not checked here. */
  | { readonly verdict: 'unchecked' };

const mostInstructions = 600;
/** Parts in sequence, including those that produce no instruction: `(?:){999999}` is much work for nothing. */
const mostParts = 2_000;
const mostCached = 200;
/** Longer patterns are not read. */
const longestSource = 2_000;
/** What reading a pattern costs, and each character of it. */
const readingSteps = { once: 100, each: 20 };

interface Judged {
  readonly verdict: PatternVerdict;
  /** What judging it costs, charged even if the verdict is cached, so that a form reads the same the second time. */
  readonly steps: number;
}

const judged = new Map<string, Judged>();

/** Judges a pattern; the verdict is cached. */
export function judgePattern(source: string, work: Work): PatternVerdict {
  if (source.length > longestSource) return { verdict: 'unchecked' };
  const { verdict, steps } = judged.get(source) ?? keep(source, judge(source));
  return work.spend(steps) ? verdict : { verdict: 'unchecked' };
}

/** True if the text matches the pattern somewhere; undefined if the pattern is not one we check, or the budget is used up. */
export function matchesPattern(source: string, text: string, work: Work): boolean | undefined {
  const pattern = judgePattern(source, work);
  return pattern.verdict === 'linear' ? pattern.matches(text, work) : undefined;
}

function keep(source: string, result: Judged): Judged {
  if (judged.size >= mostCached) judged.delete(judged.keys().next().value!);
  judged.set(source, result);
  return result;
}

function judge(source: string): Judged {
  const read = readingSteps.once + readingSteps.each * source.length;
  const flags = flagsOf(source);
  if (flags === undefined) return { verdict: { verdict: 'broken' }, steps: read };
  try {
    const { program, parts } = new Assembler(readPattern(source, flags === 'u'));
    const matches = (text: string, work: Work): boolean | undefined => run(program, text, work);
    return { verdict: { verdict: 'linear', matches }, steps: read + parts };
  } catch (error) {
    if (error instanceof NotLinear) return { verdict: { verdict: 'unchecked' }, steps: read + mostParts };
    throw error;
  }
}

class Assembler {
  readonly program: Instruction[] = [];
  parts = 0;

  constructor(node: PatternNode) {
    this.#add(node);
    this.#put({ type: 'match' });
  }

  #put<T extends Instruction>(instruction: T): T {
    if (this.program.length >= mostInstructions) throw new NotLinear();
    this.program.push(instruction);
    return instruction;
  }

  /** Appends `node`; control leaves it at the instruction after its last. */
  #add(node: PatternNode): void {
    this.parts += 1;
    if (this.parts > mostParts) throw new NotLinear();
    switch (node.type) {
      case 'points':
        this.#put({ type: 'point', points: node.points, next: this.program.length + 1 });
        return;
      case 'at':
        this.#put({ type: 'at', place: node.place, next: this.program.length + 1 });
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
      case 'ahead':
        throw new NotLinear();
    }
  }

  #addEither(parts: readonly PatternNode[]): void {
    const ends: { next: number }[] = [];
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
      const round = this.#fork();
      this.#add(part);
      const back = this.#fork();
      back.next = back.other = round.next - 1;
      round.other = this.program.length;
      return;
    }
    const skips: { other: number }[] = [];
    for (let index = min; index < max; index += 1) {
      skips.push(this.#fork());
      this.#add(part);
    }
    for (const skip of skips) skip.other = this.program.length;
  }

  #fork(): { type: 'fork'; next: number; other: number } {
    return this.#put({ type: 'fork', next: this.program.length + 1, other: this.program.length + 1 });
  }
}

/** Reads the text once, tracking every state a match could be in; each visit and each comparison is a step. */
function run(program: readonly Instruction[], text: string, work: Work): boolean | undefined {
  const seen = new Int32Array(program.length).fill(-1);
  if (!work.spend(program.length)) return undefined;
  let current: number[] = [];
  for (let at = 0; at <= text.length; ) {
    const point = text.codePointAt(at);
    const next: number[] = [];
    let steps = 1;
    // A pattern matches anywhere, so a match may begin at every position.
    const open = [...current, 0];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      steps += 1;
      if (seen[index] === at) continue;
      seen[index] = at;
      const instruction = program[index]!;
      if (instruction.type === 'match') return true;
      if (instruction.type === 'fork') open.push(instruction.other, instruction.next);
      else if (instruction.type === 'at') {
        if (holds(instruction.place, at, text)) open.push(instruction.next);
      } else if (point !== undefined) {
        steps += instruction.points.steps;
        if (instruction.points.has(point)) next.push(instruction.next);
      }
    }
    if (!work.spend(steps)) return undefined;
    current = next;
    at += point !== undefined && point > 0xffff ? 2 : 1;
  }
  return false;
}

function holds(place: Place, at: number, text: string): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === text.length;
  // Word characters are single units, so neither a surrogate pair nor half of one is a word character.
  const before = at > 0 && wordPoints.has(text.charCodeAt(at - 1));
  const after = at < text.length && wordPoints.has(text.charCodeAt(at));
  return (before !== after) === (place === 'word-edge');
}
