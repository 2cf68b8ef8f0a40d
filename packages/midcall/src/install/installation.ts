/** What an installed command knows about itself: its version, its own file, and where a person's files are. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file that runs as `midcall`. */
export const ownCommand = fileURLToPath(new URL('../../bin/midcall.js', import.meta.url));

/** The version of this package, from its package.json beside the folder that this file is in, `src` and `dist` alike. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The path of a person's own file by its name, such as `decisions.json`: in `~/.config/midcall`, or below `XDG_CONFIG_HOME`. */
export function configPath(name: string): string {
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'midcall', name);
}

/** The path of data that Midcall makes, such as `samples`: in `~/.local/share/midcall`, or below `XDG_DATA_HOME`. */
export function dataPath(name: string): string {
  return join(process.env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'midcall', name);
}
