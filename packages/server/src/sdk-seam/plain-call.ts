/**
 * Calls of tools that need no schema to be told for what they are: of all that the SDK takes, those that say nothing but which
 * tool is called, with what, and what answers the round before. Every other frame is the SDK's to judge. Pure.
 */
import { isRecord } from '@midcall/core/json';

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
 * @param known - an envelope that the SDK took before; undefined up to 2025-11-25, where requests have none
 * @returns undefined for what the SDK has to look at
 */
export function plainCall(frame: unknown, known: Members | undefined): PlainCall | undefined {
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
  if (meta === undefined ? '_meta' in params || known !== undefined : !isMeta(meta, known)) return undefined;
  const token = (meta as { readonly progressToken?: string | number } | undefined)?.progressToken;
  return {
    id,
    params: {
      name,
      ...(given !== undefined && { arguments: given as Members }),
      ...(token !== undefined && { _meta: { progressToken: token } }),
    },
    envelope: known && envelopeIn(meta as Members),
    inputResponses: inputResponses as Members | undefined,
    requestState: requestState as string | undefined,
  };
}

/** What the protocol has in `_meta` of a request of 2026-07-28. @returns a copy that nobody else has */
export const envelopeCopy = (envelope: Members): Members => JSON.parse(JSON.stringify(envelope)) as Members;

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

/** True where it says what is known, and where progress is to be told, and nothing else. */
function isMeta(meta: unknown, known: Members | undefined): boolean {
  if (!isRecord(meta)) return false;
  let left = known ? Object.keys(known).length : 0;
  for (const member in meta) {
    if (member === 'progressToken') {
      if (!isId(meta[member])) return false;
    } else if (known && Object.hasOwn(known, member) && isSame(meta[member], known[member], 0)) left -= 1;
    else return false;
  }
  return left === 0;
}

const deepest = 12;

/** True for equal JSON; what lies deeper than a client declares anything is not looked at. */
function isSame(one: unknown, other: unknown, depth: number): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (depth === deepest || Array.isArray(one) !== Array.isArray(other)) return false;
  let left = Object.keys(other).length;
  for (const member in one) {
    if (!Object.hasOwn(other, member)) return false;
    if (!isSame((one as Members)[member], (other as Members)[member], depth + 1)) return false;
    left -= 1;
  }
  return left === 0;
}

function envelopeIn(meta: Members): Members {
  if (meta['progressToken'] === undefined) return meta;
  const { progressToken: _, ...envelope } = meta;
  return envelope;
}
