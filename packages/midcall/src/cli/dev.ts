/**
 * `midcall dev`: a desk of its own beside a server that is being written. Whenever a source file of its folder changes, the server is
 * started again and the desk connects to it anew, in either revision; a call that was running ends.
 */
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Connection } from '@midcall/host';
import type { Command } from 'commander';
import { configPath } from '../install/index.ts';
import { complain, serveDesk } from './desk.ts';
import { usage } from './usage.ts';

interface DevFlags {
  readonly era: string;
  readonly open?: boolean;
}

/** Adds `midcall dev`. */
export function register(command: Command): void {
  command
    .argument('<file>', 'the server, which speaks over standard input and output, such as server.ts')
    .option('--era <era>', 'protocol revision: auto, 2026-07-28 or 2025-11-25', 'auto')
    .option('--open', 'open the page in a browser, if there is a display')
    .action(async (file: string, flags: DevFlags) => {
      const path = resolve(file);
      if (!existsSync(path)) throw usage(`There is no file ${path}.`);
      await serveDesk(
        [process.execPath, ...loaderOf(path), path],
        { ...flags, keep: false, decisions: configPath('decisions.json'), tasks: configPath('tasks.json') },
        { onConnection: connection => restartOnChange(dirname(path), connection) },
      );
    });
}

/** How Node runs TypeScript: by itself from 22.18 on, before that by tsx, if the server's project has it. */
function loaderOf(path: string): readonly string[] {
  if (!/\.[cm]?ts$/.test(path) || (process.features as { readonly typescript?: unknown }).typescript) return [];
  try {
    return ['--import', pathToFileURL(createRequire(path).resolve('tsx')).href];
  } catch {
    throw usage(
      `Node ${process.versions.node} runs no TypeScript by itself. Use Node 22.18 or newer, or run: npm install --save-dev tsx`,
    );
  }
}

/** Editors write a file in several steps; this many milliseconds after the last one, the server is started again. */
const SETTLE_MS = 100;

/**
 * Whether the server is to be started again for a change of this name: one without an ending may be a folder. What a server writes
 * beside itself, such as a database or a log, would end its calls and start it without end.
 */
export const isSource = (name: string | null): boolean =>
  name === null || /(?:\.[cm]?[jt]sx?|(?:^|[/\\])[^.]+)$/.test(name);

function restartOnChange(folder: string, connection: Connection): void {
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let restarted = Promise.resolve();
  const observe = (): void => {
    for (const each of watchers) each.close();
    watchers = foldersIn(folder).flatMap(each => whileThere(() => [watch(each, changed).on('error', () => {})]));
  };
  const changed = (_event: string, name: string | null): void => {
    if (!isSource(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // There may be new folders.
      observe();
      restarted = restarted.then(() => connection.restart()).catch(complain);
    }, SETTLE_MS);
  };
  observe();
}

/** What is read of a folder; nothing if it has been removed meanwhile, as a build does with what it made. */
function whileThere<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** A folder and those in it, apart from what is installed and what is hidden. */
function foldersIn(folder: string): readonly string[] {
  const inside = whileThere(() => readdirSync(folder, { withFileTypes: true })).filter(
    each => each.isDirectory() && each.name !== 'node_modules' && !each.name.startsWith('.'),
  );
  return [folder, ...inside.flatMap(({ name }) => foldersIn(join(folder, name)))];
}
