/**
 * Which directories are served: those of the command line, and what the person chose on the first-run page. That is stored in a file
 * that only its owner can read. It can narrow what the command line allows, never widen it.
 */

import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve, sep } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { writeWhole } from '@midcall/core/node';
import { z } from 'zod';
import { configPath } from '../install/index.ts';
import { oneLine } from './one-line.ts';

/**
 * Checks the directories that an operator names on the command line: each must be real and readable before anything is served.
 * @param paths - as typed; relative ones from the current directory
 * @returns absolute, real paths, each once
 * @throws MidcallError `cli/usage` for one that is missing, is a file, or cannot be read
 */
export async function checkDirectories(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map(check));
  return [...new Set(real)];
}

async function check(directory: string): Promise<string> {
  const path = resolve(directory);
  try {
    if (!(await stat(path)).isDirectory()) {
      throw new MidcallError(
        'cli/usage',
        `'${oneLine(directory, 300)}' is a file, not a directory. Name the folder it lies in.`,
      );
    }
    await access(path, constants.R_OK | constants.X_OK);
    return await realpath(path);
  } catch (error) {
    if (error instanceof MidcallError) throw error;
    throw new MidcallError(
      'cli/usage',
      `'${oneLine(directory, 300)}' ${reason((error as NodeJS.ErrnoException).code)}`,
      {
        cause: error,
      },
    );
  }
}

function reason(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist. Create it, or name another directory.';
  if (code === 'EACCES' || code === 'EPERM')
    return 'cannot be read by this user. Change its permissions, or name another.';
  return `cannot be used (${code ?? 'unknown error'}).`;
}

const shape = z.strictObject({
  directories: z.array(z.string().min(1).max(4096)).min(1).max(20),
  order: z.enum(['newest', 'title']),
  listed: z.number().int().min(10).max(200),
});

export type Settings = z.infer<typeof shape>;

/** Where settings are stored by default. */
export const settingsPath = (): string => configPath('notes.json');

/**
 * Reads settings.
 * @returns undefined if there are none yet
 * @throws MidcallError `cli/usage` for a file that is damaged
 */
export async function readSettings(path: string): Promise<Settings | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new MidcallError('cli/usage', `'${oneLine(path, 300)}' cannot be read.`, { cause: error });
  }
  try {
    return shape.parse(JSON.parse(text));
  } catch (cause) {
    throw new MidcallError(
      'cli/usage',
      `'${oneLine(path, 300)}' is not what notes_setup saved. Remove it and set up again.`,
      {
        cause,
      },
    );
  }
}

/** Writes settings, completely or not at all. */
export const writeSettings = (path: string, settings: Settings): Promise<void> =>
  writeWhole(path, `${JSON.stringify(settings, null, 2)}\n`);

/** What is wrong with one directory as the person typed it, or its real path. */
export async function judgeDirectory(
  typed: string,
  ceiling: readonly string[],
): Promise<{ readonly real: string } | { readonly problem: string }> {
  let real: string;
  try {
    [real] = (await checkDirectories([typed.replace(/^~(?=$|[/\\])/u, homedir())])) as [string];
  } catch (error) {
    return { problem: (error as Error).message };
  }
  if (real === '/' || /^[A-Z]:\\$/iu.test(real)) return { problem: 'This is the whole disk. Name a folder of notes.' };
  if (ceiling.length > 0 && !ceiling.some(top => real === top || real.startsWith(top.endsWith(sep) ? top : top + sep)))
    return { problem: `This server was started for ${ceiling.join(', ')}; choose that, or a folder in it.` };
  return { real };
}

/** The directories in force; none if `misfit` says why those that were chosen cannot be used. */
export interface InForce {
  readonly directories: readonly string[];
  readonly misfit?: string;
}

/**
 * The directories in force: those of the settings, as far as the command line allows them. If none of them can be used, none is in
 * force, since continuing without them would allow more than the person chose.
 * @param ceiling - those of the command line, as real paths
 */
export async function directoriesInForce(settings: Settings | undefined, ceiling: readonly string[]): Promise<InForce> {
  if (!settings) return { directories: [...ceiling] };
  const judged = await Promise.all(settings.directories.map(directory => judgeDirectory(directory, ceiling)));
  const real = judged.flatMap(each => ('real' in each ? [each.real] : []));
  if (real.length > 0) return { directories: [...new Set(real)] };
  const why = judged.flatMap(each => ('problem' in each ? [each.problem] : []));
  return { directories: [], misfit: misfitText(settings, why[0] ?? '') };
}

/** The error for a setup that no longer fits. @param why - what is wrong, as a sentence */
export function misfitText({ directories }: Settings, why: string): string {
  const chosen = directories.map(directory => `'${oneLine(directory, 300)}'`).join(', ');
  return `The setup of the notes server does not fit any more. It allows ${chosen}, of which nothing can be used: ${why}`;
}
