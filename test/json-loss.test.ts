/** What JSON would lose, and where it is; see packages/core/src/json/json-loss.ts. */
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLoss } from '../packages/core/src/json/json-loss.ts';

class Invoice {
  total = 1;
}
const circle: Record<string, unknown> = { name: 'a' };
circle['self'] = { again: circle };
const withGap: unknown[] = [1];
withGap[2] = 3;
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n++) value = [value];
  return value;
};
const thrower = {
  get it() {
    throw new Error('no');
  },
};

describe('what JSON would lose is found, with its path', () => {
  it.each<[value: unknown, path: string, what: string]>([
    [new Map([['a', 1]]), 'result', 'a Map'],
    [{ items: [0, 1, 2, { when: new Set() }] }, 'result.items[3].when', 'a Set'],
    [{ when: new Date(Number.NaN) }, 'result.when', 'an invalid Date'],
    [{ n: 10n }, 'result.n', 'a BigInt'],
    [{ list: [1, undefined] }, 'result.list[1]', 'undefined'],
    [withGap, 'result[1]', 'a gap in a list'],
    [{ f: () => 1 }, 'result.f', 'a function'],
    [() => 1, 'result', 'a function'],
    [Symbol('x'), 'result', 'a symbol'],
    [{ s: Symbol('x') }, 'result.s', 'a symbol'],
    [{ [Symbol('x')]: 1 }, 'result[Symbol(x)]', 'a member named by a symbol'],
    [{ invoice: new Invoice() }, 'result.invoice', 'an instance of Invoice'],
    [{ list: [new (class {})()] }, 'result.list[0]', 'an instance of a class of its own'],
    [new Error('x'), 'result', 'an instance of Error'],
    [/x/, 'result', 'a RegExp'],
    [new Uint8Array(2), 'result', 'a Uint8Array'],
    [Promise.resolve(1), 'result', 'a Promise'],
    [{ n: Number.NaN }, 'result.n', 'NaN'],
    [{ n: [Number.POSITIVE_INFINITY] }, 'result.n[0]', 'Infinity'],
    [circle, 'result.self.again', 'what contains it (a cycle)'],
    [/(b)/.exec('abc'), 'result.index', 'a member of a list beside its items'],
    [{ 'a b': new Map() }, 'result["a b"]', 'a Map'],
    [thrower, 'result.it', 'a member that throws when it is read'],
    [{ at: { toJSON: () => ({ n: 1n }) } }, 'result.at.n', 'a BigInt'],
    [{ at: { toJSON: () => undefined } }, 'result.at', 'an object whose toJSON returns nothing'],
    [{ at: { toJSON: () => JSON.parse('{') } }, 'result.at', 'something whose toJSON throws'],
    [deep(100_000), 'result', 'something that cannot be read to its end'],
    [runInNewContext('({ m: new Map() })'), 'result.m', 'a Map'],
  ])('what JSON would lose is found, with its path (%#)', (value, path, what) => {
    expect(jsonLoss(value)).toMatchObject({ path, what });
  });
});

describe('what JSON carries is none', () => {
  it.each<[value: unknown]>([
    [undefined],
    [null],
    [{ absent: undefined }],
    [{ at: new Date(0), of: new URL('https://a.example') }],
    [-0],
    [Object.assign(Object.create(null), { a: 1 })],
    [runInNewContext('({ list: [1, { a: "b" }] })')],
    [[circle['name'], circle['name']]],
    [{ once: withGap[0], twice: [withGap[0]] }],
    [Buffer.from('a')],
  ])('what JSON carries is no loss (%#)', value => {
    expect(jsonLoss(value)).toBeUndefined();
  });

  it('no JSON loses anything', () => {
    fc.assert(fc.property(fc.jsonValue(), value => jsonLoss(JSON.parse(JSON.stringify(value))) === undefined));
  });

  it('a value without a loss equals its copy', () => {
    const anything = fc.anything({
      withBigInt: true,
      withMap: true,
      withSet: true,
      withDate: false,
      withSparseArray: true,
      withNullPrototype: true,
      withTypedArray: true,
    });
    fc.assert(
      fc.property(anything, value => {
        if (value === undefined || jsonLoss(value)) return;
        expect(JSON.parse(JSON.stringify({ value }))).toEqual(plain({ value }));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The same without what reads the same when it is absent, and with 0 for -0. */
function plain(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const copy = {};
  for (const [key, member] of members) {
    Object.defineProperty(copy, key, { value: plain(member), enumerable: true, writable: true, configurable: true });
  }
  return copy;
}
