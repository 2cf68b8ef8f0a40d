/** The journal entry of a step: its JSON result, or what it threw, and how a replay returns either. */
import { MidcallError } from '@midcall/core/errors';
import { jsonLoss, lossText } from '@midcall/core/json';
import { copyJson, type Json } from '../base/index.ts';
import type { Entry } from './journal.ts';
import type { StepWork, WorkId } from './seam.ts';

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

/**
 * Does the work of a step; never throws: a thrown value becomes its entry.
 * @param isRetry - true if an earlier attempt began it, so that it is first checked whether it took effect
 * @param during - runs the author's functions
 * @returns the entry, and what was thrown, for the log
 */
export async function runWork<T>(
  { id, kind, name }: WorkId,
  work: StepWork<T>,
  { isRetry, during }: { readonly isRetry: boolean; readonly during: <V>(fn: () => V | Promise<V>) => Promise<V> },
): Promise<{ readonly entry: Entry; readonly cause?: unknown }> {
  try {
    const effect = isRetry && work.check ? await during(work.check) : undefined;
    return {
      entry: { id, kind, label: name, ...asJson(name, effect === undefined ? await during(work.run) : effect) },
    };
  } catch (cause) {
    return { entry: { id, kind, label: name, error: asError(cause) }, cause };
  }
}

/** The JSON copy of a step's result. @throws MidcallError `step/not-json` if the copy would not be the result */
function asJson(name: string, value: unknown): { readonly value?: Json } {
  const loss = jsonLoss(value);
  if (loss) throw new MidcallError('step/not-json', `Step '${name}' returned ${lossText(loss)}`);
  return value === undefined ? {} : { value: JSON.parse(JSON.stringify(value)) as Json };
}

/** Reading the members of such an object may give nothing, or throw. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'The step threw an object that is not an Error.';
  }
}

/** The form of an error that a replay can throw again. */
function asError(error: unknown): NonNullable<Entry['error']> {
  if (!(error instanceof Error)) return { name: 'Error', message: textOf(error) };
  const code = (error as { code?: unknown }).code;
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
  };
}
