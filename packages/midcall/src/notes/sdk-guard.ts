/**
 * Whether this process's SDK can ask by URL: URL mode is new (revision 2025-11-25, SDK 1.23.0), and an older SDK would send the
 * question as something else. So this is checked before anything is asked.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The first SDK that has URL mode. */
const urlModeSince = '1.23.0';

/** The version of the SDK's server package; undefined if it cannot be found. */
export function sdkVersion(): string | undefined {
  let folder = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server'));
  for (let up = 0; up < 6; up++, folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (!existsSync(path)) continue;
    const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
    if (name === '@modelcontextprotocol/server') return version;
  }
  return undefined;
}

/** @returns why URL mode is not used, in a sentence; undefined if it can be */
export function tooOld(version: string | undefined): string | undefined {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/u
    .exec(version ?? '')
    ?.slice(1)
    .map(Number);
  if (!numbers) return 'The version of the MCP SDK is not known, so no page is offered.';
  const least = urlModeSince.split('.').map(Number);
  const differs = numbers.findIndex((number, index) => number !== least[index]);
  if (differs < 0 || numbers[differs]! > least[differs]!) return undefined;
  return `Pages need URL mode, which the MCP SDK has from ${urlModeSince}; this server runs on ${version}.`;
}
