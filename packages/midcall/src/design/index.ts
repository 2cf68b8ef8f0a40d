/** The form designer and the linter. */

export { designText } from './design-text.ts';
export { type LintOptions, type LintReport, type LintSelection, lint } from './lint.ts';
export type { Certainty, LintFinding } from './lint-finding.ts';
export { type LintRule, type LintRuleId, lintRuleIds, lintRules, type Severity } from './lint-rule.ts';
export { lintSarif } from './lint-sarif.ts';
export { type LintTextOptions, lintJson, lintText } from './lint-text.ts';
export { type Decision, type DesignKind, decisions, designWords } from './procedure.ts';
export { proposalCode } from './proposal-code.ts';
export { type Proposal, type ProposedAsk, propose } from './propose.ts';
export { type ToolFacts, toolFacts } from './tool-facts.ts';
