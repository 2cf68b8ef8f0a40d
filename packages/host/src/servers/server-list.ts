/**
 * An `mcp.json` as people write it, read entry by entry: an invalid one does not affect the others.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { parseCommented } from './commented-json.ts';
import { listNames, serversIn } from './entry-dialects.ts';
import { type MissingValue, missingIn, readServerEntry, type ServerEntry } from './server-entry.ts';

/** Each of them is started, so a file of megabytes must not name as many as fit into it. */
const mostServers = 100;
/** The longest name of a server, in characters. */
const longestName = 100;

/** One entry of the file: the server, or what is wrong with it. */
export type ListedServer =
  | { readonly id: string; readonly entry: ServerEntry }
  | {
      readonly id: string;
      readonly problem: string;
      /** The values that it needs, if nothing else is wrong with it as far as is known. */
      readonly missing?: readonly MissingValue[];
    };

/** False for what a person could not read, and for dots alone, which no address can contain. */
const isName = (id: string): boolean => visible(id, { max: longestName }) === id && id !== '.' && id !== '..';

/**
 * Every server that a file names, or a single entry pasted without the members around it.
 * @param text - untrusted
 * @param environment - what `${NAME}` stands for
 * @throws MidcallError `cli/usage` if the text as a whole is no list of servers, or names more than 100
 */
export function readServerList(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): readonly ListedServer[] {
  let json: unknown;
  try {
    json = parseCommented(text);
  } catch (cause) {
    throw new MidcallError('cli/usage', `This cannot be read as JSON: ${(cause as Error).message}`, { cause });
  }
  const listed = serversIn(json) ?? (isRecord(json) && Object.values(json).every(isRecord) ? json : undefined);
  if (!listed || Object.keys(listed).length === 0)
    throw new MidcallError('cli/usage', `The text must have a member ${listNames} with an entry for each server.`);
  const entries = Object.entries(listed);
  if (entries.length > mostServers)
    throw new MidcallError(
      'cli/usage',
      `The text names ${entries.length} servers, and at most ${mostServers} are added at once. Split it.`,
    );
  return entries.map(([id, each]) => {
    if (!isName(id))
      return { id, problem: `Its name must have at most ${longestName} characters, all visible. Rename it.` };
    try {
      return { id, entry: readServerEntry(id, each, environment) };
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      const missing = missingIn(each, environment, isRecord(json) ? json['inputs'] : undefined);
      return { id, problem: error.message, ...(missing.length > 0 && { missing }) };
    }
  });
}
