/**
 * Lists of servers as the many hosts write them, put in the terms of one: `command`, `args`, `env`, `cwd`, or `url`, `headers`,
 * `auth`. What means the same is read; what only its own host can do is refused by its name, with what to write instead. Pure.
 */
import { defined, isRecord, type JsonObject } from '@midcall/core/json';
import { commandWords } from './command-words.ts';

/** Where hosts keep their list: most; VS Code; Zed; VS Code's settings and opencode; Codex, once it is JSON; settings of Amp. */
const lists = ['mcpServers', 'servers', 'context_servers', 'mcp', 'mcp_servers', 'amp.mcpServers'] as const;

/** The names that a list of servers may have, for errors. */
export const listNames = "'mcpServers', 'servers', 'context_servers' or 'mcp'";

/** The entries of a list by their names; undefined if the JSON has no list. */
export function serversIn(json: unknown): JsonObject | undefined {
  if (!isRecord(json)) return undefined;
  const name = lists.find(each => json[each] !== undefined && json[each] !== null);
  if (name === undefined) return undefined;
  const listed = json[name];
  if (Array.isArray(listed)) return named(listed);
  return isRecord(listed) && name === 'mcp' ? (serversIn(listed) ?? listed) : isRecord(listed) ? listed : undefined;
}

/** A list without names of its own, as Continue writes it: each entry has its name in it. */
const named = (entries: readonly unknown[]): JsonObject =>
  Object.fromEntries(
    entries.map((entry, at) => {
      const name = isRecord(entry) ? (entry['name'] ?? entry['id']) : undefined;
      return [typeof name === 'string' && name !== '' ? name : `server-${at + 1}`, entry];
    }),
  );

/** True for an entry that its host keeps and does not use. */
export const isSwitchedOff = (entry: unknown): boolean =>
  isRecord(entry) && (entry['disabled'] === true || entry['enabled'] === false);

/** What an entry may contain, and what it should say instead, for members that only one host understands. */
const refused: Readonly<Record<string, string>> = {
  envFile: `Write the variables in 'env', as \${env:NAME} where they are secret.`,
  bearer_token_env_var: `Write 'headers' with Authorization: Bearer \${env:NAME}.`,
  env_http_headers: `Write 'headers', with \${env:NAME} for each value.`,
  authProviderType: "Write 'auth' with 'flow', 'clientId' and 'clientSecret'.",
  headersHelper: "Write the headers in a file, and its path as 'headersFile'.",
  socketPath: "Give the server a 'command' or a 'url'.",
  bundledMcpPath: "Give the server a 'command' or a 'url'.",
};

/** An entry in our terms, or the rest of a sentence that begins with the server: why it has none. */
export type Translated = { readonly entry: JsonObject } | { readonly why: string };

/** @param entry - as a host has it */
export function translated(entry: JsonObject): Translated {
  const { transport, command: rawCommand, ...others } = withoutNulls(entry);
  // What Gemini CLI does without it, and every host by itself.
  const { authProviderType, ...rest } = others;
  const provider = authProviderType === 'dynamic_discovery' ? {} : defined({ authProviderType });
  const nested = isRecord(transport) ? withoutNulls(transport) : {};
  // Zed once wrote the whole command as an object.
  const inCommand = isRecord(rawCommand) ? withoutNulls(rawCommand) : {};
  const command = isRecord(rawCommand) ? (inCommand['path'] ?? inCommand['command']) : rawCommand;
  const { path: _, ...beside } = inCommand;
  const all: JsonObject = { ...nested, ...rest, ...provider, ...beside, ...(command !== undefined && { command }) };
  if (all['sandboxEnabled'] === true)
    return {
      why: `runs in the sandbox of its host ('sandboxEnabled'), which there is none of here. Remove it to start the server without one.`,
    };
  const member = Object.keys(refused).find(name => all[name] !== undefined);
  if (member !== undefined)
    return { why: `has '${member}', which only the host it was written for understands. ${refused[member]}` };
  const url = all['httpUrl'] ?? all['serverUrl'] ?? all['url'] ?? all['uri'];
  const headers = all['headers'] ?? all['http_headers'] ?? headersIn(all['requestInit']);
  const env = all['env'] ?? all['environment'];
  return {
    entry: {
      ...all,
      ...withCommand(all),
      ...(url !== undefined && { url }),
      ...(headers !== undefined && { headers }),
      ...(isRecord(env) ? { env: asTexts(env) } : env === undefined ? {} : { env }),
      ...(authIn(all) !== undefined && { auth: authIn(all) }),
    },
  };
}

const withoutNulls = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const headersIn = (init: unknown): unknown => (isRecord(init) ? init['headers'] : undefined);

/** Numbers and yes or no become the text that a process would see. */
const asTexts = (members: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(withoutNulls(members)).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ]),
  );

/** A command with its arguments in one list, or in one text that begins with the name of a program; a path may have spaces. */
function withCommand({ command, args }: JsonObject): JsonObject {
  if (Array.isArray(command)) {
    const [program, ...first] = command as unknown[];
    return { command: program, args: [...first, ...(Array.isArray(args) ? args : [])] };
  }
  const hasArguments = Array.isArray(args) && args.length > 0;
  if (typeof command !== 'string' || hasArguments || !/^[\w.@-]+\s/.test(command)) return {};
  const [program, ...words] = commandWords(command);
  return { command: program, args: words };
}

/** The sign-in of an entry: ours, or what others call `oauth` or spell otherwise. */
function authIn({ auth, oauth }: JsonObject): unknown {
  const signIn = auth ?? oauth;
  if (signIn === 'oauth' || signIn === true) return {};
  if (signIn === false) return undefined;
  if (!isRecord(signIn)) return signIn;
  const { CLIENT_ID, CLIENT_SECRET, callbackPort, enabled: _, type: __, scope, ...rest } = withoutNulls(signIn);
  const scopes = rest['scopes'] ?? scope;
  return {
    ...rest,
    ...(CLIENT_ID !== undefined && { clientId: CLIENT_ID }),
    ...(CLIENT_SECRET !== undefined && { clientSecret: CLIENT_SECRET }),
    ...(typeof scopes === 'string' && { scopes: scopes.split(' ').filter(each => each !== '') }),
    // Hosts that name a port this way return to `localhost`, and that is what people have registered.
    ...(callbackPort !== undefined && { redirectPort: callbackPort, redirectHost: 'localhost' }),
  };
}
