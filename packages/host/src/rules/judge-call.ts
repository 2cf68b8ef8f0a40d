/**
 * What the rules say about one call. Pure.
 *
 * - rules-J1 The first rule that is about a call decides.
 * - rules-J2 What cannot be judged never allows: such a rule is passed over if it allows, and is about the call if not.
 * - rules-J3 A call that no rule is about is asked about if a rule names its server, and otherwise is none of the rules' business.
 * - rules-J4 A judgement ends after a number of steps, whatever the rules and the arguments are.
 */
import { judgeBySchema } from '@midcall/core/json-schema';
import type { Rule } from './rule.ts';

/** A call as rules see it. */
export interface JudgedCall {
  /** The server's id in this host. */
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the server says of the tool; undefined if that is unknown. */
  readonly annotations: Readonly<Record<string, unknown>> | undefined;
}

/** What happens to a call, and why: `why` is the rest of a sentence that begins with "because". */
export interface CallVerdict {
  readonly effect: Rule['effect'];
  /** The rule that decided; absent if none did. */
  readonly rule?: Rule;
  readonly why: string;
}

/** Told of each rule that was looked at, with the number it has in its list, from 1, and what came of it. */
export type OnRule = (at: number, says: string) => void;

/** The most steps that one `where` may take. */
const steps = 50_000;

/** The verdict on a call. */
export function judgeCall(rules: readonly Rule[], call: JudgedCall, onRule?: OnRule): CallVerdict {
  for (const [index, rule] of rules.entries()) {
    const passed = passedOver(rule, call);
    onRule?.(index + 1, passed === undefined ? `decides: ${rule.effect}` : `is passed over: ${passed}`);
    if (passed === undefined) return { effect: rule.effect, rule, why: `rule ${index + 1} says ${rule.effect}` };
  }
  return rules.some(({ server }) => isServer(server, call.server))
    ? { effect: 'ask', why: 'no rule is about this call' }
    : { effect: 'allow', why: 'no rule is about this server' };
}

/** True if the verdict on calls of a server may depend on what it says of its tools. */
export const readsAnnotations = (rules: readonly Rule[], server: string): boolean =>
  rules.some(rule => isServer(rule.server, server) && typeof rule.tools === 'object' && 'annotated' in rule.tools);

const isServer = (named: string, server: string): boolean => named === '*' || named === server;

/** Why a rule is not about a call; undefined if it is. */
function passedOver(rule: Rule, { server, tool, arguments: args, annotations }: JudgedCall): string | undefined {
  if (!isServer(rule.server, server)) return 'it is about another server';
  const allows = rule.effect === 'allow';
  if (typeof rule.tools === 'object' && 'annotated' in rule.tools) {
    if (!annotations) return allows ? 'what the server says of this tool is unknown' : undefined;
    if (!isAnnotated(annotations, rule.tools.annotated))
      return `the server does not call this tool ${rule.tools.annotated}`;
  } else if (rule.tools !== '*' && !rule.tools.some(pattern => isLike(tool, pattern))) return 'it is about other tools';
  if (rule.where === undefined) return undefined;
  const judged = judgeBySchema(rule.where, args, { steps });
  if (judged.verdict === 'fits') return undefined;
  if (judged.verdict === 'unchecked')
    return allows ? `its "where" could not be judged, because ${judged.why}` : undefined;
  return `its "where" does not fit: ${['arguments', ...judged.at].join('.')} ${judged.says}`;
}

function isAnnotated(annotations: Readonly<Record<string, unknown>>, what: 'read-only' | 'not-destructive'): boolean {
  const isReadOnly = annotations['readOnlyHint'] === true;
  return what === 'read-only' ? isReadOnly : isReadOnly || annotations['destructiveHint'] === false;
}

/** True if a name is like a pattern, in which `*` stands for any text. */
function isLike(name: string, pattern: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return name === pattern;
  // A call is compared with every rule before its own, and nearly all patterns differ from its name at their beginning.
  if (!name.startsWith(pattern.slice(0, star))) return false;
  const parts = pattern.slice(star + 1).split('*');
  const last = parts.pop()!;
  let at = star;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
