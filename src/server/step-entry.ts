/** What a step leaves in the journal: its JSON result, or what it threw, and how a replay gives either back. */
import { MidcallError } from '../errors.ts';
import { copyJson, type Json } from './digest.ts';
import type { Entry } from './journal.ts';

/**
 * The result of a recorded step, as a copy of its own.
 * @param cause - what the step threw in this very run, for the log
 * @throws a copy of what the step threw: name, message and code
 */
export function replayed(entry: Entry, cause?: unknown): Json | undefined {
  if (!entry.error) return entry.value === undefined ? undefined : copyJson(entry.value);
  const { name, message, code } = entry.error;
  const error = new Error(message, cause === undefined ? {} : { cause });
  error.name = name;
  throw code === undefined ? error : Object.assign(error, { code });
}

/** The JSON copy of a step's result. */
export function asJson(name: string, value: unknown): { readonly value?: Json } {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new MidcallError('step/not-json', `Step '${name}' returned what JSON cannot carry; return plain data.`, {
      cause,
    });
  }
  return text === undefined ? {} : { value: JSON.parse(text) as Json };
}

/** What a replay can throw again. */
export function asError(error: unknown): NonNullable<Entry['error']> {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const code = (error as { code?: unknown }).code;
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
  };
}
