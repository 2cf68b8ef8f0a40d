/** What to call a server that nobody has named. Pure. */
import type { ServerTarget } from './server-entry.ts';

/** Programs that run others, whose name says nothing about the server. */
const runners =
  /^(node|nodejs|bun|bunx|deno|tsx|ts-node|npx|npm|pnpm|yarn|python[\d.]*|py|uv|uvx|pipx|ruby|java|dotnet|docker|podman|env|sh|bash|cmd|midcall)(\.(exe|cmd|js))?$/i;

/** What stands before the thing that is run: options, as in `cmd /c` too, the words of a runner, and variables of `env`. */
const beforeIt = /^(-.*|\/[a-z]|run|exec|dlx|x|tool|\w+=.*)$/i;

/** Files and folders that are called the same in every project. */
const everywhere = /^(index|main|server|cli|app|dist|build|out|lib|src|bin)$/i;

const ending = /(?<=.)(@[\w.^~-]+|\.[cm]?[jt]sx?|\.py|\.rb|\.jar|\.exe|\.cmd)$/i;

const mostCharacters = 60;

/**
 * A short name for a server: the host of its URL, or its program; for one that only runs others, the script or the package that it
 * runs. An option's value may be taken for that.
 * @example
 * ```ts
 * serverName(commandTarget(['npx', '-y', '@acme/tea@1.2.0'])); // 'tea'
 * ```
 */
export function serverName(target: ServerTarget): string {
  if (target.kind === 'url') return new URL(target.url).host;
  const partsOf = (path: string): readonly string[] => path.split(/[\\/]/).filter(part => /[^.]/.test(part));
  const isRunner = (word: string): boolean => runners.test(partsOf(word).at(-1) ?? '');
  const words = [target.command, ...target.args];
  const run = words.find(word => !beforeIt.test(word) && !isRunner(word)) ?? '';
  const names = partsOf(run).map(part => part.replace(ending, ''));
  const name = names.findLast(each => !everywhere.test(each)) ?? partsOf(run).at(-1) ?? '';
  const shown = name
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, mostCharacters)
    .trim();
  return shown || partsOf(target.command).at(-1) || target.command;
}
