/** Where standing decisions are kept where nothing else is said. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** @param environment - `XDG_CONFIG_HOME` is honoured */
export function rulesPath(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'midcall', 'rules.json');
}
