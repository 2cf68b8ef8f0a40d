import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Asker, Audit, auditFile, verifyAudit } from '@midcall/host';
import { describe, expect, it } from 'vitest';
import { originDigest } from '../../../packages/host/src/policy/judge.ts';

const asker: Asker = { id: 's', name: 'S', origin: 'node s', era: '2026-07-28' };
const call = { id: 'c', kind: 'tool', name: 'pay', arguments: { pin: 'hunter2' } } as const;

function filled(count: number): Audit {
  const audit = new Audit();
  for (let n = 0; n < count; n += 1) audit.record({ type: 'policy', what: `change ${n}` }, { asker, call });
  return audit;
}

describe('audit', () => {
  it('audit-A1: a changed, missing, moved or invented line shows, at its number', () => {
    const lines = filled(5).export().trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 5 });
    const edited = lines.with(2, lines[2]!.replace('change 2', 'change 9'));
    expect(verifyAudit(edited)).toMatchObject({ ok: false, line: 3 });
    expect(verifyAudit(lines.toSpliced(1, 1))).toMatchObject({ ok: false, line: 2 });
    expect(verifyAudit([lines[1]!, lines[0]!, ...lines.slice(2)])).toMatchObject({ ok: false, line: 1 });
    expect(verifyAudit([...lines, '{"n":6}'])).toMatchObject({ ok: false, line: 6 });
    expect(verifyAudit([...lines.slice(0, 2), 'null'])).toMatchObject({ ok: false, line: 3 });
  });

  it('an entry has a digest of the arguments, and not the arguments', () => {
    const audit = filled(1);
    expect(audit.export()).not.toContain('hunter2');
    expect(audit.entries()[0]?.call?.argumentsDigest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['node s.js --key=hunter2', 'node'],
    ["'/opt/it'\\''s here/run' hunter2", "'/opt/it'\\''s here/run'"],
    ["''", "''"],
  ])('an entry has the program of a command line, and the rest as a digest: %s', (origin, program) => {
    const audit = new Audit();
    audit.record({ type: 'policy', what: 'x' }, { asker: { ...asker, origin } });
    expect(audit.entries()[0]?.asker).toEqual({ ...asker, origin: program, originDigest: originDigest(origin) });
    expect(audit.export()).not.toContain('hunter2');
  });

  it('an entry has a URL as it is shown', () => {
    const audit = new Audit();
    const remote = { ...asker, origin: 'https://example.org/mcp' };
    audit.record({ type: 'policy', what: 'x' }, { asker: remote });
    expect(audit.entries()[0]?.asker).toEqual(remote);
  });

  it('audit-A5: what is not drawn is escaped, in the file and in what is exported', () => {
    const lines: string[] = [];
    const sink = { read: () => ({ lines, unfinished: '' }), append: (line: string) => lines.push(line) > 0 };
    const audit = new Audit({ sink });
    const name = 'S\u009b31m\u202eevil\u200b';
    audit.record({ type: 'policy', what: 'x' }, { asker: { ...asker, name } });
    expect(lines[0]).toContain('S\\u009b31m\\u202eevil\\u200b');
    expect(`${lines[0]}\n`).toBe(audit.export());
    expect(verifyAudit(lines)).toMatchObject({ ok: true });
    expect(JSON.parse(lines[0]!).asker.name).toBe(name);
  });

  it('the arguments of a call are read once, however many entries it is in', () => {
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

  it('audit-A4: what is nowhere but in memory is sealed when somebody looks, however often', () => {
    const audit = filled(3);
    const [first] = audit.entries();
    expect(audit.entries()[0]).toBe(first);
    audit.record({ type: 'policy', what: 'later' }, { call });
    expect(verifyAudit(audit.export().trim().split('\n'))).toMatchObject({ ok: true, entries: 4, last: audit.last });
    const heard: number[] = [];
    audit.subscribe(({ n }) => heard.push(n));
    audit.record({ type: 'policy', what: 'last' });
    expect(heard).toEqual([5]);
    expect(verifyAudit(audit.export().trim().split('\n'))).toMatchObject({ ok: true, entries: 5 });
  });

  it('audit-A4: counting goes on where entries leave memory before anybody looks, and no more is kept than may be', () => {
    const audit = new Audit({ keep: 3 });
    audit.record({ type: 'policy', what: 'seen' });
    expect(audit.entries()).toHaveLength(1);
    for (let n = 2; n <= 20; n += 1) audit.record({ type: 'policy', what: `${n}` });
    expect(audit.entries().map(({ n, event }) => [n, event])).toEqual(
      [18, 19, 20].map(n => [n, { type: 'policy', what: `${n}` }]),
    );
    expect(audit.verify()).toMatchObject({ ok: true, entries: 3, last: audit.last });
  });

  it('audit-A4: long arguments are not kept until somebody looks, and are digested as short ones are', () => {
    const long = { text: 'x'.repeat(1_000_000), list: Array.from({ length: 1_000 }, (_, n) => n) };
    const [audit, seen] = [new Audit(), new Audit()];
    seen.subscribe(() => {});
    for (const each of [audit, seen])
      for (const args of [long, { city: 'Rome' }, { deep: { deeper: { list: [1, 'two', null] } } }])
        each.record({ type: 'call', state: 'started' }, { call: { ...call, arguments: args } });
    const digests = (of: Audit) => of.entries().map(each => each.call?.argumentsDigest);
    expect(digests(audit)).toEqual(digests(seen));
    expect(new Set(digests(audit)).size).toBe(3);
    let read = 0;
    const slow = new Proxy(long, {
      get(target, name) {
        read += 1;
        return Reflect.get(target, name);
      },
    });
    const later = new Audit();
    later.record({ type: 'call', state: 'started' }, { call: { ...call, arguments: slow } });
    const before = read;
    later.entries();
    expect([before > 0, read]).toEqual([true, before]);
  });

  it('entries are found by words and by server', () => {
    const audit = filled(12);
    expect(audit.entries({ search: 'CHANGE 11' })).toHaveLength(1);
    expect(audit.entries({ search: 'change nothing' })).toHaveLength(0);
    expect(audit.entries({ server: 'other' })).toHaveLength(0);
  });

  it('audit-A2: the record continues a file, private to its owner, and refuses one that does not verify', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'audit-')), 'deep', 'audit.jsonl');
    new Audit({ sink: auditFile(path) }).record({ type: 'policy', what: 'one' });
    new Audit({ sink: auditFile(path) }).record({ type: 'policy', what: 'two' });
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 2 });
    expect(statSync(path).mode & 0o077).toBe(0);
    writeFileSync(path, lines.slice(1).join('\n'));
    expect(() => new Audit({ sink: auditFile(path) })).toThrow(/does not verify at line 1/);
  });

  it('audit-A3: the record says what could not be written once something can be, whatever a sink throws', () => {
    const errors: unknown[] = [];
    const lines: string[] = [];
    let thrown: unknown;
    const sink = {
      read: () => ({ lines, unfinished: '' }),
      append(line: string) {
        if (thrown !== undefined) throw thrown;
        return lines.push(line) > 0;
      },
    };
    const audit = new Audit({ sink, onError: error => errors.push(error) });
    for (thrown of ['text', null, new Error('/secret/path'), Object.assign(new Error('full'), { code: 'ENOSPC' })]) {
      expect(audit.record({ type: 'policy', what: 'lost' })).toBe(false);
    }
    expect([audit.entries().length, errors.length, audit.unwritten]).toEqual([0, 4, 4]);
    thrown = undefined;
    expect(audit.record({ type: 'policy', what: 'written' })).toBe(true);
    expect(audit.entries().map(({ event }) => event)).toMatchObject([
      { type: 'gap', lost: 4, why: 'It could not be written (ENOSPC).' },
      { type: 'policy', what: 'written' },
    ]);
    expect([audit.unwritten, verifyAudit(lines)]).toMatchObject([0, { ok: true, entries: 2, lost: 4 }]);
    expect(lines.join()).not.toContain('secret');
  });

  it('audit-A3: a line that was begun and not finished is told from one that was changed', () => {
    const lines = filled(3).export().trim().split('\n');
    for (const end of [1, 5, 20, 100, lines[2]!.length - 1]) {
      const cut = lines.with(2, lines[2]!.slice(0, end));
      expect(verifyAudit(cut)).toMatchObject({ ok: true, entries: 2, unfinished: true });
      expect(verifyAudit(cut.with(2, `${cut[2]}\0\0\0`))).toMatchObject({ ok: true, entries: 2, unfinished: true });
      expect(verifyAudit(cut.with(2, `x${cut[2]}`))).toMatchObject({ ok: false, line: 3 });
      expect(verifyAudit([...cut, lines[2]!])).toMatchObject({ ok: false, line: 3 });
    }
  });

  it('audit-file-L1, audit-A3: half a line that a killed process left is cut off before the next, and a gap says so', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.jsonl');
    const before = new Audit({ sink: auditFile(path) });
    for (const what of ['one', 'two']) before.record({ type: 'policy', what });
    const whole = readFileSync(path, 'utf8');
    before.record({ type: 'policy', what: 'three' });
    const third = readFileSync(path, 'utf8').slice(whole.length);
    for (const half of [1, 12, third.length - 3]) {
      writeFileSync(path, whole + third.slice(0, half));
      const after = new Audit({ sink: auditFile(path) });
      expect(after.record({ type: 'policy', what: 'four' })).toBe(true);
      const lines = readFileSync(path, 'utf8').trim().split('\n');
      expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 4, lost: 1, unfinished: false });
      expect(after.entries().map(({ event }) => event)).toMatchObject([
        { what: 'one' },
        { what: 'two' },
        { type: 'gap', lost: 1, why: 'A process ended while it wrote an entry.' },
        { what: 'four' },
      ]);
    }
  });

  it('audit-file-L1, audit-A3: a line that is half on the disk when there is no more room is removed at once, and lost once', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.jsonl');
    const audit = new Audit({ sink: auditFile(path) });
    audit.record({ type: 'policy', what: 'one' });
    const whole = readFileSync(path, 'utf8');
    const { writeSync } = fs;
    let room = 20;
    fs.writeSync = ((file: number, bytes: Uint8Array, at: number) => {
      if (room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const written = writeSync(file, bytes, at, room);
      room -= written;
      return written;
    }) as typeof writeSync;
    syncBuiltinESMExports();
    try {
      expect(audit.record({ type: 'policy', what: 'two' })).toBe(false);
    } finally {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    }
    expect(room).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(whole);
    expect(audit.record({ type: 'policy', what: 'three' })).toBe(true);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 3, lost: 1, unfinished: false });
    expect(audit.entries().at(-2)?.event).toMatchObject({
      type: 'gap',
      lost: 1,
      why: expect.stringContaining('ENOSPC'),
    });
  });

  it('the record goes on from what another process wrote to the same file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.jsonl');
    const [one, two] = [new Audit({ sink: auditFile(path) }), new Audit({ sink: auditFile(path) })];
    for (let n = 0; n < 3; n += 1) for (const each of [one, two]) each.record({ type: 'policy', what: `${n}` });
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 6, lost: 0 });
  });

  it('the record adds nothing to a file that was changed under it, and begins anew with a gap where it was moved away', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'audit-')), 'audit.jsonl');
    const errors: unknown[] = [];
    const audit = new Audit({ sink: auditFile(path), onError: error => errors.push(error) });
    for (const what of ['one', 'two']) audit.record({ type: 'policy', what });
    const [first, second] = readFileSync(path, 'utf8').trim().split('\n') as [string, string];
    writeFileSync(path, `${first}\n`);
    expect(audit.record({ type: 'policy', what: 'three' })).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(`${first}\n`);
    expect(errors).toMatchObject([{ message: expect.stringContaining('changed while it was written') }]);
    rmSync(path);
    audit.record({ type: 'policy', what: 'four' });
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: true, entries: 3, lost: 1 });
    expect(lines[1]).toContain(`after entry 2, ${JSON.parse(second).hash}`);
    expect(audit.verify()).toMatchObject({ ok: true, entries: 3 });
  });

  it('nobody can change an entry that was read', () => {
    const audit = new Audit();
    const shownBy = ['web'];
    const event = { type: 'asked', question: 'q-1', kind: 'form', about: 'x', shownBy } as const;
    audit.record(event);
    const [entry] = audit.entries();
    shownBy.push('terminal');
    Object.assign(event, { about: 'y' });
    expect(entry!.event).toEqual({ ...event, about: 'x', shownBy: ['web'] });
    for (const own of [entry!, entry!.event, ...Object.values(entry!.event).filter(Array.isArray)])
      expect(() => Object.assign(own, { about: 'z', 0: 'z' })).toThrow(TypeError);
    expect(verifyAudit(audit.export().trim().split('\n'))).toMatchObject({ ok: true, entries: 1 });
  });

  it('the record verifies what it keeps in memory, where older entries are in the file only', () => {
    const audit = new Audit({ keep: 3 });
    for (let n = 0; n < 9; n += 1) audit.record({ type: 'policy', what: `${n}` });
    expect(audit.verify()).toMatchObject({ ok: true, entries: 3, last: audit.last });
    const lines = audit.export().trim().split('\n');
    expect(verifyAudit(lines)).toMatchObject({ ok: false, line: 1 });
    expect(verifyAudit(lines.with(1, lines[1]!.replace('7', '1')), { excerpt: true })).toMatchObject({ ok: false });
  });
});
