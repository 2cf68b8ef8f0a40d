/** A server as hosts name it: a command, a URL, or an entry of an `mcp.json`. Parses only; the connection starts it. */

import { resolve } from 'node:path';
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { secretIn } from '@midcall/core/form';
import { defined, isRecord, isTexts } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import { readServerAuth, type ServerAuth } from '../authorization/index.ts';
import { parseCommented } from './commented-json.ts';
import { isSwitchedOff, listNames, serversIn, translated } from './entry-dialects.ts';

/** The server of a task, with what another process needs to reach it. */
export interface TaskServer {
  readonly id: string;
  readonly origin: string;
  /** Without environment and headers, which may hold secrets. Absent if the host does not say. */
  readonly target?: ServerTarget;
  /** The `mcp.json` that names it, with the members that are omitted here. */
  readonly listedIn?: string;
}

/** How to reach a server. */
export type ServerTarget =
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The path of a file with further headers, read with each start; see `readHeadersFile`. */
      readonly headersFile?: string;
      /** How the host signs in, if the server requires it. */
      readonly auth?: ServerAuth;
    };

/** A server with the name the person gave it. */
export interface ServerEntry {
  /** Unique in the host. */
  readonly id: string;
  readonly target: ServerTarget;
  /** True if one process may serve everybody; otherwise a bridge over HTTP starts one for each principal. */
  readonly shared?: boolean;
  /** True if its list says that it is switched off: it is started only when a person asks for it. */
  readonly disabled?: true;
  /** The `mcp.json` it was read from. */
  readonly listedIn?: string;
}

/** Names and values of the list may be a stranger's. */
const bad = (message: string): MidcallError => new MidcallError('cli/usage', visible(message, { max: 1_000 }));

/**
 * A server by its command line, which begins with the program. @throws MidcallError `cli/usage` if it is empty
 * @example
 * ```ts
 * const entry = { id: 'notes', target: commandTarget(['npx', 'midcall', 'notes', '/home/ada/notes']) };
 * ```
 */
export function commandTarget(words: readonly string[], options: { readonly cwd?: string } = {}): ServerTarget {
  const [command, ...args] = words;
  if (command === undefined || command === '') throw bad('Name the program that starts the server.');
  return { kind: 'command', command, args, ...(options.cwd !== undefined && { cwd: options.cwd }) };
}

/**
 * A server by its URL.
 * @param options - `headers` that are sent with every request, `headersFile` with more of them, and `auth`: how the host signs
 *   in
 * @throws MidcallError `cli/usage` if it is not http(s), if two of these give a token, or if a header cannot be sent; no value is
 *   quoted
 * @example
 * ```ts
 * const target = urlTarget('https://notes.example.com/mcp', { headersFile: '/home/ada/.config/notes.headers' });
 * ```
 */
export function urlTarget(
  url: string,
  { headers, headersFile, auth }: Omit<ServerTarget & { readonly kind: 'url' }, 'kind' | 'url'> = {},
): ServerTarget {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw bad('The server URL is not a complete web address.');
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') throw bad('The server URL must be http or https.');
  // The SDK's error about such an address quotes the password.
  if (parsed.username !== '' || parsed.password !== '')
    throw bad("The server URL must not contain a user name or password. Send them in a header 'Authorization'.");
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!isHeaderName(name)) throw bad('A header has a name with a character that no name of a header may have.');
    if (!isHeaderValue(value)) throw bad(`The header '${name}' has a value with a character that no header may have.`);
  }
  const own = Object.keys(headers ?? {}).some(name => name.toLowerCase() === 'authorization');
  if (auth && own) throw bad("Give the server a header 'Authorization' or 'auth', not both.");
  if (auth && headersFile !== undefined) throw bad("Give the server 'headersFile' or 'auth', not both.");
  return { kind: 'url', url: parsed.href, ...defined({ headers, headersFile, auth }) };
}

/**
 * The servers of an `mcp.json`, with or without comments and trailing commas, in the shapes that hosts write (see
 * entry-dialects.ts); `shared`, `headersFile` and the members of `auth` are ours.
 * @param text - the file's text; untrusted
 * @param environment - what `${NAME}`, `${env:NAME}`, `${NAME:-default}`, `{env:NAME}` and a whole text `$NAME` stand for
 * @param only - the one entry to read, even if it is switched off; what is wrong with the others does not matter then
 * @param onUnusable - told in one sentence of each entry that cannot be used; without it, the first of them is an error
 * @throws MidcallError `cli/usage`, naming the entry and the member; also if no entry can be used
 * @example
 * ```ts
 * const entries = readServerEntries(readFileSync('mcp.json', 'utf8'), process.env);
 * ```
 */
