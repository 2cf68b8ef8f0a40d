/**
 * The frames between an SDK server and its host, complete with what the SDK would drop: members that it does not know bypass
 * it.
 */
import { blocksBack, isRecord, own } from '@midcall/core/json';
import { type JSONRPCMessage, type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { aroundMessages } from '../sdk-seam/index.ts';

type Json = Readonly<Record<string, unknown>>;

const errorKey = 'midcall/error';
const paramsKey = 'midcall/params';

/** An error of the upstream server, to be thrown; the host receives all of it. */
export function upstreamError(error: Json): ProtocolError {
  const { code, message } = error;
  return new ProtocolError(
    Number.isSafeInteger(code) ? (code as number) : ProtocolErrorCode.InternalError,
    typeof message === 'string' ? message : 'The server answered with an error that has no message.',
    { [errorKey]: error },
  );
}

/** Members of a call's params that the SDK handles, or that belong to the connection. */
const handledParams = new Set(['name', 'arguments', 'uri', '_meta', 'inputResponses', 'requestState', 'task']);
const calls = new Set<unknown>(['tools/call', 'prompts/get', 'resources/read']);

/** The other params of a call, including `_meta`, as forwarded. */
export function restOf(params: Json): Json {
  const unknown = unknownIn(params);
  const sentMeta = params['_meta'];
  if (!isRecord(sentMeta)) return unknown;
  const { [paramsKey]: aside, progressToken: _, ...meta } = sentMeta;
  return { ...unknown, ...(isRecord(aside) && aside), ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

const nothing: Json = {};

function unknownIn(params: Json): Json {
  const names = Object.keys(params);
  if (names.every(name => handledParams.has(name))) return nothing;
  return Object.fromEntries(Object.entries(params).filter(([name]) => !handledParams.has(name)));
}

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

/**
 * Why a request cannot be served, in words where the SDK would write a list of schema errors; undefined if no reason is known here.
 * Everything else about a request is for the upstream server to judge.
 */
function requestProblem(method: unknown, params: unknown): string | undefined {
  const own = typeof method === 'string' && Object.hasOwn(checks, method) ? checks[method]! : [];
  if (own.length > 0 && params !== undefined && !isRecord(params))
    return `params must be an object; got ${typeOf(params)}`;
  for (const check of own) {
    const problem = check(params ?? {});
    if (problem !== undefined) return `${String(method)}: ${problem}.`;
  }
  return undefined;
}

/** @param codesAreOld - true if the host speaks a revision whose error codes are the upstream server's own */
export function passWhole(server: McpServer, codesAreOld: boolean): void {
  aroundMessages(server, {
    outgoing: message => whole(message, codesAreOld),
    incoming(message, send) {
      if (!('method' in message)) return message;
      const problem = 'id' in message && requestProblem(message.method, message.params);
      if (!problem) return calls.has(message.method) ? restAside(message) : message;
      const error = { code: ProtocolErrorCode.InvalidParams, message: problem };
      // A host that is gone needs no answer.
      send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {});
      return undefined;
    },
  });
}

/** A message with everything that bypassed the SDK. */
function whole(message: JSONRPCMessage, codesAreOld: boolean): JSONRPCMessage {
  const [result, params] = [own(message, 'result'), own(message, 'params')];
  if (isRecord(result)) {
    const complete = wholeTask(blocksBack(result), codesAreOld);
    return complete === result ? message : ({ ...message, result: complete } as JSONRPCMessage);
  }
  if (isRecord(params)) return { ...message, params: wholeTask(params, codesAreOld) } as JSONRPCMessage;
  const error = wholeError(own(message, 'error'), codesAreOld);
  return error ? ({ ...message, error } as JSONRPCMessage) : message;
}

/** The state of a task with the outcome of its call (2026-07-28), which is sent as a part of it. */
function wholeTask(task: Json, codesAreOld: boolean): Json {
  if (task['taskId'] === undefined) return task;
  const [result, error] = [task['result'], wholeError(task['error'], codesAreOld)];
  return { ...task, ...(isRecord(result) && { result: blocksBack(result) }), ...(error && { error }) };
}

/** @returns undefined if nothing bypassed the SDK */
function wholeError(error: unknown, codesAreOld: boolean): Json | undefined {
  const carried = own(own(error, 'data'), errorKey);
  if (!isRecord(carried)) return undefined;
  const code = codesAreOld && Number.isSafeInteger(carried['code']) ? carried['code'] : own(error, 'code');
  return { ...carried, code };
}

function restAside(message: JSONRPCMessage): JSONRPCMessage {
  const sentParams = own(message, 'params');
  const params = isRecord(sentParams) ? sentParams : {};
  const rest = unknownIn(params);
  if (Object.keys(rest).length === 0) return message;
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  return {
    ...message,
    params: { ...params, _meta: { ...meta, [paramsKey]: rest } },
  } as JSONRPCMessage;
}
