/** Rules to begin with, from what a server says of its tools. Nothing is called; a person reads them before they apply. Pure. */
import { isRecord } from '@midcall/core/json';
import type { Rule } from './rule.ts';

/** A tool as its server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly annotations?: unknown;
}

/**
 * Proposes to allow by name what the server calls read-only, and to ask about everything else.
 * @example
 * ```ts
 * const { tools } = await connection.catalogue();
 * console.log(JSON.stringify(proposeRules('notes', tools), null, 2));
 * ```
 */
export function proposeRules(server: string, tools: readonly ListedTool[]): readonly Rule[] {
  const isReadOnly = ({ annotations }: ListedTool): boolean =>
    isRecord(annotations) && annotations['readOnlyHint'] === true;
  // A name with the sign that stands for any text would allow others.
  const names = tools.filter(isReadOnly).flatMap(({ name }) => (name.includes('*') ? [] : [name]));
  return [
    ...(names.length > 0 ? [{ server, tools: names, effect: 'allow' } as const] : []),
    { server, tools: '*', effect: 'ask' },
  ];
}
