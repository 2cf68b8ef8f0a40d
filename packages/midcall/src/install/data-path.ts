/** Where data that Midcall makes for a person is by default: `~/.local/share/midcall`, or below `XDG_DATA_HOME`. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The path of one of our folders by its name, such as `samples`. */
export function dataPath(
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  return join(environment['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'midcall', name);
}
