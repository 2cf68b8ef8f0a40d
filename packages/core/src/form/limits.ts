/** How large a form may be. The same for forms we build and forms we receive, so that we accept what we send. */
export const formLimits = {
  fields: 200,
  /** All choices of one field. */
  choices: 5_000,
  /** Fields with a pattern. */
  patterns: 20,
  /** Steps that reading the patterns of one form, and matching its defaults, may take. See `patterns/work.ts`. */
  readingSteps: 2_000_000,
  /** Steps that matching one answer may take, over all of its patterns. */
  answerSteps: 4_000_000,
  /** Steps that a library's engine may take to match one answer with one pattern: about a tenth of a second. */
  backtrackingSteps: 20_000_000,
  /** Everything in one schema, as JSON, in UTF-16 units. */
  schema: 262_144,
  /** UTF-16 units of one text. */
  name: 200,
  title: 500,
  description: 4_000,
  choice: 1_000,
  default: 10_000,
  pattern: 1_000,
} as const;
