/**
 * Ends the processes of servers together with what they have started, as `npx` starts a server: each is in a process group of its own,
 * so that Ctrl-C in a terminal reaches this process alone, which then ends them.
 */
import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
import { pause, systemClock } from '@midcall/core/time';
import { beforeEnd } from '../base/index.ts';
import { inheritedEnvironment } from '../sdk-seam/index.ts';
import type { ServerTarget } from '../servers/index.ts';

type CommandTarget = Extract<ServerTarget, { readonly kind: 'command' }>;

/** True where a process is started with a group of its own; Windows has none, and ends a tree of processes by its root. */
const startsGroup = process.platform !== 'win32';

/** How a server is started, so that it can be ended with everything that it starts. */
export const spawnOptions = ({ env, cwd }: Pick<CommandTarget, 'env' | 'cwd'>): SpawnOptionsWithoutStdio => ({
  detached: startsGroup,
  env: { ...inheritedEnvironment(process.env, process.platform), ...env },
  stdio: 'pipe',
  windowsHide: true,
  ...(cwd !== undefined && { cwd }),
});

/** How many milliseconds processes have to exit after they were asked to, and between two looks at whether they have. */
const exitMs = 2_000;
const lookMs = 20;

/** The process groups that have not ended yet, each with what no longer ends it with this process. */
const running = new Map<number, () => void>();

/** Ends a server with this process, in whatever way that ends. @param pid - of a process that was just started */
export function endWithUs(pid: number): void {
  running.set(
    pid,
    beforeEnd(() => terminate(pid)),
  );
}

/** Asks a process and what it has started to end, if that has not ended by itself. */
export function terminate(pid: number): void {
  signalTree(pid, 'SIGTERM');
}

/** Asks a process and what it has started to end, and ends what does not. */
export async function endTree(pid: number): Promise<void> {
  terminate(pid);
  for (let waitedMs = 0; waitedMs < exitMs && signalTree(pid, 0); waitedMs += lookMs) await pause(lookMs, systemClock);
  signalTree(pid, 'SIGKILL');
  running.get(pid)?.();
  running.delete(pid);
}

/** @returns false if nothing of it is left */
function signalTree(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(startsGroup ? -pid : pid, signal);
    if (!startsGroup && signal !== 0)
      spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).on('error', () => {});
    return true;
  } catch {
    return false;
  }
}
