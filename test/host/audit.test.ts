import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Asker, Audit, auditFile, verifyAudit } from 'midcall/host';
import { describe, expect, it } from 'vitest';

const asker: Asker = { id: 's', name: 'S', origin: 'node s', era: '2026-07-28' };
const call = { id: 'c', kind: 'tool', name: 'pay', arguments: { pin: 'hunter2' } } as const;

function filled(count: number): Audit {
  const audit = new Audit();
  for (let n = 0; n < count; n += 1) audit.record({ type: 'policy', what: `change ${n}` }, { asker, call });
  return audit;
}

describe('audit', () => {
  it('A1: a changed, missing, moved or invented line shows, at its number', () => {
    const lines = filled(5).export().trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 5 });
    const edited = lines.with(2, lines[2]!.replace('change 2', 'change 9'));
    expect(verifyAudit(edited)).toMatchObject({ ok: false, line: 3 });
    expect(verifyAudit(lines.toSpliced(1, 1))).toMatchObject({ ok: false, line: 2 });
    expect(verifyAudit([lines[1]!, lines[0]!, ...lines.slice(2)])).toMatchObject({ ok: false, line: 1 });
    expect(verifyAudit([...lines, '{"n":6}'])).toMatchObject({ ok: false, line: 6 });
    expect(verifyAudit([...lines.slice(0, 2), 'null'])).toMatchObject({ ok: false, line: 3 });
  });

  it('keeps arguments out, and has them by digest', () => {
    const audit = filled(1);
    expect(audit.export()).not.toContain('hunter2');
    expect(audit.entries()[0]?.call?.argumentsDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reads the arguments of a call once, in however many entries it is', () => {
    let read = 0;
    const given = {
      get pin() {
        read += 1;
        return 'x'.repeat(1_000_000);
      },
    };
    const audit = new Audit();
    const big = { ...call, arguments: given };
    for (let n = 0; n < 100; n += 1) audit.record({ type: 'policy', what: 'x' }, { asker, call: big });
    expect(read).toBe(1);
    expect(audit.entries()[99]?.call?.argumentsDigest).toBe(audit.entries()[0]?.call?.argumentsDigest);
  });

  it('finds entries by words and by server', () => {
    const audit = filled(12);
    expect(audit.entries({ search: 'CHANGE 11' })).toHaveLength(1);
    expect(audit.entries({ search: 'change nothing' })).toHaveLength(0);
    expect(audit.entries({ server: 'other' })).toHaveLength(0);
  });

  it('A2: continues a file, private to its owner, and refuses one that does not verify', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'audit-')), 'deep', 'audit.jsonl');
    new Audit({ sink: auditFile(path) }).record({ type: 'policy', what: 'one' });
    new Audit({ sink: auditFile(path) }).record({ type: 'policy', what: 'two' });
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 2 });
    expect(statSync(path).mode & 0o077).toBe(0);
    writeFileSync(path, lines.slice(1).join('\n'));
    expect(() => new Audit({ sink: auditFile(path) })).toThrow(/does not verify at line 1/);
  });

  it('goes on in memory where the sink fails', () => {
    const errors: unknown[] = [];
    const sink = {
      read: () => [],
      append() {
        throw new Error('disk full');
      },
    };
    const audit = new Audit({ sink, onError: error => errors.push(error) });
    audit.record({ type: 'policy', what: 'x' });
    expect([audit.entries().length, errors.length]).toEqual([1, 1]);
  });
});
