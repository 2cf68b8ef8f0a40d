/**
 * Checks a handler's result before it is sent: values that JSON cannot represent would be lost or changed, and the SDK sends what is
 * no result at all to the client, or blames the client for it.
 */
import { MidcallError } from '@midcall/core/errors';
import { isRecord, jsonLoss, lossText } from '@midcall/core/json';
import { specTypeSchemas } from '@modelcontextprotocol/server';
import type { AskingMethod } from './asking-method.ts';

const shapes: Record<AskingMethod, string> = {
  'tools/call': '{ content: [{ type: "text", text: "…" }] }',
  'prompts/get': '{ messages: […] }',
  'resources/read': '{ contents: […] }',
};

/**
 * @param isOwn - false for the result of another server, which is passed on whatever it has besides content
 * @throws MidcallError `call/no-result`, `call/not-json`
 */
export function checkSendable(name: string, method: AskingMethod, result: unknown, isOwn: boolean): void {
  const loss = isRecord(result) ? jsonLoss(result) : undefined;
  if (loss) throw new MidcallError('call/not-json', `'${name}' returned ${lossText(loss)}`);
  const wrong = misshapen(method, result) ?? (isOwn && method === 'tools/call' ? withoutContent(result) : undefined);
  if (wrong === undefined) return;
  const text = `'${name}' returned ${wrong}. Return a string or ${shapes[method]}, on every path.`;
  throw new MidcallError('call/no-result', text);
}

function misshapen(method: AskingMethod, result: unknown): string | undefined {
  if (result === undefined) return 'nothing';
  if (result === null) return 'null';
  if (!isRecord(result)) return Array.isArray(result) ? 'a list' : `a ${typeof result}`;
  if (result['resultType'] === 'input_required') return 'questions of its own, where only `call` can ask';
  const part = wrongPart[method](result);
  return part === undefined ? undefined : `a result whose ${part} is not what the protocol has there`;
}

const ofToolResult = ['content', 'structuredContent', 'isError', '_meta'];

/** The SDK adds an empty content to any object, and the model would see nothing of it. */
function withoutContent(result: unknown): string | undefined {
  const keys = Object.keys(result as object);
  return keys.length > 0 && !keys.some(key => ofToolResult.includes(key)) ? 'an object without content' : undefined;
}

type Result = Readonly<Record<string, unknown>>;

/** Names the first part of a result that cannot be sent. */
const wrongPart: Record<AskingMethod, (result: Result) => string | undefined> = {
  'tools/call'(result) {
    const read = specTypeSchemas.CallToolResult['~standard'].validate(result);
    const issue = read instanceof Promise ? undefined : read.issues?.[0];
    return issue && pathOf(issue.path ?? []);
  },
  // The SDK sends content of these of any type, so a type that is newer than this is none of our business.
  'prompts/get': ({ messages }) =>
    wrongOf('messages', messages, each => {
      if (each['role'] !== 'user' && each['role'] !== 'assistant') return '.role';
      return isRecord(each['content']) && typeof each['content']['type'] === 'string' ? undefined : '.content';
    }),
  'resources/read': ({ contents }) =>
    wrongOf('contents', contents, ({ uri, text, blob }) => {
      if (typeof uri !== 'string') return '.uri';
      return typeof text === 'string' || typeof blob === 'string' ? undefined : '.text or .blob';
    }),
};

function wrongOf(name: string, list: unknown, wrongIn: (item: Result) => string | undefined): string | undefined {
  if (!Array.isArray(list)) return name;
  for (const [index, item] of list.entries()) {
    const wrong = isRecord(item) ? wrongIn(item) : '';
    if (wrong !== undefined) return `${name}[${index}]${wrong}`;
  }
  return undefined;
}

const pathOf = (path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string =>
  path
    .map(each => (typeof each === 'object' ? each.key : each))
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');

/**
 * A thrown value as an error: the SDK treats `undefined` as no error, and then sends no answer; and of an object that is no error it
 * would send `[object Object]`.
 */
export function asThrown(thrown: unknown): unknown {
  if (typeof thrown === 'object' && thrown !== null) return isError(thrown) ? thrown : ofObject(thrown);
  return new Error(typeof thrown === 'string' ? thrown : `The handler threw ${String(thrown)}, which is not an Error.`);
}

function isError(thrown: object): boolean {
  try {
    // An error of another realm is one, too.
    return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
  } catch {
    return false;
  }
}

function ofObject(thrown: object): Error {
  try {
    const { message, code, data } = thrown as Readonly<Record<string, unknown>>;
    const text =
      typeof message === 'string' ? message : 'The handler threw an object without a message, which is not an Error.';
    const error = new Error(text, { cause: thrown });
    return Object.assign(error, code !== undefined && { code }, data !== undefined && { data });
  } catch {
    return new Error('The handler threw an object that cannot be read, which is not an Error.');
  }
}
