/** The server that a command is given: `-- <command>`, `--url`, or an entry of an `mcp.json`. */

import { resolve } from 'node:path';
import { isMidcallError } from '@midcall/core/errors';
import { own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import {
  commandTarget,
  type Era,
  readServerEntries,
  type ServerAuth,
  type ServerEntry,
  type ServerTarget,
  serverName,
  urlTarget,
} from '@midcall/host';
import { eraNames } from './era-names.ts';
import type { ServerFlags } from './server-flags.ts';
import { readNamedFile, usage } from './usage.ts';

/**
 * The one server that the options name.
 * @param words - the words after `--`
 * @param forAll - what the person does to use all servers of an `mcp.json`, if anything
 * @throws MidcallError `cli/usage` if they name none, or more than one
 */
export function chooseServer(flags: ServerFlags, words: readonly string[], forAll?: string): ServerEntry {
  const ways = [words.length > 0, flags.url !== undefined, flags.server !== undefined || flags.config !== undefined];
  const waysUsed = ways.filter(Boolean).length;
  if (waysUsed === 0) throw usage('Name the server: -- <command>, --url <url>, or --server <name> of an mcp.json.');
  if (flags.url === undefined && (flags.header ?? flags.serverAuth) !== undefined)
    throw usage('--header and --server-auth go with --url. In an mcp.json, they are in the entry of the server.');
  if (waysUsed > 1) throw usage('Name the server in one way only: -- <command>, --url, or --server.');
  if (words.length > 0) return named(commandTarget(words));
  if (flags.url !== undefined) return named(targetAt(flags.url, flags));
  return fromConfig(flags.config ?? 'mcp.json', flags.server, forAll);
}

/** A server that nobody has named, named by what it runs. */
export const named = (target: ServerTarget): ServerEntry => ({ id: serverName(target), target });

/**
 * A server at an address, with its headers and sign-in.
 * @throws MidcallError `cli/usage` if the address or a header is invalid, or a file cannot be read
 */
export function targetAt(
  url: string,
  { header = [], serverAuth }: Pick<ServerFlags, 'header' | 'serverAuth'>,
): ServerTarget {
  const files = header.filter(each => each.startsWith('@'));
  if (files.length > 1) throw usage('Give one file of headers only.');
  const headers = Object.fromEntries(header.filter(each => !files.includes(each)).map(readHeader));
  return urlTarget(url, {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(files[0] !== undefined && { headersFile: resolve(files[0].slice(1)) }),
    ...(serverAuth !== undefined && { auth: readAuth(serverAuth) }),
  });
}

/** @throws MidcallError `cli/usage` for any other word */
export function chooseEra(flags: ServerFlags): 'auto' | Era {
  const { era = 'auto' } = flags;
  const chosen = own(eraNames, era) as 'auto' | Era | undefined;
  if (chosen === undefined) throw usage('--era must be auto, 2026-07-28 or 2025-11-25.');
  return chosen;
}

/**
 * Every server of an `mcp.json` that can be used, or one of them. What is wrong with another is said on standard error.
 * @throws MidcallError `cli/usage`, naming the file, if it cannot be read or used, or does not have that one
 */
export function readServerList(file: string, only?: string): readonly ServerEntry[] {
  const path = resolve(file);
  const text = readNamedFile(path, 'The server list');
  try {
    const leftOut =
      only === undefined
        ? (why: string) => void process.stderr.write(`midcall: ${path}: ${why} It is left out.\n`)
        : undefined;
    return readServerEntries(text, process.env, only, leftOut).map(entry => ({ ...entry, listedIn: path }));
  } catch (cause) {
    if (!isMidcallError(cause, 'cli/usage')) throw cause;
    throw usage(`${path}: ${cause.message}`, { cause });
  }
}

function fromConfig(file: string, name: string | undefined, forAll: string | undefined): ServerEntry {
  const entries = readServerList(file, name);
  if (entries.length === 1) return entries[0]!;
  if (entries.length === 0) throw usage(`There is no server in ${file} that can be used.`);
  const names = entries.map(entry => visible(entry.id, { max: 100 })).join(', ');
  throw usage(
    `Choose one of the servers in ${file} with --server: ${names}.${forAll === undefined ? '' : ` ${forAll}`}`,
  );
}

/** The file of `--server-auth`. Secrets may come from the environment, as in an `mcp.json`. */
function readAuth(file: string): ServerAuth {
  const text = readNamedFile(file, 'The --server-auth file');
  // The only reader of such a member reads whole entries.
  const entry = `{"mcpServers":{"--server-auth":{"url":"http://localhost","auth":${text}}}}`;
  const [read] = readServerEntries(entry, process.env);
  return (read!.target as ServerTarget & { kind: 'url' }).auth!;
}

function readHeader(header: string): readonly [string, string] {
  const at = header.indexOf(':');
  if (at <= 0) throw usage('A header is written as name:value.');
  return [header.slice(0, at).trim(), header.slice(at + 1).trim()];
}
