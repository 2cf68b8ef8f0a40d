/** `midcall call` and other scripts in a real pseudo-terminal, and the keys a person presses. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { askingServer } from '../host/person.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const midcall = join(root, 'packages/midcall/bin/midcall.js');
export const up = '\u001b[A';
export const down = '\u001b[B';
export const shiftTab = '\u001b[Z';
export const enter = '\r';
export const interrupt = '\u0003';
export const esc = '\u001b';
export const endOfInput = '\u0004';
export const suspend = '\u001a';

/**
 * `midcall call` in a terminal.
 * @param server - the command that starts the server
 */
export const terminal = (
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  server: readonly string[] = ['node', askingServer],
) => inTerminal([midcall, 'call', ...words, '--', ...server], env);

/**
 * A script of Node whose standard error goes into a file.
 * @param args - the script and its arguments
 * @returns what `inTerminal` starts, and what is in the file by now
 */
export function errorsInFile(args: readonly string[], options: { readonly detached?: boolean } = {}) {
  const file = join(mkdtempSync(join(tmpdir(), 'midcall-errors-')), 'log');
  const script = `const errors = require('node:fs').openSync(${JSON.stringify(file)}, 'w');
    require('node:child_process')
      .spawn(process.execPath, ${JSON.stringify(args)}, { ...${JSON.stringify(options)}, stdio: ['inherit', 'inherit', errors] })
      .on('exit', code => (process.exitCode = code));`;
  return { words: ['-e', script], log: () => readFileSync(file, 'utf8') };
}

/**
 * A script of Node in a terminal one can wait on: `until` resolves once the text has come since the last wait.
 * @param words - the script and its arguments
 */
export function inTerminal(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [...words], {
    cwd: root,
    cols: 120,
    rows: 40,
    env: {
      ...(process.env as Record<string, string>),
      NO_COLOR: '',
      VISUAL: '',
      EDITOR: '',
      XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), 'midcall-tty-')),
      ...env,
    },
  });
  let [all, from] = ['', 0];
  const waiting = new Set<() => void>();
  let over = false;
  const textType = (): string => all.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');
  child.onData(data => {
    all += data;
    for (const look of waiting) look();
  });
  const ended = new Promise<number>(resolve =>
    child.onExit(({ exitCode }) => {
      over = true;
      for (const look of waiting) look();
      resolve(exitCode);
    }),
  );
  /** Rejects where the command ends without it. */
  const until = (expected: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const rest = textType().slice(from);
        const at = typeof expected === 'string' ? rest.indexOf(expected) : rest.search(expected);
        if (at < 0) {
          if (over) reject(new Error(`It ended without ${String(expected)}, after: ${rest}`));
          return;
        }
        waiting.delete(look);
        from += at + 1;
        resolve();
      };
      waiting.add(look);
      look();
    });
  return {
    ended,
    text: textType,
    raw: () => all,
    type: (keys: string) => child.write(keys),
    signal: (name: NodeJS.Signals) => child.kill(name),
    until,
    /** Waits for each text in turn, and presses the keys that stand beside it. */
    async pass(...steps: readonly (readonly [expected: string | RegExp, keys?: string])[]): Promise<void> {
      for (const [expected, keys] of steps) {
        await until(expected);
        if (keys !== undefined) child.write(keys);
      }
    },
  };
}
