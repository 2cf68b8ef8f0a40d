/**
 * Recognizes tool calls that need no schema: those that contain only the tool, its arguments, and the answers to the previous
 * round. Every other frame is checked by the SDK. Pure.
 */
import { isRecord } from '@midcall/core/json';
import type { KnownEnvelopes } from './known-envelopes.ts';

type Members = Readonly<Record<string, unknown>>;

/** A call, with its parameters as the SDK would extract them from the frame. */
export interface PlainCall {
  readonly id: string | number;
  readonly params: {
    readonly name: string;
    readonly arguments?: Members;
    readonly _meta?: { readonly progressToken: string | number };
  };
  /** The protocol's own members of `_meta`; undefined up to 2025-11-25. */
  readonly envelope: Members | undefined;
  readonly inputResponses: Members | undefined;
  readonly requestState: string | undefined;
}

/**
 * @param known - the envelopes that the SDK accepted before; undefined up to 2025-11-25, where requests have none
 * @returns undefined if the SDK must check it
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

/** True if a round's answers contain nothing that the SDK would remove. */
function areResponses(responses: unknown): boolean {
  if (!isPlain(responses)) return false;
  for (const key in responses as Members) {
    const response = (responses as Members)[key];
    if (!isRecord(response) || 'method' in response || 'result' in response) return false;
  }
  return true;
}
