/**
 * Problems of a request that the SDK would report as a list of schema errors. Pure. Everything else about a request is for the
 * upstream server to judge.
 */
import { isRecord, own } from '@midcall/core/json';

type Check = (params: object) => string | undefined;

const typeOf = (value: unknown): string =>
  value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;

const text =
  (name: string): Check =>
  params => {
    const value = own(params, name);
    return typeof value === 'string' ? undefined : `params.${name} must be a string; got ${typeOf(value)}`;
  };

const record =
  (name: string, isNeeded = false): Check =>
  params => {
    const value = own(params, name);
    if (isRecord(value) || (value === undefined && !isNeeded)) return undefined;
    return `params.${name} must be an object; got ${typeOf(value)}`;
  };

const texts =
  (name: string): Check =>
  params => {
    const odd = Object.entries(own(params, name) ?? {}).find(([, value]) => typeof value !== 'string');
    return odd && `params.${name}.${odd[0]} must be a string; got ${typeOf(odd[1])}`;
  };

const within =
  (name: string, check: Check): Check =>
  params =>
    check(own(params, name) as object)?.replace('params.', `params.${name}.`);

const checks: Readonly<Record<string, readonly Check[]>> = {
  initialize: [
    text('protocolVersion'),
    record('capabilities', true),
    record('clientInfo', true),
    within('clientInfo', text('name')),
    within('clientInfo', text('version')),
  ],
  'tools/call': [text('name'), record('arguments'), record('_meta')],
  'prompts/get': [text('name'), record('arguments'), texts('arguments'), record('_meta')],
  'resources/read': [text('uri'), record('_meta')],
};

/** Why a request cannot be served; undefined if no reason is known here. */
export function requestProblem(method: unknown, params: unknown): string | undefined {
  const own = typeof method === 'string' && Object.hasOwn(checks, method) ? checks[method]! : [];
  if (own.length > 0 && params !== undefined && !isRecord(params))
    return `params must be an object; got ${typeOf(params)}`;
  for (const check of own) {
    const problem = check(params ?? {});
    if (problem !== undefined) return `${String(method)}: ${problem}.`;
  }
  return undefined;
}
