/** What a step leaves in the journal, and what a replay makes of it. */
import { describe, expect, it, vi } from 'vitest';
import { replayed, runWork } from '../../../packages/server/src/engine/step-entry.ts';

const id = { id: 'a.1', kind: 'step', name: 'pay' } as const;
const during = async <V>(fn: () => V | Promise<V>): Promise<V> => fn();
const run = (fn: () => unknown) => runWork(id, { run: fn, idempotent: false }, { isRetry: false, during });
const entry = { id: 'a.1', kind: 'step', label: 'pay' } as const;

describe('a step that ends', () => {
  it('a step that ends leaves a copy of its result, and none where it returned nothing', async () => {
    const result = { seat: ['4A'] };
    const left = await run(() => result);
    result.seat.push('4B');
    expect(left).toEqual({ entry: { ...entry, value: { seat: ['4A'] } } });
    expect(replayed(left.entry)).toEqual({ seat: ['4A'] });
    const nothing = await run(() => undefined);
    expect(nothing).toEqual({ entry });
    expect(nothing.entry).not.toHaveProperty('value');
    expect(replayed(nothing.entry)).toBeUndefined();
  });

  it('a step that ends is given as a copy of its own to every replay', () => {
    const recorded = { ...entry, value: { seat: '4A' } };
    expect(replayed(recorded)).not.toBe(replayed(recorded));
  });

  it('a step that returns what JSON would lose has failed, and says at which step and path', async () => {
    const { entry: left } = await run(() => ({ seats: new Map() }));
    expect(left.error).toMatchObject({
      code: 'step/not-json',
      message: expect.stringMatching(/^Step 'pay' returned .*seats/),
    });
  });
});

describe('a step that throws', () => {
  it.each<[string, unknown, object]>([
    ['an error', new TypeError('no card'), { name: 'TypeError', message: 'no card' }],
    [
      'an error with a code',
      Object.assign(new Error('x'), { code: 'EIO' }),
      { name: 'Error', message: 'x', code: 'EIO' },
    ],
    ['one with a number', Object.assign(new Error('x'), { code: 402 }), { name: 'Error', message: 'x', code: 402 }],
    ['one whose code is an object', Object.assign(new Error('x'), { code: {} }), { name: 'Error', message: 'x' }],
    ['a text', 'no card', { name: 'Error', message: 'no card' }],
    ['nothing', undefined, { name: 'Error', message: 'undefined' }],
    [
      'an object that cannot be written',
      Object.create(null),
      { name: 'Error', message: 'The step threw an object that is not an Error.' },
    ],
  ])(
    'a step that throws %s leaves its name, message and code, and the log has what was thrown',
    async (_, thrown, error) => {
      const left = await run(() => {
        throw thrown;
      });
      expect(left.entry).toStrictEqual({ ...entry, error });
      expect(left.cause).toBe(thrown);
      const again = (cause?: unknown): Error => {
        try {
          replayed(left.entry, cause);
        } catch (caught) {
          return caught as Error;
        }
        throw new Error('A step that threw gave a result.');
      };
      expect(again()).toBeInstanceOf(Error);
      expect({ ...again(), name: again().name, message: again().message }).toStrictEqual(error);
      expect(again()).not.toHaveProperty('cause');
      expect(again(thrown ?? 'nothing').cause).toBe(thrown ?? 'nothing');
    },
  );
});

describe('a step that an earlier attempt began', () => {
  const again = (check: () => unknown, fn: () => unknown) =>
    runWork(id, { run: fn, check, idempotent: true }, { isRetry: true, during });

  it('a step that an earlier attempt began is what its check finds, and does not run', async () => {
    const fn = vi.fn();
    expect((await again(() => 'paid', fn)).entry).toEqual({ ...entry, value: 'paid' });
    expect(fn).not.toHaveBeenCalled();
  });

  it('a step that an earlier attempt began runs where its check finds nothing', async () => {
    expect(
      (
        await again(
          () => undefined,
          () => 'paid now',
        )
      ).entry,
    ).toEqual({ ...entry, value: 'paid now' });
  });

  it('a step that an earlier attempt began is not checked where this attempt is the first', async () => {
    const check = vi.fn();
    await runWork(id, { run: () => 1, check, idempotent: true }, { isRetry: false, during });
    expect(check).not.toHaveBeenCalled();
  });
});
