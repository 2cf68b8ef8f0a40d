/**
 * The rules that servers are judged by: one entry each, with its statement, its severity, and its source. docs/lint.md and the
 * rules of a SARIF report are made from this table.
 */

/** `error`: the specification forbids it, or a person is harmed; `warning`: people are served badly; `note`: worth a look. */
export type Severity = 'error' | 'warning' | 'note';

/** One rule. */
export interface LintRule {
  readonly severity: Severity;
  /** What must hold, as one sentence. */
  readonly title: string;
  /** The source of the rule. */
  readonly source: string;
}

const elicitation = (section: string): string => `MCP 2025-11-25 and 2026-07-28, client/elicitation, "${section}"`;
const rounds = 'MCP 2026-07-28, basic/patterns/mrtr';
const craft = (about: string): string => `good practice: ${about}`;

/** Rule id -> rule, in the order of the documentation. */
export const lintRules = {
  'secret-in-form': {
    severity: 'error',
    title: 'A form must not ask for a password, key, token or payment credential.',
    source: elicitation('User Interaction Model'),
  },
  'nested-schema': {
    severity: 'error',
    title: 'A form must be one flat object of simple fields.',
    source: elicitation('Requested Schema'),
  },
  'unsupported-schema': {
    severity: 'error',
    title: 'A form uses only what the restricted schema has.',
    source: elicitation('Requested Schema'),
  },
  'message-missing': {
    severity: 'error',
    title: 'Every question says in words why it is asked.',
    source: elicitation('Elicitation Requests'),
  },
  'wrong-wire': {
    severity: 'error',
    title: 'A question must be asked in the way that the connection’s revision defines.',
    source: `${elicitation('Elicitation Requests')}; ${rounds}`,
  },
  'undeclared-request': {
    severity: 'error',
    title: 'A client is asked only for what it declared.',
    source: `${elicitation('Capabilities')}; ${rounds}`,
  },
  'url-not-openable': {
    severity: 'error',
    title: 'The address of a URL question is a complete http or https address.',
    source: elicitation('URL Mode Elicitation Requests'),
  },
  'url-not-https': {
    severity: 'warning',
    title: 'The address of a URL question is encrypted, except on the person’s own machine.',
    source: elicitation('Safe URL Handling'),
  },
  'url-carries-secret': {
    severity: 'error',
    title: 'The address of a URL question carries no credentials and no personal data.',
    source: elicitation('Safe URL Handling'),
  },
  'link-in-form': {
    severity: 'warning',
    title: 'No text of a form is a link to click.',
    source: elicitation('Safe URL Handling'),
  },
  'decline-accepted': {
    severity: 'error',
    title: 'A declined question does not lead to what an accepted one leads to.',
    source: elicitation('Response Actions'),
  },
  'dismiss-accepted': {
    severity: 'error',
    title: 'A dismissed question does not lead to what an accepted one leads to.',
    source: elicitation('Response Actions'),
  },
  'unconfirmed-acted': {
    severity: 'error',
    title: 'A form sent back with its confirmation left at no does not lead to what a yes leads to.',
    source: craft('a confirmation that nobody checks is not one'),
  },
  'unchecked-answer': {
    severity: 'error',
    title: 'An accepted answer that does not fit the form is not acted on.',
    source: elicitation('Form Mode Security'),
  },
  'reads-absent-answer': {
    severity: 'error',
    title: 'The content of an answer is read only after an accept.',
    source: elicitation('Response Actions'),
  },
  'fails-open': {
    severity: 'error',
    title: 'What needs the person’s yes is not done for a client that cannot ask.',
    source: craft('consent that could not be asked for was not given'),
  },
  'unasked-in-era': {
    severity: 'error',
    title: 'A tool that asks in one revision of the protocol asks in the other.',
    source: craft('consent does not depend on the revision a client speaks'),
  },
  'asked-again': {
    severity: 'error',
    title: 'A question that was declined must not be asked again in the same call.',
    source: elicitation('Response Actions'),
  },
  'asks-in-loop': {
    severity: 'warning',
    title: 'One call does not ask again and again.',
    source: craft('elicitation is not for loops'),
  },
  hangs: {
    severity: 'error',
    title: 'Every answer, including a no, is followed by a result.',
    source: elicitation('Error Handling'),
  },
  crashes: {
    severity: 'error',
    title: 'No answer of the person ends the server.',
    source: elicitation('Error Handling'),
  },
  'many-choices': {
    severity: 'warning',
    title: 'A list to choose from has fewer than 100 entries.',
    source: craft('longer lists need search, and so a page or a widget'),
  },
  'opaque-choices': {
    severity: 'warning',
    title: 'Choices that are ids have titles a person can tell apart.',
    source: elicitation('Requested Schema'),
  },
  'many-fields': {
    severity: 'warning',
    title: 'A form is short: at most ten fields.',
    source: craft('elicitation is for short, flat forms'),
  },
  'missing-title': {
    severity: 'warning',
    title: 'Every field has a title.',
    source: elicitation('Requested Schema'),
  },
  'missing-description': {
    severity: 'note',
    title: 'A text field should say what to write in it.',
    source: elicitation('Requested Schema'),
  },
  'asks-for-argument': {
    severity: 'warning',
    title: 'A form does not ask for what the tool takes as an argument.',
    source: craft('the model can ask for it in prose, and pass it'),
  },
  'pattern-sent': {
    severity: 'note',
    title: 'A form should send no rule that clients drop.',
    source: 'MCP 2026-07-28, schema: StringSchema has no pattern',
  },
  'enum-names': {
    severity: 'note',
    title: 'Titles of choices are written as oneOf, not as enumNames.',
    source: 'MCP 2025-11-25 and 2026-07-28, schema: LegacyTitledEnumSchema',
  },
  'destructive-unasked': {
    severity: 'note',
    title: 'A tool that says it is destructive asks before it acts, or can be undone.',
    source: 'MCP 2025-11-25 and 2026-07-28, schema: ToolAnnotations.destructiveHint',
  },
} as const satisfies Readonly<Record<string, LintRule>>;

/** A rule's name. */
export type LintRuleId = keyof typeof lintRules;

/** The rules in order. */
export const lintRuleIds = Object.keys(lintRules) as readonly LintRuleId[];
