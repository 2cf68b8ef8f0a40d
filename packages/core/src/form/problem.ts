/** What is wrong with a schema, collected while it is read. */

/** One thing that a form must not contain. */
export interface FormProblem {
  /** The property; absent if the form as a whole is wrong. */
  readonly field?: string;
  /** The JSON Schema keyword, or the limit that is broken. */
  readonly rule: string;
  /** A sentence that names the field. */
  readonly message: string;
}

/** Keywords of JSON Schema that decide which values are valid: none may be ignored silently. */
export const assertions: ReadonlySet<string> = new Set(
  (
    '$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else dependentSchemas dependentRequired dependencies ' +
    'properties patternProperties additionalProperties propertyNames unevaluatedProperties unevaluatedItems items ' +
    'prefixItems additionalItems contains minContains maxContains minItems maxItems uniqueItems minLength maxLength ' +
    'pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minProperties maxProperties required ' +
    'enum const nullable'
  ).split(' '),
);
