/**
 * Turns what a model generated into a sampling result that keeps the request's rules (client/sampling, "Result Fields",
 * "Tool Choice Modes"). Pure. Reasoning and sources stay on the host: the protocol has no place for them.
 */
import { MidcallError } from '../errors/index.ts';
import { isRecord } from '../json/index.ts';
import {
  blocksOf,
  checkResult,
  describeIssues,
  type ModelReply,
  type ModelUsage,
  quoted,
  type SamplingContent,
  type SamplingRequest,
} from '../sampling/index.ts';
import type { GeneratedPart, Generation } from './generation.ts';

/**
 * @param name - the model's, for messages
 * @throws MidcallError `sampling/unavailable` if the reply broke off, `sampling/invalid` if it breaks a rule
 */
export function modelReply(
  generation: Generation,
  request: SamplingRequest,
  name: string,
  modelId: string,
): ModelReply {
  const { finish } = generation;
  if (finish === 'error' || (finish === 'unknown' && generation.parts.length === 0))
    throw new MidcallError('sampling/unavailable', `The reply of ${name} broke off. Nothing was passed on; try again.`);
  const notes = generation.warnings.flatMap(warningWords);
  const whole = contentOf(joined(generation.parts), request, name, notes);
  const content = cut(whole, generation, request.maxTokens, notes);
  const result = {
    role: 'assistant',
    content: content.length === 1 ? content[0] : content.length === 0 ? { type: 'text', text: '' } : content,
    model: generation.modelId ?? modelId,
    stopReason: content === whole ? stopReason(generation, content) : 'maxTokens',
  };
  const checked = checkResult(result, request);
  if (!checked.ok)
    throw new MidcallError(
      'sampling/invalid',
      `The reply of ${name} cannot be used. ${describeIssues(checked.issues)}`,
    );
  return { result: checked.value, usage: usageOf(generation, request, checked.value), notes };
}

/** Texts that follow one another as one: the SDK takes a single block where the request offered no tools. */
function joined(parts: readonly GeneratedPart[]): readonly GeneratedPart[] {
  const out: GeneratedPart[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      out[out.length - 1] = { type: 'text', text: last.text + part.text };
    else out.push(part);
  }
  return out;
}

function contentOf(
  parts: readonly GeneratedPart[],
  request: SamplingRequest,
  name: string,
  notes: string[],
): readonly SamplingContent[] {
  const content = parts.flatMap((part): SamplingContent[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type === 'tool-call')
      return [{ type: 'tool_use', id: part.id, name: part.name, input: argumentsOf(part.input, name) }];
    const family = part.mediaType.split('/')[0];
    if (family === 'image' || family === 'audio') return [{ type: family, data: part.data, mimeType: part.mediaType }];
    notes.push('The model made a file that a sampling reply cannot carry; it was left out.');
    return [];
  });
  const spoken = content.filter(block => block.type !== 'tool_use');
  if (request.toolChoice?.mode !== 'none' || spoken.length === content.length || spoken.length === 0) return content;
  notes.push('The model asked for tools although they were switched off; only its text was kept.');
  return spoken;
}

function argumentsOf(written: string, name: string): Record<string, unknown> {
  if (written.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(written);
    if (isRecord(input)) return input;
  } catch {
    // Reported below: half-written arguments and those of another type are the same to the caller.
  }
  throw new MidcallError(
    'sampling/invalid',
    `The reply of ${name} asks for a tool with arguments that are not a JSON object.`,
  );
}

/**
 * Holds a provider that ignores the limit to it: the text is shortened in proportion. A reply that asks for tools is kept
 * whole, since half of its arguments would be worse than a few extra tokens.
 */
function cut(
  content: readonly SamplingContent[],
  { outputTokens }: Generation,
  maxTokens: number,
  notes: string[],
): readonly SamplingContent[] {
  if (outputTokens === undefined || outputTokens <= maxTokens) return content;
  if (!content.some(block => block.type === 'text') || content.some(block => block.type === 'tool_use')) return content;
  notes.push(`The model wrote more than the ${maxTokens} tokens asked for; its text was cut.`);
  return content.map(block => {
    if (block.type !== 'text') return block;
    const points = [...block.text];
    return { ...block, text: points.slice(0, Math.floor((points.length * maxTokens) / outputTokens)).join('') };
  });
}

function stopReason({ finish, rawFinish }: Generation, content: readonly SamplingContent[]): string {
  if (content.some(block => block.type === 'tool_use')) return 'toolUse';
  if (rawFinish === 'stop_sequence') return 'stopSequence';
  if (finish === 'length') return 'maxTokens';
  if (finish === 'content-filter') return 'contentFilter';
  if (finish === 'stop' || finish === 'tool-calls') return 'endTurn';
  return rawFinish !== undefined && /^[A-Za-z][\w-]{0,63}$/.test(rawFinish) ? rawFinish : 'other';
}

function usageOf(generation: Generation, request: SamplingRequest, result: ModelReply['result']): ModelUsage {
  const { inputTokens, outputTokens } = generation;
  return {
    inputTokens:
      inputTokens ?? estimate([request.systemPrompt ?? '', ...request.messages.map(message => blocksOf(message))]),
    outputTokens: outputTokens ?? estimate([blocksOf(result)]),
    estimated: inputTokens === undefined || outputTokens === undefined,
  };
}

/** Three characters per token: a little more than most tokenizers count, so that a budget is not exceeded. */
const estimate = (values: readonly unknown[]): number => Math.ceil(JSON.stringify(values).length / 3);

function warningWords(warning: unknown): string[] {
  if (!isRecord(warning)) return [];
  const setting = warning['setting'] ?? warning['feature'];
  if (typeof setting === 'string') return [`The provider does not follow the setting ${quoted(setting)}.`];
  return ['The provider reported a warning about this request.'];
}
