/** Subscribers that fail: loud, and without any effect on what they were told of. */
import { Audit, machineDisk, OfferedRoots } from '@midcall/host';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Listeners } from '../../../packages/host/src/base/index.ts';
import { connected, person } from '../person.ts';

const broken = (): never => {
  throw new Error('The subscriber is broken.');
};

function standardError(): string[] {
  const lines: string[] = [];
  const spy = vi.spyOn(console, 'error').mockImplementation(text => void lines.push(String(text)));
  onTestFinished(() => spy.mockRestore());
  return lines;
}

describe('a subscriber that throws', () => {
  it('a subscriber that throws is reported with its stack, and the others are told all the same', async () => {
    const lines = standardError();
    const listeners = new Listeners<number>();
    const heard: number[] = [];
    listeners.add(broken);
    listeners.add((async () => broken()) as () => void);
    listeners.add(n => void heard.push(n));
    listeners.tell(1);
    await new Promise(setImmediate);
    expect(heard).toEqual([1]);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/The subscriber is broken\.\n +at .*listeners\.e2e\.test/su);
  });

  it('a subscriber that throws is reported to onError instead, if that is set', () => {
    const told: unknown[] = [];
    const listeners = new Listeners<number>(error => told.push(error));
    listeners.add(broken);
    listeners.tell(1);
    expect(told).toEqual([new Error('The subscriber is broken.')]);
  });

  it('a subscriber that throws costs the audit record no entry', () => {
    const lines: string[] = [];
    const told: unknown[] = [];
    const sink = { read: () => ({ lines, unfinished: '' }), append: (line: string) => lines.push(line) > 0 };
    const audit = new Audit({ sink, onError: error => told.push(error) });
    audit.subscribe(broken);
    expect(audit.record({ type: 'policy', what: 'a change' })).toBe(true);
    audit.record({ type: 'policy', what: 'another' });
    expect(lines.map(line => JSON.parse(line).event)).toEqual(
      ['a change', 'another'].map(what => ({ type: 'policy', what })),
    );
    expect(told).toHaveLength(2);
  });

  it('a subscriber that throws keeps no change of the folders from the others', async () => {
    const told: unknown[] = [];
    const roots = new OfferedRoots({ disk: machineDisk, onError: error => told.push(error) });
    const heard: unknown[] = [];
    onTestFinished(roots.subscribe(broken));
    onTestFinished(roots.subscribe(server => void heard.push(server)));
    await roots.grant('notes', []);
    expect([told.length, heard]).toEqual([1, ['notes']]);
  });

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'a subscriber that throws changes no call of its connection, on %s',
    async era => {
      const lines = standardError();
      const { connection, inbox } = await connected(era);
      onTestFinished(() => connection.stop());
      inbox.present(person(() => ({ action: 'accept', content: { colour: 'green' } })));
      const heard: string[] = [];
      connection.subscribe(broken);
      connection.wire.subscribe(broken);
      connection.subscribe(({ type }) => void heard.push(type));
      const outcome = await connection.run({ kind: 'tool', name: 'form', arguments: {} }).outcome;
      expect(outcome).toMatchObject({ how: 'completed' });
      expect(heard).toContain('call-ended');
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.every(line => line.includes('The subscriber is broken.'))).toBe(true);
    },
  );
});
