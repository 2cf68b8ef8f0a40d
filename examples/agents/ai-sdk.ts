/** An agent of the AI SDK whose tools may ask the person, and which may be restarted while they think. */
import type { AgentTool } from '@midcall/host';
// #region loop
import { generateText, jsonSchema, type LanguageModel, type ModelMessage, tool } from 'ai';
import type { ConversationFile } from './conversation-file.ts';

export async function runAiSdk(model: LanguageModel, tools: readonly AgentTool[], ask: string, file: ConversationFile) {
  const declared = tools.map(({ name, description, inputSchema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(inputSchema) }), // without `execute`: the call is made below
  ]);
  const messages: ModelMessage[] = JSON.parse((await file.read()) ?? 'null') ?? [{ role: 'user', content: ask }];
  for (;;) {
    const { role, content } = messages.at(-1)!;
    const calls = role === 'assistant' && typeof content !== 'string' ? content.filter(isToolCall) : [];
    const results = calls.map(async ({ toolName, toolCallId, input }) => {
      const reply = await tools.find(each => each.name === toolName)?.call(input, { id: toolCallId });
      const output = {
        type: reply && !reply.isError ? 'text' : 'error-text',
        value: reply?.text ?? 'No such tool.',
      } as const;
      return { type: 'tool-result', toolCallId, toolName, output } as const;
    });
    if (calls.length > 0) messages.push({ role: 'tool', content: await Promise.all(results) });
    const { response, toolCalls, text } = await generateText({ model, tools: Object.fromEntries(declared), messages });
    messages.push(...response.messages);
    await file.write(JSON.stringify(messages)); // before a call is made, so that it can be taken up under its id
    if (toolCalls.length === 0) return text;
  }
}
// #endregion

const isToolCall = <T extends { readonly type: string }>(part: T): part is Extract<T, { type: 'tool-call' }> =>
  part.type === 'tool-call';
