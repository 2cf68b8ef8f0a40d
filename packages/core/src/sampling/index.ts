export { checkRequest } from './check-request.ts';
export { checkResult } from './check-result.ts';
export { describeIssues, quoted, type SamplingCheck, type SamplingIssue, type SamplingRule } from './findings.ts';
export type { ModelChoice, ModelReply, ModelUsage, SamplingModel } from './sampling-model.ts';
export {
  answerToolUse,
  type SamplingTool,
  samplingTool,
  type ToolInput,
  type ToolInputSchema,
  type ToolOutput,
  type ToolOutputSchema,
  type ToolRunContext,
} from './sampling-tool.ts';
export {
  advanceToolLoop,
  startToolLoop,
  type ToolLoopEvent,
  type ToolLoopLimits,
  type ToolLoopRefusal,
  type ToolLoopState,
  type ToolLoopStep,
} from './tool-loop.ts';
export {
  type AudioContent,
  blocksOf,
  type EmbeddedResourceContent,
  type ImageContent,
  type JsonObject,
  type ModelPreferences,
  type ResourceLinkContent,
  type SamplingCapability,
  type SamplingContent,
  type SamplingMessage,
  type SamplingRequest,
  type SamplingResult,
  type SamplingToolDefinition,
  type TextContent,
  type ToolChoice,
  type ToolOutputContent,
  type ToolResultContent,
  type ToolUseContent,
  textOf,
} from './wire.ts';
