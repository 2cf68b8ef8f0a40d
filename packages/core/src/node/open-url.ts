/**
 * Opens a page in the person's browser, after they have agreed. No shell sees the address, not even PowerShell: it is one
 * argument of a system program. Only http(s) addresses in their parsed, percent-encoded form get that far.
 */
import { spawn as spawnProcess } from 'node:child_process';
import { hides } from '../text/index.ts';

/** Starts a program; the part of `child_process.spawn` that is needed. */
export type Spawn = (
  command: string,
  args: readonly string[],
  options: {
    readonly shell: false;
    readonly detached: boolean;
    readonly stdio: 'ignore';
    readonly windowsHide: boolean;
  },
) => { once(event: 'spawn' | 'error', listener: () => void): unknown; unref(): void };

/** Injected dependencies of opening a link. */
export interface OpenUrlOptions {
  readonly platform?: NodeJS.Platform;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly spawn?: Spawn;
}

const windows = ['rundll32.exe', 'url.dll,FileProtocolHandler'] as const;

/** Longer addresses are cut off by some programs and browsers. */
const longest = 8_192;

/** The programs that open a page, each with the arguments before the address; the first that starts is used. */
function openers(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): readonly (readonly string[])[] {
  if (platform === 'darwin') return [['open']];
  if (platform === 'win32') return [windows];
  const commands: (readonly string[])[] = [];
  // Linux inside Windows: the person's browser is that of Windows.
  if (environment['WSL_INTEROP']) commands.push(windows);
  if (environment['DISPLAY'] || environment['WAYLAND_DISPLAY']) commands.push(['xdg-open']);
  return commands;
}

/** True if there may be a browser to open: a display, or a system that has one. */
export const hasBrowser = ({ platform, environment }: OpenUrlOptions = {}): boolean =>
  openers(platform ?? process.platform, environment ?? process.env).length > 0;

/** The address as it may be passed on, or undefined. */
function openable(href: string): string | undefined {
  if (href.length > longest || hides(href) || /\s/.test(href) || !URL.canParse(href)) return undefined;
  const url = new URL(href);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/**
 * Opens a page.
 * @param href - http(s); anything else is never opened
 * @returns false if there is no browser to open, or the address is invalid; the person then opens the printed one
 */
export async function openUrl(href: string, options: OpenUrlOptions = {}): Promise<boolean> {
  const address = openable(href);
  if (address === undefined) return false;
  const spawn: Spawn = options.spawn ?? ((name, args, how) => spawnProcess(name, [...args], how));
  for (const words of openers(options.platform ?? process.platform, options.environment ?? process.env)) {
    const [command, ...before] = words as [string, ...string[]];
    if (await starts(spawn, command, [...before, address])) return true;
  }
  return false;
}

/** True if the program could be started; what it does then is not tracked. */
function starts(spawn: Spawn, command: string, args: readonly string[]): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(command, args, { shell: false, detached: true, stdio: 'ignore', windowsHide: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
