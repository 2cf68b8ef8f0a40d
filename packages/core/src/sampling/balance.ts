/**
 * The rules on tool use anywhere in a history (client/sampling, "Tool Result Messages" and "Tool Use and Result
 * Balance"):
 *
 * balance-B1  a user message with a tool_result holds nothing but tool_results;
 * balance-B2  tool_use appears in assistant messages only, tool_result in user messages only;
 * balance-B3  an assistant message with tool_use is followed at once by a user message that answers each of its ids exactly once
 *     and no other id.
 */
import { type Findings, quoted } from './findings.ts';
import { blocksOf, type SamplingMessage, type ToolResultContent, type ToolUseContent } from './wire.ts';

const isUse = (block: { readonly type: string }): block is ToolUseContent => block.type === 'tool_use';
const isResult = (block: { readonly type: string }): block is ToolResultContent => block.type === 'tool_result';

/** Records every place where a history breaks balance-B1 to balance-B3. */
export function checkBalance(findings: Findings, messages: readonly SamplingMessage[]): void {
  let open: ReadonlySet<string> = new Set();
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    const blocks = blocksOf(message);
    const results = blocks.filter(isResult);
    checkRoles(findings, at, message);
    if (message.role === 'user' && results.length > 0 && results.length < blocks.length)
      findings.add(at, 'result-only', 'A message with tool results must contain nothing else.');
    answer(findings, at, open, message.role === 'user' ? results : []);
    open = message.role === 'assistant' ? opened(findings, at, blocks.filter(isUse)) : new Set();
  });
  answer(findings, 'messages', open, []);
}

function checkRoles(findings: Findings, at: string, message: SamplingMessage): void {
  const blocks = blocksOf(message);
  if (message.role === 'user' && blocks.some(isUse))
    findings.add(at, 'use-role', 'Only the assistant asks for tools; this message is the user’s.');
  if (message.role === 'assistant' && blocks.some(isResult))
    findings.add(at, 'result-role', 'Tool results come from the user; this message is the assistant’s.');
}

/** The ids in an assistant message that must be answered. */
function opened(findings: Findings, at: string, uses: readonly ToolUseContent[]): ReadonlySet<string> {
  checkUseIds(findings, at, uses);
  return new Set(uses.map(use => use.id));
}

/** Records a tool_use id that occurs twice in one message. */
export function checkUseIds(findings: Findings, at: string, uses: readonly ToolUseContent[]): void {
  const seen = new Set<string>();
  for (const use of uses) {
    if (seen.has(use.id)) findings.add(at, 'use-duplicate', `Two tool uses have the id ${quoted(use.id)}.`);
    seen.add(use.id);
  }
}

function answer(
  findings: Findings,
  at: string,
  open: ReadonlySet<string>,
  results: readonly ToolResultContent[],
): void {
  const answered = new Set<string>();
  for (const { toolUseId } of results) {
    if (!open.has(toolUseId))
      findings.add(at, 'result-unknown', `The message before has no tool use with the id ${quoted(toolUseId)}.`);
    else if (answered.has(toolUseId))
      findings.add(at, 'result-duplicate', `The tool use ${quoted(toolUseId)} is answered twice.`);
    answered.add(toolUseId);
  }
  for (const id of open) {
    if (!answered.has(id))
      findings.add(at, 'result-missing', `The tool use ${quoted(id)} has no result in the message that follows it.`);
  }
}
