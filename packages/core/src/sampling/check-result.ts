/**
 * Judges a sampling result against the request it answers: before a host hands it over, and again on the server
 * (client/sampling, "Sampling with Tools", "Tool Choice Modes", "Result Fields").
 */
import { isRecord } from '../json/index.ts';
import { checkUseIds } from './balance.ts';
import { readContent, readId } from './check-content.ts';
import { Findings, readExtras, readString, type SamplingCheck } from './findings.ts';
import { blocksOf, type SamplingRequest, type SamplingResult, type ToolUseContent } from './wire.ts';

/**
 * Checks a `CreateMessageResult`.
 * @param value - untrusted
 * @param request - the request it answers
 * @returns the result rebuilt from known members, or every issue
 */
export function checkResult(
  value: unknown,
  request: Pick<SamplingRequest, 'tools' | 'toolChoice'>,
): SamplingCheck<SamplingResult> {
  const findings = new Findings();
  if (!isRecord(value)) {
    findings.add('result', 'type', 'A sampling result must be an object.');
    return { ok: false, issues: findings.issues };
  }
  if (value['role'] !== 'assistant') findings.add('role', 'role', 'A sampling result must come from the assistant.');
  const content = readContent(findings, 'content', value['content'], true);
  const model = readId(findings, 'model', value['model']);
  const stopReason =
    value['stopReason'] === undefined ? undefined : readString(findings, 'stopReason', value['stopReason'], 256);
  const extras = readExtras(findings, 'result', value, ['_meta']);
  if (content) checkTools(findings, blocksOf({ content }), stopReason, request);
  if (findings.issues.length > 0 || !content || model === undefined) return { ok: false, issues: findings.issues };
  return {
    ok: true,
    value: { role: 'assistant', content, model, ...(stopReason !== undefined && { stopReason }), ...extras },
    ignored: [],
  };
}

function checkTools(
  findings: Findings,
  blocks: ReturnType<typeof blocksOf>,
  stopReason: string | undefined,
  request: Pick<SamplingRequest, 'tools' | 'toolChoice'>,
): void {
  const uses = blocks.filter((block): block is ToolUseContent => block.type === 'tool_use');
  if (blocks.some(block => block.type === 'tool_result'))
    findings.add('content', 'result-role', 'A model asks for tools; it does not answer them.');
  checkUseIds(findings, 'content', uses);
  const mode = request.toolChoice?.mode ?? 'auto';
  if (uses.length > 0 && !request.tools?.length)
    findings.add('content', 'use-without-tools', 'The model asks for a tool, but the request offered none.');
  else if (uses.length > 0 && mode === 'none')
    findings.add('content', 'choice-none', 'The model asks for a tool, but the request switched tools off.');
  if (uses.length === 0 && mode === 'required')
    findings.add('content', 'choice-required', 'The model uses no tool, but the request demands one.');
  if (stopReason === 'toolUse' && uses.length === 0)
    findings.add('stopReason', 'stop-reason', 'The result stops for tool use, but asks for no tool.');
  if (stopReason !== undefined && stopReason !== 'toolUse' && uses.length > 0)
    findings.add('stopReason', 'stop-reason', 'The result asks for a tool, but does not say so in stopReason.');
}
