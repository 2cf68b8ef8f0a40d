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
