/**
 * Checks one argument of a tool before it is sent. The server has the last word on arguments; the check saves a person the round
 * trip.
 */
import { checkValue, type Issue, labelOf } from '../form/index.ts';
import { newReading, readProperty } from './control.ts';
import { judgeBySchema } from './judge-by-schema.ts';

/** An argument, and what its tool wants of it. */
export interface CheckedArgument {
  readonly name: string;
  readonly title?: string;
  readonly required: boolean;
  /** Its part of the tool's input schema; untrusted. */
  readonly schema: unknown;
  /** The whole schema, which that part may refer to. */
  readonly root: unknown;
}

/**
 * @param value - undefined if the argument is left out
 * @returns what is wrong with it, and where, as far as that can be judged; undefined if nothing is
 */
export function checkArgument(argument: CheckedArgument, value: unknown): Issue | undefined {
  const { name, required, schema, root } = argument;
  if (value === undefined)
    return required ? { field: name, rule: 'required', message: `${labelOf(argument)} is required.` } : undefined;
  const { field } = readProperty(name, schema, required, newReading(root));
  const problem = value === null ? undefined : checkValue(field, value);
  if (problem) return problem;
  const judged = judgeBySchema(schema, value, { root });
  if (judged.verdict !== 'differs') return undefined;
  const at = judged.at.join('.');
  if (at !== '') return { field: name, rule: 'schema', message: `At ${at}: ${judged.says}` };
  return { field: name, rule: 'schema', message: `${labelOf(argument)} ${judged.says}.` };
}
