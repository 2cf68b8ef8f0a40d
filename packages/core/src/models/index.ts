export type { LanguageModel } from './language-model.ts';
export type { ModelEntry, ModelSkill } from './model-entry.ts';
export { modelRouter } from './model-router.ts';
