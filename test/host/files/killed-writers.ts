/** Kills processes while they write decisions and notes, and judges what is left of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { decisionsFile } from '../../../packages/host/src/policy/decisions-file.ts';
import { seeded } from '../../server/call/crash-claims.ts';

const script = fileURLToPath(new URL('./killed-writer.mjs', import.meta.url));

export const kinds = ['decisions', 'notes'] as const;
type Kind = (typeof kinds)[number];

/** The number of each thing that is there. */
async function readAll(kind: Kind, path: string): Promise<Map<string, number>> {
  if (kind === 'decisions')
    return new Map((await decisionsFile(path).read()).map(({ id, server }) => [server, Number(id.slice(1))]));
  return new Map(
    readdirSync(path)
      .filter(file => /^\d\.md$/.test(file))
      .map(file => {
        const text = readFileSync(join(path, file), 'utf8');
        const [, n = ''] = /^# (\d+)\n/.exec(text) ?? [];
        expect(text).toBe(`# ${n}\n${n.repeat(20_000)}\n`);
        return [file.slice(0, 1), Number(n)];
      }),
  );
}

/**
 * Kills `kills` processes that write, one after the other, after a drawn number of operations on files. After each, everything is
 * what was written last, or what was being written; and no file that nobody uses is left in the end.
 */
export async function killWriters(kind: Kind, kills: number, random = seeded(7)): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-writers-'));
  const path = kind === 'decisions' ? join(folder, 'decisions.json') : folder;
  const written = new Map<string, number>();
  let from = 1;
  for (let kill = 0; kill < kills; kill += 1) {
    const args = [script, kind, path, String(from), String(random(60))];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    let writing: { readonly name: string; readonly n: number } | undefined;
    lines.on('line', line => {
      const [word, name = '', n] = line.split(' ');
      from = Number(n) + 1;
      writing = word === 'writing' ? { name, n: Number(n) } : undefined;
      if (word === 'written') written.set(name, Number(n));
    });
    const [[, signal]] = (await Promise.all([once(child, 'exit'), once(lines, 'close')])) as [[null, string], unknown];
    expect(signal).toBe('SIGKILL');
    const there = await readAll(kind, path);
    if (writing && there.get(writing.name) === writing.n) written.set(writing.name, writing.n);
    expect(there).toEqual(written);
  }
  expect(written.size).toBe(7);
}
