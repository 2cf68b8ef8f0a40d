import { describe, expect, it } from 'vitest';
import { sampleArguments } from '../../packages/midcall/src/design/sample-arguments.ts';

const size = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum, each) => sum + size(each), 1) : 1;

describe('arguments made from a schema', () => {
  it('arguments made from a schema are no more than the schema asks for in good faith', () => {
    const nested = (depth: number): object =>
      depth === 0
        ? { type: 'string' }
        : { type: 'object', properties: { a: nested(depth - 1) }, required: Array(50).fill('a') };
    expect(sampleArguments(nested(3))).toEqual({ a: { a: { a: 'example' } } });
  });

  it('arguments made from lists of lists of lists come to an end', () => {
    const lists = (depth: number): object =>
      depth === 0 ? { type: 'string' } : { type: 'array', minItems: 10, items: lists(depth - 1) };
    const made = sampleArguments({ type: 'object', properties: { a: lists(6) }, required: ['a'] });
    expect(size(made)).toBeLessThan(10_000);
  });
});
