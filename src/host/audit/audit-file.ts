/** The audit record as a JSON Lines file that is only ever appended to, readable by its owner alone. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkGiven, name } from '../../check-options.ts';
import type { AuditSink } from './audit.ts';

/**
 * A sink that appends to a file; the file and its folder are made where they are missing.
 * @param path - absolute, or relative to the working directory
 */
export function auditFile(path: string): AuditSink {
  checkGiven('auditFile', 'the path', path, name);
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []),
    append: line => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      appendFileSync(path, `${line}\n`, { mode: 0o600 });
    },
  };
}
