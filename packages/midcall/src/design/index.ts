/** The form designer and the linter. */
export { designText } from './design-text.ts';
export { type LintOptions, type LintReport, type LintSelection, lint } from './lint.ts';
export { lintJson, lintSarif, lintText } from './lint-report.ts';
export { type LintRuleId, lintRuleIds, lintRules } from './lint-rule.ts';
export { decisions, designWords } from './procedure.ts';
export { proposalCode } from './proposal-code.ts';
export { type Proposal, propose } from './propose.ts';
export { toolFacts } from './tool-facts.ts';
