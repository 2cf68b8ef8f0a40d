/** Row 000-16: the demo as a user starts it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { main } from '../notes/fixture.ts';

it('000-16: midcall demo shows one match, three and a write outside the roots, in both revisions, and leaves nothing behind', () => {
  const own = mkdtempSync(join(tmpdir(), 'midcall-demo-test-'));
  const env = { ...process.env, TMPDIR: own };
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'demo'], { encoding: 'utf8', env });
  const left = readdirSync(own);
  rmSync(own, { recursive: true });
  const lines = stdout
    .replaceAll(/file:\S+\/notes/gu, 'file:…/notes')
    .replaceAll(/\('[^']+\/notes'\)/gu, "('…/notes')")
    .split('\n');
  expect({ status, stderr, left }).toEqual({ status: 0, stderr: '', left: [] });

  const scenario = (title: string): string[] => {
    const from = lines.indexOf(title) + 1;
    return lines.slice(from, lines.indexOf('', from)).map(line => line.trim());
  };
  const form = [
    'note_id: one of',
    'note-4x4fndz4  TPS report · work/2025 · 2025-06-11',
    'note-w66hrvh1  TPS report · work/2024 · 2024-06-12',
    'note-ckf9jyms  TPS report · work/2023 · 2023-06-14',
    'confirm: boolean',
  ];
  const end = [
    '← result: Deleted TPS report · work/2024 · 2024-06-12. notes_restore brings it back.',
    'right: gone: notes/work/2024/tps-report.md',
  ];
  expect(scenario('2025-11-25 · 2. three matches: the person picks one')).toEqual([
    '→ tools/call notes_delete {"title":"TPS report"}',
    "← elicitation/create: Delete 'TPS report'? Multiple notes match; pick one.",
    ...form,
    '→ accept {"note_id":"note-w66hrvh1","confirm":true}',
    ...end,
  ]);
  expect(scenario('2026-07-28 · 2. three matches: the person picks one')).toEqual([
    '→ tools/call notes_delete {"title":"TPS report"}',
    '← input_required, with a sealed state',
    'roots/list',
    '→ tools/call notes_delete {"title":"TPS report"}, with the sealed state',
    'answer: roots file:…/notes',
    '← input_required, with a sealed state',
    "elicitation/create: Delete 'TPS report'? Multiple notes match; pick one.",
    ...form,
    '→ tools/call notes_delete {"title":"TPS report"}, with the sealed state',
    'answer: accept {"note_id":"note-w66hrvh1","confirm":true}',
    ...end,
  ]);
  for (const era of ['2025-11-25', '2026-07-28']) {
    expect(scenario(`${era} · 1. one match: deleted without a question`).at(-1)).toBe(
      'right: gone: notes/home/boiler service.md',
    );
    const outside = scenario(`${era} · 3. a write outside the roots: refused`);
    expect(outside.at(-2)).toContain("← result, isError: '../escaped.md' does not lead to anything inside");
    expect(outside.at(-1)).toBe('right: no file has changed');
  }
  expect(stdout.trimEnd().endsWith('All six went right.')).toBe(true);
});
