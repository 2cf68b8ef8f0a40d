/**
 * Opens a page in the person's browser, after they said yes. No shell sees the address: it is one argument of a program
 * of the system's own. Only http(s) addresses in their parsed, percent-encoded spelling get that far.
 */
import { spawn as spawnProcess } from 'node:child_process';
import { judgeUrl } from './url.ts';

/** Starts a program; as much of `child_process.spawn` as is needed. */
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

/** What opening a link takes from outside. */
export interface OpenUrlOptions {
  readonly platform?: NodeJS.Platform;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly spawn?: Spawn;
}

/** The program that opens a page, and the arguments before the address. */
function opener(
  platform: NodeJS.Platform,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32.exe', 'url.dll,FileProtocolHandler'];
  const display = environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'];
  return display === undefined || display === '' ? undefined : ['xdg-open'];
}

/**
 * Opens a page.
 * @param href - http(s); anything else is never opened
 * @returns false where there is no browser to open, or the address is none; the person opens the printed one then
 */
export function openUrl(href: string, options: OpenUrlOptions = {}): Promise<boolean> {
  const words = opener(options.platform ?? process.platform, options.environment ?? process.env);
  if (!words || !judgeUrl(href).openable) return Promise.resolve(false);
  const [command, ...before] = words as [string, ...string[]];
  const spawn: Spawn = options.spawn ?? ((name, args, how) => spawnProcess(name, [...args], how));
  return new Promise(resolve => {
    const child = spawn(command, [...before, new URL(href).href], {
      shell: false,
      detached: true,
      stdio: 'ignore',
      windowsHide: true,
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
