/** Errors on standard error, for operators who listen to none. */
import { visible } from '@midcall/core/text';

/** The most characters of a message, and of the stack below it. */
const longest = { message: 1_000, stack: 4_000 };
/** How many causes of an error are written, each below the one that it caused. */
const mostCauses = 4;

const written = new WeakSet<object>();

/**
 * Writes an error with its stack, and only once: one that a factory throws passes several that report it. Its message takes one
 * line and is visible text, since it may quote what a client sent.
 * @param what - what failed
 */
export function writeError(what: string, error: unknown): void {
  if (typeof error === 'object' && error !== null) {
    if (written.has(error)) return;
    written.add(error);
  }
  console.error(`midcall: ${visible(what, { max: 300 })} failed: ${withStack(error, mostCauses)}`);
}

function withStack(error: unknown, causes: number): string {
  if (!(error instanceof Error)) return visible(String(error), { max: longest.message });
  const { name, message, stack = '', cause } = error;
  const at = stack.indexOf(message);
  const frames = at < 0 ? '' : stack.slice(at + message.length);
  const text = visible(`${name}: ${message}`, { max: longest.message });
  const below = visible(frames, { max: longest.stack, lines: true });
  return `${text}${below}${cause === undefined || causes === 0 ? '' : `\nCaused by ${withStack(cause, causes - 1)}`}`;
}
