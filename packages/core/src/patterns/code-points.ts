/** Sets of code points: what one character of a text is compared with. */

/** The first and the last code point of a range. */
export type CodePointRange = readonly [number, number];

/** A set of code points. */
export interface CodePoints {
  /** Sorted, not touching each other; undefined for a Unicode property, which can only be tested. */
  readonly ranges: readonly CodePointRange[] | undefined;
  /** The cost of one test; see `work.ts`. */
  readonly steps: number;
  has(point: number): boolean;
}

const most = 0x10ffff;
/** Testing a property with the engine costs about as much as this many comparisons. */
const propertySteps = 10;

/** The set of these ranges, in any order and overlapping as they may. */
export function pointsIn(unsorted: readonly CodePointRange[]): CodePoints {
  const ranges: [number, number][] = [];
  for (const [low, high] of [...unsorted].sort((one, other) => one[0] - other[0])) {
    const last = ranges.at(-1);
    if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else ranges.push([low, high]);
  }
  // Alternating begins and ends: a point is inside after an odd number of these.
  const edges = Uint32Array.from(ranges.flatMap(([low, high]) => [low, high + 1]));
  const has = (point: number): boolean => {
    let [from, to] = [0, edges.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (edges[middle]! <= point) from = middle + 1;
      else to = middle;
    }
    return from % 2 === 1;
  };
  return { ranges, steps: 1 + Math.ceil(Math.log2(edges.length + 1)), has };
}

/** The set of only this code point. */
export const onePoint = (point: number): CodePoints => pointsIn([[point, point]]);

/** A Unicode property, such as `\p{Lu}`. @throws SyntaxError if there is none of this name */
export function pointsWith(property: string): CodePoints {
  const one = new RegExp(`^${property}$`, 'u');
  return { ranges: undefined, steps: propertySteps, has: point => one.test(String.fromCodePoint(point)) };
}

/** Every code point that is not in the set. */
export function complement(points: CodePoints): CodePoints {
  if (!points.ranges) return { ranges: undefined, steps: points.steps, has: point => !points.has(point) };
  const ranges: CodePointRange[] = [];
  let next = 0;
  for (const [low, high] of points.ranges) {
    if (low > next) ranges.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= most) ranges.push([next, most]);
  return pointsIn(ranges);
}

/** Every code point that is in one of the sets. */
export function union(sets: readonly CodePoints[]): CodePoints {
  const points = pointsIn(sets.flatMap(set => set.ranges ?? []));
  const properties = sets.filter(set => !set.ranges);
  if (properties.length === 0) return points;
  const steps = properties.reduce((sum, set) => sum + set.steps, points.steps);
  return { ranges: undefined, steps, has: point => points.has(point) || properties.some(set => set.has(point)) };
}
