/**
 * Patterns from strangers, matched without backtracking.
 *
 * P1 a pattern never reaches a backtracking engine with text to match: it runs as a set of states, in time linear in the
 *    text.
 * P2 a pattern that would explode in the engines others use is recognised as such, as far as a bounded search goes.
 * P3 what cannot be decided this way is said, not guessed.
 */
import { explodes } from './pattern-ambiguity.ts';
import { type CodePoints, NotLinear, type PatternNode, readPattern, wordPoints } from './pattern-syntax.ts';

/** One instruction; `next` and `other` are indices. */
export type Instruction =
  | { readonly type: 'point'; readonly points: CodePoints; next: number }
  | { readonly type: 'fork'; next: number; other: number }
  | { readonly type: 'at'; readonly place: 'start' | 'end' | 'word-edge' | 'no-word-edge'; next: number }
  | { readonly type: 'match' };

/** What a pattern is good for. */
export type PatternVerdict =
  | { readonly verdict: 'linear'; matches(text: string): boolean }
  /** Not a regular expression. */
  | { readonly verdict: 'broken' }
  /** Takes exponential time in a backtracking engine. */
  | { readonly verdict: 'explosive' }
  /** Lookaround, references back, or too large: not checked here. */
  | { readonly verdict: 'unchecked' };

const mostInstructions = 600;
/** Longer texts fail a pattern; states times text then stays within some milliseconds. */
const longestText = 4_000;
const mostKept = 200;

const judged = new Map<string, PatternVerdict>();

/** Judges a pattern; the verdict is kept. */
export function judgePattern(source: string): PatternVerdict {
  const known = judged.get(source);
  if (known) return known;
  const verdict = judge(source);
  if (judged.size >= mostKept) judged.delete(judged.keys().next().value!);
  judged.set(source, verdict);
  return verdict;
}

/** True where the text matches the pattern somewhere, or the pattern is not one we check. */
export function matchesPattern(source: string, text: string): boolean {
  const pattern = judgePattern(source);
  return pattern.verdict !== 'linear' || pattern.matches(text);
}

function judge(source: string): PatternVerdict {
  if (!isRegExp(source)) return { verdict: 'broken' };
  try {
    const program = new Assembler(readPattern(source)).program;
    return explodes(program) ? { verdict: 'explosive' } : { verdict: 'linear', matches: text => run(program, text) };
  } catch (error) {
    if (error instanceof NotLinear) return { verdict: 'unchecked' };
    throw error;
  }
}

/** Compiling is safe whatever the pattern; only matching can explode. */
function isRegExp(source: string): boolean {
  for (const flags of ['u', '']) {
    try {
      new RegExp(source, flags);
      return true;
    } catch {
      // Older patterns escape what needs no escape, which `u` forbids.
    }
  }
  return false;
}

class Assembler {
  readonly program: Instruction[] = [];

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
      // Going in and coming round are two instructions, so that the analysis can tell an empty turn.
      const enter = this.#fork();
      const body = this.program.length;
      this.#add(part);
      const round = this.#fork();
      round.next = body;
      round.other = enter.other = this.program.length;
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

function run(program: readonly Instruction[], text: string): boolean {
  if (text.length > longestText) return false;
  const points = Array.from(text, character => character.codePointAt(0)!);
  const seen = new Int32Array(program.length).fill(-1);
  let current: number[] = [];
  for (let at = 0; at <= points.length; at += 1) {
    // A pattern matches anywhere, so every place may be its beginning.
    const alive: number[] = [];
    for (const start of [...current, 0]) if (follow(program, start, at, points, seen, alive)) return true;
    current = [];
    for (const index of alive) {
      const instruction = program[index] as Extract<Instruction, { type: 'point' }>;
      if (at < points.length && instruction.points.has(points[at]!)) current.push(instruction.next);
    }
  }
  return false;
}

/** Adds what can be reached from `start` without a character; true where that is a match. */
function follow(
  program: readonly Instruction[],
  start: number,
  at: number,
  points: readonly number[],
  seen: Int32Array,
  alive: number[],
): boolean {
  const open = [start];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen[index] === at) continue;
    seen[index] = at;
    const instruction = program[index]!;
    if (instruction.type === 'match') return true;
    if (instruction.type === 'point') alive.push(index);
    else if (instruction.type === 'fork') open.push(instruction.other, instruction.next);
    else if (holds(instruction.place, at, points)) open.push(instruction.next);
  }
  return false;
}

function holds(place: 'start' | 'end' | 'word-edge' | 'no-word-edge', at: number, points: readonly number[]): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === points.length;
  const before = at > 0 && wordPoints.has(points[at - 1]!);
  const after = at < points.length && wordPoints.has(points[at]!);
  return (before !== after) === (place === 'word-edge');
}
