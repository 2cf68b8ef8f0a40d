export type { ModelEntry, ModelSkill } from './choose-model.ts';
export type { LanguageModel } from './language-model.ts';
export { modelRouter } from './model-router.ts';
