/** Writes a file that only its owner can read, atomically: a crash leaves the old one or the new one. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { mayRun, ownMark } from './process-mark.ts';

/** @throws the system's error; then nothing is left behind, and the old file stays */
export async function writeWhole(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = await draftIn(folder);
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The machine, as a part of a file name. */
const machine = hostname().replace(/[^\w-]/g, '_');
const form = /^\.([\w-]+)\.(\d+)-(\d*)\.[0-9a-f-]{36}\.tmp$/;
/** A draft exists for seconds. Whether a process of another machine lives cannot be checked, so its drafts get an hour. */
const oldMs = 3_600_000;
/** The folders that this process has tidied. */
const tidied = new Set<string>();

/**
 * The path of a new draft in an existing folder: a file that is written under another name first. A draft that is left by a
 * process which was killed is removed by the next process that writes in the folder.
 */
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
