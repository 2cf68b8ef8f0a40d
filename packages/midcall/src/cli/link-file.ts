/**
 * The link to a question that no browser could be opened for, in a file of the person's own. What the bridge logs is kept by its
 * host, and what it answers reaches a model: neither may hold the link, which opens the desk.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '@midcall/core/node';
import { dataPath } from '../install/index.ts';

const path = (): string => {
  const name = `question-${process.pid}.link`;
  const runtime = process.env['XDG_RUNTIME_DIR'];
  return runtime ? join(runtime, 'midcall', name) : join(dataPath('links'), name);
};

let isMade = false;

/** Writes the newest link, which replaces the one before. It is removed when this process ends. @returns where it is */
export async function writeLink(url: string): Promise<string> {
  const file = path();
  await writeWhole(file, `${url}\n`);
  if (!isMade) process.once('exit', () => rmSync(file, { force: true }));
  isMade = true;
  return file;
}
