/**
 * A server as a form represents it: read from what was posted, and written into the form again; and what a person means by the line
 * they enter to add one. Pure.
 */
import { isMidcallError, MidcallError } from '@midcall/core/errors';
import { defined } from '@midcall/core/json';
import { commandTarget, commandWords, originOf, type ServerEntry, urlTarget } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { texts } from '../texts/index.ts';

type Target = ServerEntry['target'];

/** The variables of a command's environment, or the headers that are sent to a URL. */
export const secretsOf = (target: Target): Readonly<Record<string, string>> =>
  (target.kind === 'command' ? target.env : target.headers) ?? {};

/**
 * Parses a field of lines such as `NAME=value` or `Name: value`. @throws MidcallError `cli/usage`, naming the line and not its
 * value
 */
function readLines(text: string, sign: '=' | ':'): Readonly<Record<string, string>> {
  const lines = text.split(/\r\n?|\n/).map(line => line.trim());
  const entries = lines.flatMap((line, at) => {
    if (line === '') return [];
    const place = line.indexOf(sign);
    if (place <= 0) throw new MidcallError('cli/usage', texts.servers.badLine(at + 1, sign));
    const name = line.slice(0, place).trim();
    if (!(sign === '=' ? /^[A-Za-z_][\w.-]*$/ : /^[\w!#$%&'*+.^`|~-]+$/).test(name))
      throw new MidcallError('cli/usage', texts.servers.badName(at + 1));
    return [[name, line.slice(place + 1).trim()] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * The target that a form names.
 * @param before - the server that is edited: secrets that its form leaves empty stay unchanged
 * @throws MidcallError `cli/usage`
 */
export function targetOf(draft: Draft, before?: Target): Target {
  const what = (first(draft, 'what') ?? '').trim();
  const byUrl = first(draft, 'by') === 'url';
  const dropped = new Set(draft.get('drop') ?? []);
  const old = before && (before.kind === 'url') === byUrl ? secretsOf(before) : {};
  const remaining = Object.entries(old).filter(([name]) => !dropped.has(name));
  const secrets = { ...Object.fromEntries(remaining), ...readLines(first(draft, 'secrets') ?? '', byUrl ? ':' : '=') };
  const any = Object.keys(secrets).length > 0;
  if (byUrl) {
    const { headersFile, auth } = before?.kind === 'url' ? before : {};
    return urlTarget(what, defined({ headers: any ? secrets : undefined, headersFile, auth }));
  }
  const cwd = (first(draft, 'cwd') ?? '').trim();
  const target = commandTarget(commandWords(what), cwd === '' ? {} : { cwd });
  return any ? ({ ...target, env: secrets } as Target) : target;
}

/** How a server is reached, as entered in the form. */
export const writtenTarget = (target: Target): string => (target.kind === 'url' ? target.url : originOf(target));

/** A server as an entry of an `mcp.json`; secrets are replaced by names of variables. */
export function asConfig({ id, target }: ServerEntry): string {
  const secrets = Object.keys(secretsOf(target)).map(name => [name, `\${${name.replace(/\W/g, '_')}}`] as const);
  const values = Object.fromEntries(secrets);
  const any = secrets.length > 0;
  const entry =
    target.kind === 'url'
      ? { url: target.url, ...(any && { headers: values }) }
      : {
          command: target.command,
          args: target.args,
          ...(any && { env: values }),
          ...(target.cwd !== undefined && { cwd: target.cwd }),
        };
  return JSON.stringify({ mcpServers: { [id]: entry } }, null, 2);
}

/** What was entered. */
export type Understood =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'config' }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'command'; readonly program: string }
  | {
      readonly kind: 'package';
      readonly name: string;
      /** A version or a tag. */
      readonly version: string;
      readonly args: readonly string[];
    }
  | { readonly kind: 'wrong'; readonly why: string };

const packageName = /^(@[a-z0-9~-][a-z0-9._~-]*\/[a-z0-9~-][a-z0-9._~-]*|[a-z0-9~-][a-z0-9._~-]*)(?:@([\w.^~+-]+))?$/;

/** This machine is reached without encryption. */
const local = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:\/|$)/i;

/**
 * Tells what a person means by what they enter to add a server: a command, a URL, a list of servers or an npm package.
 * @param text - as entered
 * @param isProgram - true for the name of a program on this machine
 */
export function understand(text: string, isProgram: (word: string) => boolean): Understood {
  const entered = text.trim();
  if (entered === '') return { kind: 'nothing' };
  if (/^https?:\/\//i.test(entered)) return { kind: 'url', url: entered };
  if (local.test(entered)) return { kind: 'url', url: `http://${entered}` };
  if (/^(?:[{[]|"[^"]*"\s*:|\/[/*])/.test(entered)) return { kind: 'config' };
  try {
    const [first = '', ...args] = commandWords(entered);
    const found = packageName.exec(first);
    const isScoped = first.startsWith('@');
    if (found && (isScoped || (args.length === 0 && !isProgram(first))))
      return { kind: 'package', name: found[1]!, version: found[2] ?? 'latest', args };
    return { kind: 'command', program: first };
  } catch (error) {
    if (!isMidcallError(error)) throw error;
    return { kind: 'wrong', why: error.message };
  }
}
