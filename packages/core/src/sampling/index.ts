export { checkRequest } from './check-request.ts';
export { checkResult } from './check-result.ts';
export type { SamplingCheck, SamplingIssue, SamplingRule } from './issue.ts';
export { describeIssues, quoted } from './issue.ts';
export type {
  AudioContent,
  EmbeddedResourceContent,
  ImageContent,
  JsonObject,
  ResourceLinkContent,
  SamplingContent,
  SamplingMessage,
  TextContent,
  ToolOutputContent,
  ToolResultContent,
  ToolUseContent,
} from './message.ts';
export { blocksOf, textOf } from './message.ts';
export type {
  ModelPreferences,
  SamplingCapability,
  SamplingRequest,
  SamplingResult,
  SamplingToolDefinition,
  ToolChoice,
} from './request.ts';
export type { ModelChoice, ModelReply, ModelUsage, SamplingModel } from './sampling-model.ts';
export type {
  SamplingTool,
  ToolInput,
  ToolInputSchema,
  ToolOutput,
  ToolOutputSchema,
  ToolRunContext,
} from './sampling-tool.ts';
export { answerToolUse, samplingTool } from './sampling-tool.ts';
export type { ToolLoopEvent, ToolLoopLimits, ToolLoopRefusal, ToolLoopState, ToolLoopStep } from './tool-loop.ts';
export { advanceToolLoop, startToolLoop } from './tool-loop.ts';
