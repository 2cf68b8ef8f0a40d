/** How a call ended, in the terminal: its result as text, and the exit code. */
import { type CallOutcome, visible } from '../host/index.ts';
import { visibleJson } from '../visible.ts';
import type { ExitName } from './exit-codes.ts';

/** Writes a result to standard output, and anything else that happened to standard error. */
export function printOutcome(outcome: CallOutcome): void {
  switch (outcome.how) {
    case 'completed':
    case 'tool-error':
      process.stdout.write(`${resultLines(outcome.result).join('\n')}\n`);
      if (outcome.how === 'completed' && outcome.unchecked !== undefined)
        process.stderr.write(
          `midcall: the structured content was not checked against the tool's schema, because ${outcome.unchecked}\n`,
        );
      return;
    case 'cancelled':
      process.stderr.write('midcall: the call was cancelled\n');
      return;
    default:
      process.stderr.write(`midcall: ${visible(outcome.message, { max: 2_000 })}\n`);
  }
}

function resultLines(result: Readonly<Record<string, unknown>>): readonly string[] {
  const content = (result['content'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const lines = content.map(block => {
    const { type, text, mimeType, data, uri } = block;
    if (type === 'text') return visible(String(text), { lines: true, max: 1_000_000 });
    return visible(
      `[${[type, mimeType, uri, typeof data === 'string' ? `${data.length} characters of base64` : undefined].filter(Boolean).join(', ')}]`,
    );
  });
  if (lines.length === 0 && result['structuredContent'] !== undefined)
    return [visibleJson(result['structuredContent'], 2)];
  return lines;
}

/** The exit code a call ends the process with. */
export function exitOf(outcome: CallOutcome): ExitName {
  switch (outcome.how) {
    case 'completed':
      return 'ok';
    case 'tool-error':
    case 'refused':
      return 'toolError';
    case 'cancelled':
      return 'interrupted';
    case 'abandoned':
      return 'unanswered';
    case 'timed-out':
    case 'server-gone':
      return 'noServer';
  }
}
