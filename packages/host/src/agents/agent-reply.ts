/** How a call ended, in words for a model. Pure. */
import { isRecord, own } from '@midcall/core/json';
import type { CallOutcome } from '../calls/index.ts';

/** How a call ended, in the form that an agent framework expects. */
export interface AgentReply {
  /** For the model: the result's text, or why there is none. */
  readonly text: string;
  /** True if the tool failed, or the call did not complete. */
  readonly isError: boolean;
  /** The outcome in full: the result with its structured content and other blocks, or how it failed. */
  readonly outcome: CallOutcome;
}

/** What a model is told about an outcome. */
export function agentReply(outcome: CallOutcome): AgentReply {
  return { text: textOf(outcome), isError: outcome.how !== 'completed', outcome };
}

function textOf(outcome: CallOutcome): string {
  switch (outcome.how) {
    case 'completed':
    case 'tool-error':
      return resultText(outcome.result);
    case 'refused':
      return `The server refused the call: ${outcome.message}`;
    case 'cancelled':
      return outcome.nothingSent
        ? 'The person stopped the call. Nothing was sent.'
        : `The person stopped the call. ${notKnown}`;
    case 'timed-out':
    case 'server-gone':
      return 'nothingSent' in outcome ? outcome.message : `${outcome.message} ${notKnown}`;
    default:
      return outcome.message;
  }
}

const notKnown = 'It is not known what the call has done. Find that out before you make it again.';

function resultText(result: Readonly<Record<string, unknown>>): string {
  const blocks = Array.isArray(result['content']) ? result['content'] : [];
  const text = blocks.map(blockText).join('\n');
  const structured = result['structuredContent'];
  return text === '' && structured !== undefined ? JSON.stringify(structured) : text;
}

/** A block that is not text is named, so that the model knows of it. */
function blockText(block: unknown): string {
  const text = own(block, 'text') ?? own(own(block, 'resource'), 'text');
  if (typeof text === 'string') return text;
  const uri = own(block, 'uri') ?? own(own(block, 'resource'), 'uri');
  const type = isRecord(block) ? String(block['type']) : 'block';
  return typeof uri === 'string' ? `[${type}: ${uri}]` : `[${type}]`;
}
