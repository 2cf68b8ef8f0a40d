/** Processes that share an inbox and are killed between votes: no vote is lost, and each question has one outcome. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RecordLine } from '@midcall/inbox';
import { expect } from 'vitest';
import { approvalStore, key } from './stage.ts';

const script = fileURLToPath(new URL('./approver-child.mjs', import.meta.url));
const issuer = 'https://id.example';
const names = ['ada', 'bob', 'eve', 'mel', 'zoe'];
const count = 3;

/**
 * Runs two processes at a time, and kills each at a random line of its output, until so many were killed and so many questions have
 * ended.
 * @param sql - runs a statement. @returns its rows
 */
export async function killApprovers(
  where: string,
  sql: (statement: string) => Promise<readonly (readonly string[])[]>,
  { kills, questions }: { kills: number; questions: number },
): Promise<void> {
  const ids = Array.from({ length: questions }, () => randomUUID() as string);
  const asked = new Set<string>();
  const voted = new Set<string>();
  const seen = new Map<string, Set<string>>();
  const errors: string[] = [];
  let left = kills;
  const oneAfterTheOther = async (): Promise<void> => {
    while (left > 0 || seen.size < questions) {
      left -= 1;
      const child = spawn(
        process.execPath,
        [script, where, key.toString('hex'), JSON.stringify({ ids, names, issuer })],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      );
      let lines = 5 + Math.floor(Math.random() * 150);
      const output = createInterface({ input: child.stdout });
      output.on('line', line => {
        const [word, id, ...rest] = line.split(' ') as [string, string, ...string[]];
        const what = rest.join(' ');
        if (word === 'asked') asked.add(id);
        if (word === 'voted') voted.add(`${id} ${JSON.parse(what)}`);
        if (word === 'seen') seen.set(id, (seen.get(id) ?? new Set()).add(what));
        if (word === 'error') errors.push(line);
        if (--lines === 0) child.kill('SIGKILL');
      });
      await once(output, 'close');
    }
  };
  await Promise.all([oneAfterTheOther(), oneAfterTheOther()]);

  const watcher = await approvalStore({ where, groups: { names: { finance: names } } });
  expect(await watcher.record.verify()).toMatchObject({ ok: true });
  const lines: RecordLine[] = [];
  for await (const line of watcher.record.search()) lines.push(line);
  const stored = new Set((await sql('select approval, principal from inbox_votes')).map(row => row.join(' ')));
  // A vote that was acknowledged is there, and the record says it once.
  for (const vote of voted) expect(stored).toContain(vote);
  const of = (event: string) => lines.filter(line => line.event === event);
  const answers = of('ended').filter(line => line.assurance !== undefined);
  expect(new Set(answers.map(line => `${line.approval} ${line.principal}`))).toEqual(stored);
  expect(answers).toHaveLength(stored.size);
  for (const id of ids) {
    const standing = await watcher.approvals.look(id);
    expect(standing !== undefined || !asked.has(id)).toBe(true);
    const decided = of('decided').filter(line => line.approval === id);
    expect(decided).toHaveLength(standing?.outcome ? 1 : 0);
    expect([...(seen.get(id) ?? [])]).toEqual(standing?.outcome ? [standing.outcome.action] : []);
    expect(of('asked').filter(line => line.approval === id)).toHaveLength(standing ? names.length : 0);
    expect(of('ended').filter(line => line.approval === id)).toHaveLength(
      standing?.outcome ? names.length : (standing?.votes.length ?? 0),
    );
    if (standing?.outcome?.action === 'accept') expect(standing.votes).toHaveLength(count);
  }
  expect(seen.size).toBe(questions);
  expect(errors).toEqual([]);
  expect(voted.size).toBeGreaterThan(0);
  await watcher.stop();
}
