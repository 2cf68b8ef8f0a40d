/**
 * Turns a checked sampling request into one call of an AI SDK model. Pure.
 *
 * Images and sounds inside a tool result travel in a user message after the results: most chat APIs take only text in a
 * tool's answer. `metadata` is not passed on: it would let a server set a provider's switches.
 */
import {
  blocksOf,
  type SamplingMessage,
  type SamplingRequest,
  type ToolOutputContent,
  type ToolResultContent,
} from '../sampling/index.ts';
import { mediaFamily } from './choose-model.ts';
import type { ModelCall, PromptMessage, ProviderData, ToolResultPart } from './language-model.ts';

type UserPart = Extract<PromptMessage, { role: 'user' }>['content'][number];
type AssistantPart = Extract<PromptMessage, { role: 'assistant' }>['content'][number];

/** What a provider wants sent back with a tool use, by the use's id. */
export type ProviderDataOf = (use: { readonly id: string; readonly name: string }) => ProviderData | undefined;

/** The call, without the signal. */
export function modelCall(request: SamplingRequest, providerDataOf: ProviderDataOf): ModelCall {
  const { systemPrompt, temperature, stopSequences, tools, toolChoice } = request;
  const names = new Map<string, string>();
  const prompt: PromptMessage[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : [];
  for (const message of request.messages) {
    if (message.role === 'assistant') prompt.push(assistantMessage(message, names, providerDataOf));
    else prompt.push(...userMessages(message, names));
  }
  return {
    prompt,
    maxOutputTokens: request.maxTokens,
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences?.length && { stopSequences: [...stopSequences] }),
    ...(tools?.length && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function' as const,
        name,
        ...(description !== undefined && { description }),
        inputSchema,
      })),
      toolChoice: { type: toolChoice?.mode ?? 'auto' },
    }),
  };
}

/** The parts omitted from a request, one plain sentence each. */
export function leftOutOf(request: SamplingRequest): readonly string[] {
  const leftOut: string[] = [];
  if (request.metadata) leftOut.push('The server’s provider settings (metadata) are not passed on.');
  if (request.includeContext) leftOut.push('No context of any server is added.');
  const own = request.messages
    .filter(message => message.role === 'assistant')
    .flatMap(message => blocksOf(message))
    .filter(block => block.type === 'image' || block.type === 'audio').length;
  if (own > 0) leftOut.push('Images and audio the assistant made earlier are not sent again.');
  return leftOut;
}

function assistantMessage(
  message: SamplingMessage,
  names: Map<string, string>,
  providerDataOf: ProviderDataOf,
): PromptMessage {
  const content = blocksOf(message).map((block): AssistantPart => {
    switch (block.type) {
      case 'text':
        return { type: 'text', text: block.text };
      case 'tool_use': {
        names.set(block.id, block.name);
        const data = providerDataOf(block);
        return {
          type: 'tool-call',
          toolCallId: block.id,
          toolName: block.name,
          input: block.input,
          ...(data && { providerOptions: data }),
        };
      }
      default:
        return { type: 'text', text: `[${block.type} left out]` };
    }
  });
  return { role: 'assistant', content };
}

function userMessages(message: SamplingMessage, names: ReadonlyMap<string, string>): readonly PromptMessage[] {
  const results = blocksOf(message).filter((block): block is ToolResultContent => block.type === 'tool_result');
  if (results.length === 0) return [{ role: 'user', content: blocksOf(message).flatMap(userPart) }];
  const media = results.flatMap(result => result.content.flatMap(mediaPart));
  const answers: PromptMessage = {
    role: 'tool',
    content: results.map(result => ({
      type: 'tool-result',
      toolCallId: result.toolUseId,
      toolName: names.get(result.toolUseId) ?? '',
      output: outputOf(result),
    })),
  };
  return media.length > 0 ? [answers, { role: 'user', content: media }] : [answers];
}

function userPart(block: ReturnType<typeof blocksOf>[number]): UserPart[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type === 'image' || block.type === 'audio')
    return [{ type: 'file', data: block.data, mediaType: block.mimeType }];
  return [];
}

function outputOf(result: ToolResultContent): ToolResultPart['output'] {
  if (result.content.length === 0 && result.structuredContent !== undefined)
    return { type: result.isError ? 'error-json' : 'json', value: result.structuredContent as never };
  const value = result.content.map(blockText).join('\n');
  return { type: result.isError ? 'error-text' : 'text', value };
}

function blockText(block: ToolOutputContent): string {
  if (mediaFamily(block)) return `[${mediaFamily(block)} in the next message]`;
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'resource':
      return block.resource.text === undefined
        ? `[${block.resource.uri}: binary, left out]`
        : `${block.resource.uri}:\n${block.resource.text}`;
    default:
      return '';
  }
}

function mediaPart(block: ToolOutputContent): UserPart[] {
  if (block.type === 'image' || block.type === 'audio')
    return [{ type: 'file', data: block.data, mediaType: block.mimeType }];
  if (block.type !== 'resource' || !mediaFamily(block)) return [];
  return [{ type: 'file', data: block.resource.blob!, mediaType: block.resource.mimeType! }];
}
