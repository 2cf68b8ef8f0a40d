/**
 * The audit record as a JSON Lines file that is only appended to, and that only its owner can read.
 *
 * - audit-file-L1 A line is appended whole or not at all: the rest of a failed write is removed at once, or before the next
 *   line.
 * - audit-file-L2 Only an unfinished line is ever cut off, and never if another process has written since.
 */
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromJson } from '@midcall/core/json';
import { checkKind, name } from '@midcall/core/options';
import type { AuditLog } from './audit.ts';

const LINE_BREAK = 0x0a;

/**
 * A sink that appends to a file; the file and its folder are created if they are missing. Several processes may append to one
 * file in turn; if two do so at the same moment, the chain may break.
 * @param path - absolute, or relative to the working directory
 * @example
 * ```ts
 * const audit = new Audit({ sink: auditFile('/var/log/my-host/audit.jsonl') });
 * ```
 */
export function auditFile(path: string): AuditLog {
  checkKind('auditFile', 'the path', path, name);
  /** Bytes up to the end of the last whole line. */
  let whole = 0;
  /** The size of the file, in bytes, as this process last read or left it. */
  let size = 0;
  /** True if the last whole line has no line break. */
  let unended = false;

  return {
    read() {
      const bytes = contentsOf(path);
      whole = bytes.lastIndexOf(LINE_BREAK) + 1;
      size = bytes.length;
      const lines = bytes.toString('utf8', 0, whole).split('\n').filter(Boolean);
      const rest = bytes.toString('utf8', whole);
      unended = isObject(rest);
      if (!unended) return { lines, unfinished: rest };
      whole = size;
      return { lines: [...lines, rest], unfinished: '' };
    },
    append(line) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const file = openSync(path, 'a', 0o600);
      try {
        if (fstatSync(file).size !== size) return false;
        if (size > whole) ftruncateSync(file, whole);
        size = whole;
        const bytes = Buffer.from(`${unended ? '\n' : ''}${line}\n`);
        try {
          for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
        } catch (error) {
          size = cutBack(file, whole);
          throw error;
        }
        whole += bytes.length;
        size = whole;
        unended = false;
        return true;
      } finally {
        closeQuietly(file);
      }
    },
  };
}

function contentsOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Whether a text is a whole JSON object; the beginning of one never is. */
const isObject = (text: string): boolean => typeof fromJson(text) === 'object';

/** @returns the length of the file afterwards: longer than `whole` if it could not be cut */
function cutBack(file: number, whole: number): number {
  try {
    ftruncateSync(file, whole);
  } catch {
    // Then the next line cuts it, or whoever opens the record next.
  }
  return fstatSync(file).size;
}

/** What was written counts, even if closing fails. */
function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch {
    // Nothing is lost.
  }
}
