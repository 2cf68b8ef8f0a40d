/**
 * Calls of tools that need no schema to be told for what they are: of all that the SDK takes, those that say nothing but which
 * tool is called, with what, and what answers the round before. Every other frame is the SDK's to judge. Pure.
 */
import { isRecord } from '@midcall/core/json';
import type { KnownEnvelopes } from './known-envelopes.ts';

type Members = Readonly<Record<string, unknown>>;

/** A call, its parameters as the SDK would lift them out of the frame. */
export interface PlainCall {
  readonly id: string | number;
  readonly params: {
    readonly name: string;
    readonly arguments?: Members;
    readonly _meta?: { readonly progressToken: string | number };
  };
  /** What of `_meta` is the protocol's; undefined up to 2025-11-25. */
  readonly envelope: Members | undefined;
  readonly inputResponses: Members | undefined;
  readonly requestState: string | undefined;
}

/**
 * @param known - the envelopes that the SDK took before; undefined up to 2025-11-25, where requests have none
 * @returns undefined for what the SDK has to look at
 */
export function plainCall(frame: unknown, known: KnownEnvelopes | undefined): PlainCall | undefined {
  if (!isRecord(frame) || frame['jsonrpc'] !== '2.0' || frame['method'] !== 'tools/call') return undefined;
  const { id, params } = frame;
  if (!isId(id) || !isRecord(params)) return undefined;
  for (const member in frame) if (!frameMembers.has(member)) return undefined;
  for (const member in params) if (!paramsMembers.has(member)) return undefined;
  const { name, arguments: given, _meta: meta, inputResponses, requestState } = params;
  if (typeof name !== 'string') return undefined;
  if (given === undefined ? 'arguments' in params : !isPlain(given)) return undefined;
  if (requestState === undefined ? 'requestState' in params : typeof requestState !== 'string') return undefined;
  if (inputResponses === undefined ? 'inputResponses' in params : !areResponses(inputResponses)) return undefined;
  if (meta === undefined ? '_meta' in params || known !== undefined : !isRecord(meta)) return undefined;
  const { progressToken: token, ...envelope } = (meta ?? {}) as Members;
  const isTold = isId(token);
  if (!isTold && meta !== undefined && 'progressToken' in (meta as Members)) return undefined;
  if (known ? !known.has(envelope) : Object.keys(envelope).length > 0) return undefined;
  return {
    id,
    params: {
      name,
      ...(given !== undefined && { arguments: given as Members }),
      ...(isTold && { _meta: { progressToken: token } }),
    },
    envelope: known && envelope,
    inputResponses: inputResponses as Members | undefined,
    requestState: requestState as string | undefined,
  };
}

const frameMembers = new Set(['jsonrpc', 'id', 'method', 'params']);
const paramsMembers = new Set(['name', 'arguments', '_meta', 'inputResponses', 'requestState']);

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);

const isPlain = (value: unknown): boolean => isRecord(value) && !Object.hasOwn(value, '__proto__');

/** Of what the SDK leaves out of a round's answers, there is nothing in them. */
function areResponses(responses: unknown): boolean {
  if (!isPlain(responses)) return false;
  for (const key in responses as Members) {
    const response = (responses as Members)[key];
    if (!isRecord(response) || 'method' in response || 'result' in response) return false;
  }
  return true;
}
