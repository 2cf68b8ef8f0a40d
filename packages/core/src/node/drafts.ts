/**
 * Files that are written under another name first. One that is left by a process which was killed is removed by the next process
 * that writes in the folder.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { mayRun, ownMark } from './process-mark.ts';

/** The machine, as a part of a file name. */
const machine = hostname().replace(/[^\w-]/g, '_');
const form = /^\.([\w-]+)\.(\d+)-(\d*)\.[0-9a-f-]{36}\.tmp$/;
/** A draft exists for seconds. Whether a process of another machine lives cannot be checked, so its drafts get an hour. */
const oldMs = 3_600_000;
/** The folders that this process has tidied. */
const tidied = new Set<string>();

/** The path of a new draft in an existing folder. */
export async function draftIn(folder: string): Promise<string> {
  if (!tidied.has(folder)) {
    tidied.add(folder);
    await tidy(folder);
  }
  const { pid, began = '' } = ownMark();
  return join(folder, `.${machine}.${pid}-${began}.${randomUUID()}.tmp`);
}

async function tidy(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, host, pid, began] = form.exec(name) ?? [];
    if (host === undefined) continue;
    const path = join(folder, name);
    const writer = { pid: Number(pid), host: hostname(), ...(began && { began }) };
    const isLeft = host === machine ? !mayRun(writer) : await isOld(path);
    if (isLeft) await rm(path, { force: true }).catch(() => {});
  }
}

const isOld = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > oldMs,
    () => false,
  );
