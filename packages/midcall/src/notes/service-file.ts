/** A JSON file in which the operator describes a service: read and checked, with no part of its secret in any error. */
import { readFile, stat } from 'node:fs/promises';
import { MidcallError } from '@midcall/core/errors';
import type { z } from 'zod';
import { oneLine } from './one-line.ts';

/** An error about this file. */
export const usage = (path: string, text: string): MidcallError =>
  new MidcallError('cli/usage', `'${oneLine(path, 300)}' ${text}`);

/**
 * Reads a file and makes something of it.
 * @param use - may throw a TypeError for an unusable option
 * @throws MidcallError `cli/usage` for a file that cannot be read or is invalid
 */
export async function readService<S extends z.ZodType, T>(
  path: string,
  shape: S,
  use: (read: z.infer<S>) => Promise<T>,
): Promise<T> {
  let text: string;
  let mode: number;
  try {
    ({ mode } = await stat(path));
    text = await readFile(path, 'utf8');
  } catch {
    throw usage(path, 'cannot be read.');
  }
  // It may contain the secret of a client.
  if (process.platform !== 'win32' && (mode & 0o027) !== 0)
    throw usage(path, 'may be opened by others, or changed by its group. Run chmod 600 on it.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usage(path, 'is not JSON.');
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) {
    // The path and the rule, never the value, which may be the client secret.
    const { path: field, code } = parsed.error.issues[0]!;
    throw usage(path, `does not describe a service: ${field.join('.') || 'it'} is wrong (${code}).`);
  }
  try {
    return await use(parsed.data);
  } catch (error) {
    if (error instanceof TypeError) throw usage(path, `does not describe a service: ${error.message}`);
    throw error;
  }
}
