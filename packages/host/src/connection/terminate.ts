/**
 * Ends the processes of servers together with what they have started, as `npx` starts a server: each is in a process group of its own,
 * so that Ctrl-C in a terminal reaches this process alone, which then ends them.
 */
import { type SpawnOptionsWithoutStdio, spawn } from 'node:child_process';
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

/** The process groups that have not ended yet. */
const running = new Set<number>();
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends a server with this process, in whatever way that ends. @param pid - of a process that was just started */
export function endWithUs(pid: number): void {
  if (running.size === 0) {
    process.on('exit', terminateAll);
    // First in line: a listener that listens only once is not counted any more when its turn has come.
    for (const signal of endings) process.prependListener(signal, endedBySignal);
  }
  running.add(pid);
}

/** Asks a process and what it has started to end, if that has not ended by itself. */
export function terminate(pid: number): void {
  signalTree(pid, 'SIGTERM');
}

/** Asks a process and what it has started to end, and ends what does not. */
export async function endTree(pid: number): Promise<void> {
  terminate(pid);
  for (let waitedMs = 0; waitedMs < exitMs && signalTree(pid, 0); waitedMs += lookMs)
    await new Promise<void>(resolve => setTimeout(resolve, lookMs));
  signalTree(pid, 'SIGKILL');
  running.delete(pid);
  if (running.size > 0) return;
  process.off('exit', terminateAll);
  for (const signal of endings) process.off(signal, endedBySignal);
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

function terminateAll(): void {
  for (const pid of running) terminate(pid);
}

/** Ends the processes of servers, and then this process, unless somebody else listens for the signal. */
function endedBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return;
  terminateAll();
  process.off(signal, endedBySignal);
  process.kill(process.pid, signal);
}
