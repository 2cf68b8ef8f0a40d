/**
 * Whether structured content fits the schema that its tool declares (2025-11-25 and 2026-07-28, server/tools, "Output
 * Schema"), judged without handing a server's schema to a compiler or a regular expression engine.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { judgeBySchema } from '@midcall/core/json-schema';
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';

interface Noted {
  unchecked?: string;
}

const notes = new AsyncLocalStorage<Noted>();

/**
 * The `jsonSchemaValidator` for an SDK client whose servers are not trusted: the SDK's own compiles patterns for an engine that
 * backtracks, so that one tool's schema can block the process forever. {@link attach} gives it to clients without a validator
 * of their own.
 *
 * Content that cannot be judged (a pattern with lookaround, `unevaluatedProperties`, a schema that costs too much) is not
 * refused if somebody learns of it: from the outcome of an attached call (`unchecked`), or through `onUnchecked`. Otherwise the
 * SDK's call fails and says why.
 * @param onUnchecked - called with the reason why content was passed on unchecked: the rest of a sentence that begins with
 *   "because"
 * @example
 * ```ts
 * const client = new Client({ name: 'my-host', version: '1.0.0' }, { jsonSchemaValidator: outputValidator() });
 * ```
 */
export function outputValidator(onUnchecked?: (why: string) => void): jsonSchemaValidator {
  return {
    getValidator: <T>(schema: unknown) => {
      return input => {
        const judged = judgeBySchema(schema, input);
        const valid = { valid: true, data: input as T, errorMessage: undefined } as const;
        if (judged.verdict === 'fits') return valid;
        if (judged.verdict === 'differs') {
          const at = judged.at.length > 0 ? judged.at.join('.') : 'the content';
          return { valid: false, data: undefined, errorMessage: `${at} ${judged.says}` };
        }
        const noted = notes.getStore();
        if (noted) noted.unchecked = judged.why;
        else if (onUnchecked) onUnchecked(judged.why);
        else return { valid: false, data: undefined, errorMessage: `it was not checked, because ${judged.why}` };
        return valid;
      };
    },
  };
}

/** Runs a call; `unchecked`: why its structured content was not checked, if it was not. */
export async function notingUnchecked<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly unchecked?: string }> {
  const noted: Noted = {};
  const result = await notes.run(noted, run);
  return { result, ...noted };
}
