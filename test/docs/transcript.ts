/**
 * What the documents show of a terminal, run again: the commands of a transcript (`$ …`) in a real pseudo-terminal, with
 * the keys of a script, compared with the text in the document. `MIDCALL_WRITE_TRANSCRIPTS=1` writes it instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import { npxFolder } from '../fixtures/npx.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const midcall = join(root, 'packages/midcall/bin/midcall.js');

/** One thing typed: once the text has come, this line. */
export type Typed = readonly [waitFor: string, line: string];

export interface Script {
  /** The commands, as a reader types them. */
  readonly commands: readonly string[];
  /** What is typed, in order. */
  readonly types?: readonly Typed[];
  /** Lines to show, from the first that has `from` to the next that is empty; all where absent. */
  readonly from?: string;
  /** The folder the commands are run in. */
  readonly folder: string;
}

/** Milliseconds before each line: of an answer that comes faster than anybody reads, servers say that the client gave it. */
const readingMs = 400;

/** Commands nobody types into are run once for all their excerpts. */
const before = new Map<string, Promise<readonly string[]>>();

/** @returns the transcript as it is now, and as the document has it */
export async function transcript(name: string, script: Script): Promise<{ now: string; documented: string }> {
  const typed = [...(script.types ?? [])];
  const shown: string[] = [];
  for (const command of script.commands) {
    const key = `${script.folder} ${command}`;
    const output = script.types ? undefined : before.get(key);
    const lines = output ?? run(command, join(root, script.folder), typed);
    before.set(key, lines);
    shown.push(`$ ${command}`, ...excerpt(await lines, script.from));
  }
  const now = `${shown.join('\n')}\n`;
  return { now, documented: documented(name, now) };
}

/** What a document shows; `now`, where transcripts are to be written. */
export function documented(name: string, now: string): string {
  const file = join(root, 'docs/console', `${name}.txt`);
  if (process.env['MIDCALL_WRITE_TRANSCRIPTS']) writeFileSync(file, now);
  return readFileSync(file, 'utf8');
}

function run(command: string, cwd: string, typed: Typed[]): Promise<readonly string[]> {
  const words = command.match(/(?:"[^"]*"|\S)+/gu)!.map(word => word.replaceAll('"', ''));
  const args = words[0] === 'npx' ? [midcall, ...words.slice(2)] : words.slice(1);
  const env = {
    ...(process.env as Record<string, string>),
    NO_COLOR: '1',
    PATH: `${npxFolder}:${process.env['PATH']}`,
    XDG_CONFIG_HOME: npxFolder,
  };
  const child = spawn(process.execPath, args, { cwd, cols: 200, rows: 60, env });
  let [all, from] = ['', 0];
  child.onData(data => {
    all += data;
    for (let next = typed[0]; next && all.includes(next[0], from); next = typed[0]) {
      from = all.indexOf(next[0], from) + next[0].length;
      const { 1: line } = next;
      setTimeout(() => child.write(`${line}\r`), readingMs);
      typed.shift();
    }
  });
  return new Promise(resolve => {
    child.onExit(() => resolve(plain(all)));
  });
}

/** Without escapes, paths of this machine and trailing space. */
function plain(text: string): readonly string[] {
  return text
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/gu, '')
    .replaceAll('\r', '')
    .replaceAll(/\('\/[^']*?\/notes'\)/gu, "('…/notes')")
    .replaceAll(/file:\S*?\/notes\b/gu, 'file:///…/notes')
    .split('\n')
    .map(line => line.trimEnd());
}

function excerpt(lines: readonly string[], from: string | undefined): readonly string[] {
  if (from === undefined) return lines.slice(0, lines.findLastIndex(line => line !== '') + 1);
  const start = lines.findIndex(line => line.includes(from));
  const length = lines.slice(start).indexOf('');
  return start < 0 ? [] : ['…', ...lines.slice(start, length < 0 ? undefined : start + length), '…'];
}
