/** Identifies a process of this machine, so that a later process with the same number is not mistaken for it. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRecord } from '../json/index.ts';

/** A process, as recorded in a file. */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** When it was started, in the system's own words; absent if the system does not say. */
  readonly began?: string;
}

/** This process. */
export function ownMark(): ProcessMark {
  const began = beginOf(process.pid);
  return { pid: process.pid, host: hostname(), ...(began !== undefined && { began }) };
}

export const isMark = (value: unknown): value is ProcessMark =>
  isRecord(value) &&
  Number.isSafeInteger(value['pid']) &&
  typeof value['host'] === 'string' &&
  (value['began'] === undefined || typeof value['began'] === 'string');

/** True if a process is running, or is on another machine, which cannot be checked. */
export function mayRun({ pid, host, began }: ProcessMark): boolean {
  if (host !== hostname()) return true;
  if (!isAlive(pid)) return false;
  return began === undefined || began === (beginOf(pid) ?? began);
}

/** True if a process of this machine has this number. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Field 22 of proc_pid_stat(5), after the name, which may hold anything. */
function beginOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
