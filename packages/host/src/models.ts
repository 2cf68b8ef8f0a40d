/** `modelRouter`: sampling over AI SDK language models. */
export type { LanguageModel, ModelEntry, ModelSkill } from '@midcall/core/models';
export { modelRouter } from '@midcall/core/models';