export function readServerEntries(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = {},
  only?: string,
  onUnusable?: (sentence: string) => void,
): readonly ServerEntry[] {
  let json: unknown;
  try {
    json = parseCommented(text);
  } catch {
    throw bad('The server list is not JSON.');
  }
  const listed = serversIn(json);
  if (!listed) throw bad(`The server list has no member ${listNames}.`);
  const entries = Object.entries(listed).filter(([id]) => only === undefined || id === only);
  if (only !== undefined && entries.length === 0)
    throw bad(`There is no server '${only}' in the list. It has: ${Object.keys(listed).join(', ') || 'none'}.`);
  const problems: MidcallError[] = [];
  const read = entries.flatMap(([id, entry]) => {
    if (only === undefined && isSwitchedOff(entry)) {
      problems.push(bad(`The server '${id}' is switched off in the list.`));
      return [];
    }
    try {
      return [readServerEntry(id, entry, environment)];
    } catch (error) {
      if (!onUnusable || !isMidcallError(error, 'cli/usage')) throw error;
      problems.push(error);
      return [];
    }
  });
  if (read.length === 0 && problems[0]) throw problems[0];
  for (const { message } of problems) onUnusable?.(message);
  return read;
}

/** One entry of such a list. @throws MidcallError `cli/usage`, naming the member */
export const readServerEntry = (id: string, entry: unknown, environment: Environment): ServerEntry => ({
  id,
  target: readTarget(id, entry, environment),
  ...readShared(id, entry),
  ...(isSwitchedOff(entry) && { disabled: true }),
});

function readShared(id: string, entry: unknown): { readonly shared?: boolean } {
  const shared = isRecord(entry) ? entry['shared'] : undefined;
  if (shared === undefined) return {};
  if (typeof shared !== 'boolean') throw bad(`'shared' of the server '${id}' must be true or false.`);
  return { shared };
}

type Environment = Readonly<Record<string, string | undefined>>;

function readTarget(id: string, raw: unknown, environment: Environment): ServerTarget {
  if (!isRecord(raw)) throw bad(`The server '${id}' is not an object.`);
  const inOurTerms = translated(raw);
  if ('why' in inOurTerms) throw bad(`The server '${id}' ${inOurTerms.why}`);
  const { command, url, args, env, cwd, headers, headersFile, auth } = inOurTerms.entry;
  const fill = (text: string): string => filled(id, text, environment);
  if (typeof url === 'string') {
    if (headersFile !== undefined && typeof headersFile !== 'string')
      throw bad(`'headersFile' of the server '${id}' is not text.`);
    const options = defined({
      headers: texts(id, 'headers', headers, fill),
      headersFile: headersFile === undefined ? undefined : fill(headersFile),
      auth: auth === undefined ? undefined : readServerAuth(`'auth' of the server '${id}'`, auth, fill),
    });
    const address = fill(url);
    try {
      return urlTarget(address, options);
    } catch (cause) {
      throw isMidcallError(cause, 'cli/usage') ? bad(`The server '${id}': ${cause.message}`) : cause;
    }
  }
  if (typeof command !== 'string') {
    const has = Object.keys(raw).join(', ') || 'no member';
    throw bad(`The server '${id}' must have a 'command' or a 'url'; it has ${has}.`);
  }
  if (args !== undefined && !isTexts(args)) throw bad(`'args' of the server '${id}' is not a list of strings.`);
  if (cwd !== undefined && typeof cwd !== 'string') throw bad(`'cwd' of the server '${id}' is not text.`);
  const filledEnv = texts(id, 'env', env, fill);
  return {
    kind: 'command',
    command: fromHome(fill(command), environment),
    args: ((args ?? []) as string[]).map(fill),
    ...(filledEnv && { env: filledEnv }),
    ...(cwd !== undefined && { cwd: fromHome(fill(cwd), environment) }),
  };
}

const homeOf = ({ HOME, USERPROFILE }: Environment): string | undefined => HOME ?? USERPROFILE;

/** A path in which `~` stands for the person's directory, as in a shell. */
function fromHome(path: string, environment: Environment): string {
  const home = homeOf(environment);
  return home !== undefined && /^~(?:[\\/]|$)/.test(path) ? `${home}${path.slice(1)}` : path;
}

function texts(
  id: string,
  member: string,
  value: unknown,
  fill: (text: string) => string,
): Readonly<Record<string, string>> | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw bad(`'${member}' of the server '${id}' is not an object.`);
  const entries = Object.entries(value).map(([name, text]) => {
    if (typeof text !== 'string') throw bad(`'${member}.${name}' of the server '${id}' is not text.`);
    return [name, fill(text)] as const;
  });
  return Object.fromEntries(entries);
}

