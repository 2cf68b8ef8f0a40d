/**
 * Whether a backtracking engine can take exponential time over a pattern: true exactly where some state can return to
 * itself over one text in two ways. Found on pairs of states, within a fixed amount of work.
 */
import type { Instruction } from './pattern.ts';
import type { CodePoints } from './pattern-syntax.ts';

const mostWork = 50_000;

/** True where it can; false where it cannot, or where finding out would take too long. */
export function explodes(program: readonly Instruction[]): boolean {
  const budget = { left: mostWork };
  const states = program.flatMap((instruction, index) => (instruction.type === 'point' ? [index] : []));
  const edges: Edges = new Map(states.map(state => [state, reachable(program, next(program, state), budget)]));
  if (budget.left <= 0) return false;
  for (const loop of loopsOf(states, edges)) {
    for (const state of loop) {
      for (const [target, ways] of edges.get(state)!) if (ways > 1 && loop.has(target)) return true;
    }
    if (twoWays(loop, edges, program, budget)) return true;
  }
  return false;
}

type Edges = ReadonlyMap<number, ReadonlyMap<number, number>>;

const next = (program: readonly Instruction[], state: number): number =>
  (program[state] as Extract<Instruction, { type: 'point' }>).next;

/** The states reached without a character, with the number of ways there; two stands for many. */
function reachable(
  program: readonly Instruction[],
  start: number,
  budget: { left: number },
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const visits = new Map<number, number>();
  const path = new Set<number>();
  // Leaving marks make the walk depth-first without recursion: a place that is on the way already is an empty turn.
  const open: number[] = [start];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (index < 0) {
      path.delete(~index);
      continue;
    }
    const visited = visits.get(index) ?? 0;
    budget.left -= 1;
    if (budget.left <= 0) break;
    if (path.has(index) || visited >= 2) continue;
    visits.set(index, visited + 1);
    const instruction = program[index]!;
    if (instruction.type === 'match') continue;
    if (instruction.type === 'point') {
      found.set(index, visited + 1);
      continue;
    }
    path.add(index);
    open.push(~index);
    if (instruction.type === 'fork' && instruction.other !== instruction.next) open.push(instruction.other);
    open.push(instruction.next);
  }
  return found;
}

/** The loops of the graph: its strongly connected sets (Tarjan), without single states that do not return to themselves. */
function loopsOf(states: readonly number[], edges: Edges): ReadonlySet<number>[] {
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const open: number[] = [];
  const inside = new Set<number>();
  const loops: ReadonlySet<number>[] = [];
  const visit = (state: number): void => {
    order.set(state, order.size);
    low.set(state, order.get(state)!);
    open.push(state);
    inside.add(state);
    for (const target of edges.get(state)!.keys()) {
      if (!order.has(target)) visit(target);
      if (inside.has(target)) low.set(state, Math.min(low.get(state)!, low.get(target)!));
    }
    if (low.get(state) !== order.get(state)) return;
    const loop = new Set(open.splice(open.indexOf(state)));
    for (const each of loop) inside.delete(each);
    if (loop.size > 1 || edges.get(state)!.has(state)) loops.push(loop);
  };
  for (const state of states) if (!order.has(state)) visit(state);
  return loops;
}

/** Whether a pair of equal states can part and meet again over one text. */
function twoWays(
  loop: ReadonlySet<number>,
  edges: Edges,
  program: readonly Instruction[],
  budget: { left: number },
): boolean {
  const size = program.length;
  const pointsOf = (state: number): CodePoints => (program[state] as Extract<Instruction, { type: 'point' }>).points;
  const within = new Map(
    Array.from(loop, state => [state, [...edges.get(state)!.keys()].filter(target => loop.has(target))]),
  );
  const steps = (pair: number): number[] => {
    const [left, right] = [Math.floor(pair / size), pair % size];
    if (left !== right && !overlap(pointsOf(left), pointsOf(right))) return [];
    const targets: number[] = [];
    for (const one of within.get(left)!) for (const other of within.get(right)!) targets.push(one * size + other);
    budget.left -= targets.length + 1;
    return targets;
  };
  const before = new Map<number, number[]>();
  const seen = new Set(Array.from(loop, state => state * size + state));
  const open = [...seen];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    for (const target of steps(pair)) {
      const sources = before.get(target);
      if (sources) sources.push(pair);
      else before.set(target, [pair]);
      if (!seen.has(target)) {
        seen.add(target);
        open.push(target);
      }
    }
    if (budget.left <= 0) return false;
  }
  const returning = new Set(Array.from(loop, state => state * size + state));
  const back = [...returning];
  for (let pair = back.pop(); pair !== undefined; pair = back.pop()) {
    for (const source of before.get(pair) ?? []) {
      if (Math.floor(source / size) !== source % size) return true;
      if (!returning.has(source)) {
        returning.add(source);
        back.push(source);
      }
    }
  }
  return false;
}

const countable = 512;

function overlap(one: CodePoints, other: CodePoints): boolean {
  if (one.ranges && other.ranges) {
    return one.ranges.some(([low, high]) => other.ranges!.some(([from, to]) => low <= to && from <= high));
  }
  // A Unicode property is asked point by point where the other side is small, and taken to overlap where it is not.
  const [listed, asked] = one.ranges ? [one, other] : [other, one];
  const total = listed.ranges?.reduce((sum, [low, high]) => sum + high - low + 1, 0) ?? Number.POSITIVE_INFINITY;
  if (total > countable) return true;
  return listed.ranges!.some(([low, high]) => {
    for (let point = low; point <= high; point += 1) if (asked.has(point)) return true;
    return false;
  });
}
