/** Models that say what a script says: they book a table, and repeat what the tool told them. For frameworks without one of their own. */
import { randomUUID } from 'node:crypto';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { type Model, type ModelRequest, Usage } from '@openai/agents-core';
import { MockLanguageModelV3 } from 'ai/test';

const booking = { name: 'table_book', args: { guests: 4 } };
const said = (text: string) => `The restaurant says: ${text}`;

/** The AI SDK's mock model. */
export function scriptedAiSdkModel() {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const result = prompt
        .flatMap(({ role, content }) => (role === 'tool' ? content : []))
        .find(({ type }) => type === 'tool-result');
      const text =
        result?.type === 'tool-result'
          ? String('value' in result.output ? result.output.value : result.output.type)
          : undefined;
      if (text !== undefined)
        return {
          content: [{ type: 'text', text: said(text) }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        };
      const call = {
        type: 'tool-call',
        toolCallId: randomUUID(),
        toolName: booking.name,
        input: JSON.stringify(booking.args),
      } as const;
      return { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] };
    },
  });
}

export function scriptedOpenAiModel(): Model {
  return {
    async getResponse({ input }: ModelRequest) {
      const result = (Array.isArray(input) ? input : []).find(item => item.type === 'function_call_result');
      const output = result?.type === 'function_call_result' ? result.output : undefined;
      const text = typeof output === 'string' ? output : output && 'text' in output ? output.text : undefined;
      if (text === undefined) {
        const call = {
          type: 'function_call',
          callId: randomUUID(),
          name: booking.name,
          arguments: JSON.stringify(booking.args),
          status: 'completed',
        } as const;
        return { usage: new Usage(), output: [call] };
      }
      const message = {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: said(text) }],
      } as const;
      return { usage: new Usage(), output: [{ ...message, content: [...message.content] }] };
    },
    // biome-ignore lint/correctness/useYield: nothing here streams
    async *getStreamedResponse() {
      throw new Error('This model does not stream.');
    },
  };
}

export async function scriptedGraphModel(messages: BaseMessage[]): Promise<AIMessage> {
  const last = messages.at(-1);
  if (last instanceof ToolMessage) return new AIMessage(said(last.text));
  return new AIMessage({ content: '', tool_calls: [{ ...booking, id: randomUUID(), type: 'tool_call' }] });
}
