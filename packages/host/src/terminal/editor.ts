/**
 * The person's own editor, opened on a text of theirs and waited for.
 *
 * - editor-T1 No shell sees the command or the text: the command is split into words here, and the text is in a file.
 * - editor-T2 The file is readable only by its owner, in a folder of its own that is removed afterwards: when the editor ends,
 *   fails or cannot be started, when the question is withdrawn while it is open, and when this process ends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, open, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '@midcall/core/time';
import { beforeEnd } from '../base/index.ts';
import { commandWords, visible } from '../index.ts';

/** What an editor returned. */
export type Edited = { readonly text: string } | { readonly problem: string };

/** Opens one text at a time. */
export interface Editor {
  /** The name of the editor; safe to draw. */
  readonly name: string;
  /** @param signal - closes the editor; what was written is lost */
  edit(text: string, signal: AbortSignal): Promise<Edited>;
}

/** Where an editor comes from, and where it runs. */
export interface EditorOptions {
  /** `VISUAL` comes before `EDITOR`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Both must be terminals, or there is no editor. */
  readonly input: Readable & { readonly isTTY?: boolean; readonly fd?: number };
  readonly output: Writable & { readonly isTTY?: boolean; readonly fd?: number };
  /** Where the file is created; the system's folder for temporary files if absent. */
  readonly directory?: string;
  readonly clock?: Clock;
}

/** The most that is read back, in bytes. */
const mostBytes = 4_000_000;

/** How many milliseconds an editor may take to exit when it is told to. */
const graceMs = 2_000;

/** The editor the person set, or undefined if there is none or no terminal to run it in. */
export function editorOf(options: EditorOptions): Editor | undefined {
  const { environment, input, output } = options;
  const line = environment['VISUAL']?.trim() || environment['EDITOR']?.trim() || '';
  const [inFd, outFd] = [input.fd, output.fd];
  if (line === '' || input.isTTY !== true || output.isTTY !== true || inFd === undefined || outFd === undefined)
    return undefined;
  let words: readonly string[];
  try {
    words = commandWords(line);
  } catch {
    return undefined;
  }
  const [command, ...args] = words;
  if (command === undefined || command === '') return undefined;
  const name = visible(basename(command), { max: 40 });
  return {
    name,
    async edit(text, signal) {
      const folder = await mkdtemp(join(options.directory ?? tmpdir(), 'midcall-'));
      const remove = (): void => rmSync(folder, { recursive: true, force: true });
      const stopGuarding = beforeEnd(remove);
      const path = join(folder, 'text.md');
      try {
        await writeFile(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
        const stdio = [inFd, outFd, outFd];
        const restoreModes = keepModes(inFd);
        const why = await ended(command, [...args, path], stdio, signal, options.clock ?? systemClock);
        if (why === undefined) return await readBack(path);
        restoreModes();
        return { problem: `The editor ${name} ${why}; nothing was changed.` };
      } finally {
        stopGuarding();
        remove();
      }
    },
  };
}

/**
 * Saves the settings of the terminal, which an editor that was killed may leave changed. @returns a function that restores them
 */
function keepModes(fd: number): () => void {
  const { stdout, status } = spawnSync('stty', ['-g'], { stdio: [fd, 'pipe', 'ignore'], encoding: 'utf8' });
  const modes = status === 0 ? stdout.trim() : '';
  return () => {
    if (modes !== '') spawnSync('stty', [modes], { stdio: [fd, 'ignore', 'ignore'] });
  };
}

/** Runs the editor until it exits. @returns what went wrong, or undefined */
function ended(
  command: string,
  args: readonly string[],
  stdio: number[],
  signal: AbortSignal,
  clock: Clock,
): Promise<string | undefined> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve('was not opened');
    const child = spawn(command, [...args], { stdio, shell: false });
    let forget = (): void => {};
    const onAbort = (): void => {
      child.kill('SIGTERM');
      forget = clock.after(graceMs, () => child.kill('SIGKILL'));
    };
    const done = (why: string | undefined): void => {
      signal.removeEventListener('abort', onAbort);
      forget();
      resolve(why);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', error => done(`could not be started (${(error as NodeJS.ErrnoException).code ?? 'error'})`));
    child.once('exit', (code, by) => {
      if (signal.aborted) done('was closed');
      else done(code === 0 ? undefined : `ended with ${by ?? code}`);
    });
  });
}

/** The text in the file. Editors end the last line with a line break; it is removed if there was none before. */
async function readBack(path: string): Promise<Edited> {
  const size = await stat(path).then(
    stats => (stats.isFile() ? stats.size : -1),
    () => -1,
  );
  if (size < 0) return { problem: 'The editor left no file; nothing was changed.' };
  if (size > mostBytes) return { problem: 'The text is too long; nothing was changed.' };
  const file = await open(path);
  try {
    const text = (await file.readFile('utf8')).replace(/\r\n?/g, '\n');
    return { text: text.endsWith('\n') ? text.slice(0, -1) : text };
  } finally {
    await file.close();
  }
}