/** A reference to a variable, without the brace that ends it and the text. */
const reference = /\$\{(?:(input:[^${}]+)|(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)$/;

/** What only an editor can fill in, without the brace that ends it; it may also be given a value by the name in the braces. */
const editorOnly =
  /\$\{((?:(?:input|command|config):|(?:workspaceFolder|workspaceRoot|fileWorkspaceFolder|workspaceFolderBasename)\b).*)$|\{file:.*$/s;

const valueIn = (environment: Environment, name: string): string | undefined =>
  Object.hasOwn(environment, name) ? environment[name] : undefined;

/** What Gemini CLI and opencode write for `${NAME}`. */
const spelledAsHere = (text: string): string =>
  text.replace(
    /^\$([A-Z_][A-Z0-9_]*)$|(?<!\$)\{env:([A-Za-z_]\w*)\}/g,
    (_, whole?: string, part?: string) => `\${${whole ?? part}}`,
  );

function filled(id: string, text: string, environment: Environment): string {
  // Split first: a pattern for whole references would look for the end of the text from the beginning of each.
  const parts = spelledAsHere(text).split('}');
  const last = parts.pop()!;
  const filledParts = parts.map(part => {
    const [named, inBraces = ''] = editorOnly.exec(part) ?? [];
    if (named !== undefined && valueIn(environment, inBraces) === undefined)
      throw bad(
        `The server '${id}' uses ${named}}, which only its editor can fill in. Use \${env:NAME}, or write the value itself.`,
      );
    const found = reference.exec(part);
    if (!found) return `${part}}`;
    const [, input, variable, otherwise] = found;
    const name = input ?? variable ?? '';
    const value = valueIn(environment, name) ?? (name === 'userHome' ? homeOf(environment) : undefined) ?? otherwise;
    if (value === undefined) throw bad(`The server '${id}' needs the environment variable ${name}, which is not set.`);
    return part.slice(0, found.index) + value;
  });
  return filledParts.join('') + last;
}

/** A value that an entry leaves open, and that a person can give. */
export interface MissingValue {
  /** The name of a variable, or `input:` and the id of an input. */
  readonly name: string;
  /** What the list says about it; untrusted. */
  readonly about?: string;
  readonly isSecret: boolean;
  /** True if it stands in the command line or the URL, and not only in a variable or a header. */
  readonly inCommand: boolean;
}

/** The values that an entry needs and the environment does not have. @param inputs - as VS Code lists them beside the servers */
export function missingIn(entry: unknown, environment: Environment, inputs: unknown): readonly MissingValue[] {
  const missing = new Map<string, MissingValue>();
  const described = (id: string): Readonly<Record<string, unknown>> =>
    (Array.isArray(inputs) ? inputs.filter(isRecord) : []).find(each => each['id'] === id) ?? {};
  const look = (value: unknown, inSecrets: boolean): void => {
    if (typeof value === 'string') {
      for (const part of spelledAsHere(value).split('}').slice(0, -1)) {
        const [, input, variable, otherwise] = reference.exec(part) ?? [];
        const name = input ?? variable;
        if (name === undefined || otherwise !== undefined || name === 'userHome') continue;
        if (valueIn(environment, name) !== undefined || /^(?:workspace|fileWorkspace)/.test(name)) continue;
        const { description, password } = input === undefined ? {} : described(input.slice('input:'.length));
        missing.set(name, {
          name,
          ...(typeof description === 'string' && { about: description }),
          isSecret: password === true || secretIn({ name: name.replace(/^input:/, '') }) !== undefined,
          inCommand: !inSecrets || missing.get(name)?.inCommand === true,
        });
      }
    } else if (Array.isArray(value)) for (const each of value) look(each, inSecrets);
    else if (isRecord(value))
      for (const [member, each] of Object.entries(value))
        look(each, inSecrets || /^(?:env|environment|headers|http_headers|requestInit)$/.test(member));
  };
  look(entry, false);
  return [...missing.values()];
}

/** What a person is shown as the server's origin: its command line, or its URL without credentials and query. */
export function originOf(target: ServerTarget): string {
  if (target.kind === 'command') return [target.command, ...target.args].map(quoted).join(' ');
  const url = new URL(target.url);
  return `${url.origin}${url.pathname}`;
}

/**
 * A server as it is stored with its tasks: without anything that may be secret, and with the directory that it is started in.
 */
export function taskServerOf({ id, target, listedIn }: ServerEntry): TaskServer {
  const withoutSecrets: ServerTarget =
    target.kind === 'url'
      ? { kind: 'url', url: target.url }
      : { kind: 'command', command: target.command, args: target.args, cwd: resolve(target.cwd ?? '.') };
  return { id, origin: originOf(target), target: withoutSecrets, ...(listedIn !== undefined && { listedIn }) };
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** What may be a header of a request. It is judged before it is sent, since an error of `fetch` quotes the value. Pure. */
export const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name);

/** @param value - space and line breaks around it are not sent, and may be anything */
export const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim());
