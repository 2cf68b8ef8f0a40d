/** Where a person's own files are by default: `~/.config/midcall`, or below `XDG_CONFIG_HOME`. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The path of one of our files by its name, such as `rules.json`. */
export function configPath(
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'midcall', name);
}
