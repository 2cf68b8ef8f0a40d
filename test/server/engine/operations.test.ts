/** What a handler is given for an operation of its call; see packages/server/src/engine/operations.ts. */
import { describe, expect, it } from 'vitest';
import { Operations } from '../../../packages/server/src/engine/operations.ts';

const turn = () => new Promise<void>(resolve => setImmediate(resolve));
const disk = new Error('No disk.');

describe('an operation of a call', () => {
  it('an operation of a call gives what its work gives, and what follows it is a plain promise of the handler', async () => {
    const operations = new Operations();
    const operation = operations.watch('reading', Promise.resolve('text'));
    expect(operation).toBeInstanceOf(Promise);
    expect(operation.then(text => text.length).constructor).toBe(Promise);
    expect(await operation).toBe('text');
    expect(operations.unseen()).toBeUndefined();
  });

  it('an operation of a call that fails and is awaited, at once or only later, is the handler’s own matter', async () => {
    const operations = new Operations();
    await expect(operations.watch('reading', Promise.reject(disk))).rejects.toBe(disk);
    const later = operations.watch('listing', Promise.reject(disk));
    await turn();
    await expect(later).rejects.toBe(disk);
    expect(operations.unseen()).toBeUndefined();
  });

  it('an operation of a call that fails and is awaited by nobody takes no process along, and is told by its name', async () => {
    const operations = new Operations();
    const rejected: unknown[] = [];
    const listen = (reason: unknown) => void rejected.push(reason);
    process.on('unhandledRejection', listen);
    try {
      void operations.watch('reading', Promise.resolve('text'));
      const seen = operations.watch('moving', Promise.reject(disk)).catch(() => {});
      void operations.watch('listing', Promise.reject(disk));
      void operations.watch('writing', Promise.reject(new Error('Full.')));
      await seen;
      await turn();
      await turn();
      expect(operations.unseen()).toMatchObject({
        code: 'ask/not-awaited',
        message: expect.stringContaining('although listing, which it did not await, failed: No disk.'),
        cause: disk,
      });
      expect(rejected).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });
});
