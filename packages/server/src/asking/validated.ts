/**
 * What the author says of an answer that fits its form: asked once for each answer that arrives, and recorded, since it may
 * look at the world. What the person typed is put to them again, with the message at its field.
 */
import type { Issue } from '@midcall/core/form';
import type { ElicitAsk } from '../call.ts';
import type { CallRun } from '../channels/outgoing.ts';

/** An answer that was not taken, and why. */
export interface NotTaken {
  readonly issues: readonly Issue[];
  /** As the person gave it, by field. */
  readonly typed: Readonly<Record<string, unknown>>;
}

/**
 * @param content - as the handler would get it
 * @param identity - tells this answer from every other of the call
 * @returns what is wrong, or undefined
 */
export async function validated(
  run: Pick<CallRun, 'step'>,
  { message, validate }: Pick<ElicitAsk<never>, 'message' | 'validate'>,
  content: unknown,
  identity: unknown,
): Promise<readonly Issue[] | undefined> {
  if (!validate) return undefined;
  const work = { run: async () => issuesIn(await validate(content as never)), idempotent: true };
  const recorded = await run.step(message, () => work, { kind: 'check', identity: [identity, 'validate'] });
  const issues = recorded as unknown as readonly Issue[];
  return issues.length > 0 ? issues : undefined;
}

/** @throws TypeError for what is neither a text nor a text per field */
function issuesIn(said: unknown): readonly Issue[] {
  if (said === undefined || said === null) return [];
  if (typeof said === 'string') return [{ rule: 'validate', message: said }];
  const named = typeof said === 'object' ? Object.entries(said).filter(([, each]) => each !== undefined) : undefined;
  if (!named || named.some(([, each]) => typeof each !== 'string')) {
    throw new TypeError('validate must return nothing, a text, or a text for each field that is wrong.');
  }
  return named.map(([field, message]) => ({ field, rule: 'validate', message: message as string }));
}

/** The content of an accept as it came, by field. */
export const typedIn = (got: unknown): NotTaken['typed'] => {
  const content = (got as { readonly content?: unknown } | null)?.content;
  return typeof content === 'object' && content !== null ? (content as Readonly<Record<string, unknown>>) : {};
};

/** A schema that shows each message at its field, above what it says already, and what was typed there as its default. */
export function withProblems<S extends object>(schema: S, { issues, typed }: NotTaken): S {
  const fields = (schema as { readonly properties: Readonly<Record<string, FieldSchema>> }).properties;
  const properties = Object.entries(fields).map(([name, property]) => {
    const messages = issues.filter(({ field }) => field === name).map(({ message }) => message);
    const said = [...messages, ...(property.description === undefined ? [] : [property.description])].join(' ');
    const shown = messages.length > 0 ? { description: said } : {};
    const before = Object.hasOwn(typed, name) ? typed[name] : undefined;
    return [name, { ...property, ...shown, ...(fits(property.type, before) && { default: before }) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

interface FieldSchema {
  readonly type?: unknown;
  readonly description?: string;
}

/** A host may send a number as text, which its own schema does not take back. */
function fits(type: unknown, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value) && value.every(each => typeof each === 'string');
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
