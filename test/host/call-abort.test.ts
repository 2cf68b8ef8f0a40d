/** What stops a call, for those who need a signal of the platform and for those who do not. */
import { describe, expect, it } from 'vitest';
import { CallAbort } from '../../packages/host/src/calls/call-abort.ts';

describe('the abort of a call', () => {
  it('fires once, tells everybody, and the signals before the others', () => {
    const abort = new CallAbort();
    const told: string[] = [];
    abort.addEventListener('abort', () => told.push('a listener'));
    abort.signal.addEventListener('abort', () => told.push('a signal'));
    abort.abort('first');
    abort.abort('second');
    expect(told).toEqual(['a signal', 'a listener']);
    expect([abort.aborted, abort.reason, abort.signal.reason]).toEqual([true, 'first', 'first']);
  });

  it('gives a signal that has fired to whoever asks later, and tells nobody who has left', () => {
    const abort = new CallAbort();
    const told: string[] = [];
    const leave = (): void => void told.push('one who left');
    abort.addEventListener('abort', leave);
    abort.removeEventListener('abort', leave);
    abort.abort('over');
    abort.addEventListener('abort', () => told.push('one who came late'));
    expect([abort.signal.aborted, abort.signal.reason, told]).toEqual([true, 'over', []]);
  });

  it('may be stopped by what it tells', () => {
    const abort = new CallAbort();
    const told: string[] = [];
    const second = (): void => void told.push('second');
    abort.addEventListener('abort', () => {
      told.push('first');
      abort.abort('again');
    });
    abort.addEventListener('abort', second);
    abort.abort('over');
    expect(told).toEqual(['first', 'second']);
  });
});
