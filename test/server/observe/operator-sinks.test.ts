/** What an operator is told by cannot break what it is told about. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { operatorSinks } from '../../../packages/server/src/observe/operator-sinks.ts';
import type { AuditEvent, CallRef } from '../../../packages/server/src/state/audit.ts';
import { grown } from '../../fixtures/grown.ts';

const call: CallRef = { flow: 'f', method: 'tools/call', name: 'act', arguments: '', principal: undefined };
const event: AuditEvent = { at: 0, call, kind: 'step-begun', step: 'pay' };
const failure = new RangeError('what-the-person-typed');
const ways: [string, () => void | Promise<void>][] = [
  [
    'throws',
    () => {
      throw failure;
    },
  ],
  ['rejects', () => Promise.reject(failure)],
];

/** What is written on standard error. */
function standardError(): string[] {
  const lines: string[] = [];
  const error = vi.spyOn(console, 'error').mockImplementation(line => void lines.push(line));
  onTestFinished(() => error.mockRestore());
  return lines;
}

describe.each(ways)('a function of the operator that %s', (_, fails) => {
  it('operator-sinks-O1: a failing audit is told to onError, with the call', async () => {
    const [lines, errors] = [standardError(), [] as unknown[]];
    operatorSinks({ audit: fails, onError: (...told) => void errors.push(told) }).audit?.(event);
    await grown(errors, all => all.length > 0);
    expect([errors, lines]).toEqual([[[failure, call]], []]);
  });

  it('operator-sinks-O1: a failing audit without onError is warned of, without its text', async () => {
    const warned: string[] = [];
    operatorSinks({ audit: fails, warn: message => void warned.push(message) }).audit?.(event);
    await grown(warned, all => all.length > 0);
    expect(warned).toEqual(['midcall: audit failed itself (RangeError).']);
  });

  it('operator-sinks-O1: a failure of audit, onError and warn ends on standard error, with the warning that would be lost', async () => {
    const lines = standardError();
    operatorSinks({ audit: fails, onError: fails, warn: fails }).audit?.(event);
    await grown(lines, all => all.length > 1);
    expect(lines).toEqual([
      'midcall: onError failed itself (RangeError).',
      'midcall: warn failed itself (RangeError).',
    ]);
  });
});

it('without functions of the operator, warnings and errors are written on standard error, and nothing is audited', () => {
  const lines = standardError();
  const { audit, onError, warn } = operatorSinks({});
  warn('A key is missing.');
  onError(failure, call);
  onError(failure, call);
  expect([audit, lines]).toEqual([
    undefined,
    [
      'A key is missing.',
      expect.stringMatching(/^midcall: tools\/call of 'act' failed: RangeError: what-the-person-typed\n +at /u),
    ],
  ]);
});
