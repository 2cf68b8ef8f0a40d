/** How a call ended, in the terminal: its result as text, and the exit code. */

import { isRecord, own } from '@midcall/core/json';
import { visible, visibleJson } from '@midcall/core/text';
import type { CallOutcome } from '@midcall/host';
import { type DrawOptions, drawnText, drawnValue } from '@midcall/host/terminal';
import { type ExitName, exitCodes } from './exit-codes.ts';

/**
 * Writes a result to standard output, and says anything else that happened. In a terminal, Markdown, JSON and tables are drawn;
 * a pipe gets the text as the tool wrote it.
 * @param options - `plain`: true draws nothing; `say` writes to standard error
 */
export function printOutcome(
  outcome: CallOutcome,
  { plain, say }: { readonly plain: boolean; readonly say: (lines: readonly string[]) => void },
): void {
  switch (outcome.how) {
    case 'completed':
    case 'tool-error':
      process.stdout.write(`${resultLines(outcome.result, plain ? asWritten : viewOf(process.stdout)).join('\n')}\n`);
      if (outcome.how === 'completed' && outcome.unchecked !== undefined)
        say([
          `midcall: the structured content was not checked against the tool's schema, because ${outcome.unchecked}`,
        ]);
      if (outcome.how === 'completed' && outcome.misfit !== undefined)
        say([`midcall: this result breaks what the tool promises: ${visible(outcome.misfit, { max: 2_000 })}`]);
      return;
    case 'cancelled':
      say(
        outcome.nothingSent
          ? ['midcall: the call was cancelled. Nothing was sent.']
          : ['midcall: the call was cancelled', notKnown],
      );
      return;
    case 'timed-out':
    case 'server-gone':
      say([`midcall: ${visible(outcome.message, { max: 2_000 })}`, ...('nothingSent' in outcome ? [] : [notKnown])]);
      return;
    default:
      say([`midcall: ${visible(outcome.message, { max: 2_000 })}`]);
  }
}

const notKnown = 'midcall: It is not known what the call has done. Find that out before you make it again.';

/** What `--json` calls the ends of a call that has no outcome. */
const failures = {
  toolError: 'refused',
  usage: 'usage',
  noServer: 'server-gone',
  unanswered: 'unanswered',
  failure: 'failure',
} as const satisfies Partial<Record<ExitName, string>>;

/** The output of `--json`: one value. What fails after it was written is said on standard error alone. */
export class JsonOutput {
  #isWritten = false;

  write(value: unknown): void {
    if (!this.#isWritten) process.stdout.write(`${visibleJson(value)}\n`);
    this.#isWritten = true;
  }

  /** Writes why there is no outcome. */
  fail(exit: keyof typeof failures, message: string): void {
    this.write({ how: failures[exit], exitCode: exitCodes[exit].code, message });
  }
}

/** How texts and values become lines. */
interface View {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => string;
}

const asWritten: View = {
  text: text => visible(text, { lines: true, max: 1_000_000 }),
  value: value => visibleJson(value, 2),
};

function viewOf(output: NodeJS.WriteStream): View {
  if (output.isTTY !== true) return asWritten;
  const look: DrawOptions = { columns: output.columns, color: (process.env['NO_COLOR'] ?? '') === '' };
  return {
    text: text => drawnText(text, look).join('\n'),
    value: value => drawnValue(value, look).join('\n'),
  };
}

function resultLines(result: Readonly<Record<string, unknown>>, view: View): readonly string[] {
  const content = (result['content'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const structured = result['structuredContent'];
  if (content.length === 0 && structured !== undefined) return [view.value(structured)];
  return content.map(block => blockLine(block, view));
}

/** A block: text as text, data by its kind, and an unknown kind as it was sent. */
function blockLine(block: Readonly<Record<string, unknown>>, view: View): string {
  const { type, text, mimeType, data, uri } = block;
  const bracketed = (parts: readonly unknown[]) => visible(`[${parts.filter(Boolean).join(', ')}]`);
  const base64 = (of: unknown) => typeof of === 'string' && `${of.length} characters of base64`;
  if (type === 'text' && typeof text === 'string') return view.text(text);
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return bracketed([type, mimeType, base64(data)]);
  if (type === 'resource_link' && typeof uri === 'string') return bracketed([type, mimeType, uri]);
  const resource = type === 'resource' ? own(block, 'resource') : undefined;
  if (isRecord(resource) && typeof resource['uri'] === 'string') {
    const line = bracketed([type, resource['mimeType'], resource['uri'], base64(resource['blob'])]);
    return typeof resource['text'] === 'string' ? `${line}\n${view.text(resource['text'])}` : line;
  }
  return `${bracketed([`a part of kind '${String(type)}', as it was sent`])}\n${visibleJson(block, 2)}`;
}

/** The exit code that follows from a call's outcome. */
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
      return outcome.inDoubt ? 'noServer' : 'unanswered';
    case 'timed-out':
    case 'server-gone':
      return 'noServer';
  }
}
