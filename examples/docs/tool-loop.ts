/** A tool loop of one's own, around the pure reducer. */
import {
  advanceToolLoop,
  answerToolUse,
  type SamplingMessage,
  type SamplingRequest,
  type SamplingTool,
  startToolLoop,
  type ToolLoopStep,
  textOf,
} from '@midcall/server';

export async function askWithTools(
  messages: readonly SamplingMessage[],
  tool: SamplingTool,
  sample: (request: SamplingRequest) => Promise<unknown>,
  elapsed: () => number,
  signal: AbortSignal,
): Promise<string> {
  // #region loop
  let step: ToolLoopStep = startToolLoop({ messages, maxTokens: 500, tools: [tool.definition] }, { maxIterations: 5 });
  while (step.next === 'sample' || step.next === 'run') {
    if (step.next === 'sample') {
      const result = await sample(step.request);
      step = advanceToolLoop(step.state, { kind: 'reply', result, elapsedMs: elapsed() });
    } else {
      const results = await Promise.all(step.uses.map(use => answerToolUse([tool], use, { signal })));
      step = advanceToolLoop(step.state, { kind: 'results', results, elapsedMs: elapsed() });
    }
  }
  if (step.next === 'refused') throw new Error(step.message);
  return textOf(step.result);
  // #endregion
}
