/** Judges what a handler returned before it is sent: what JSON cannot carry would never arrive, and its client would wait. */
import { MidcallError } from '../errors.ts';
import type { AskingMethod } from './request.ts';

const shapes: Record<AskingMethod, string> = {
  'tools/call': '{ content: [{ type: "text", text: "…" }] }',
  'prompts/get': '{ messages: […] }',
  'resources/read': '{ contents: […] }',
};

/** @throws MidcallError `call/no-result`, `call/not-json` */
export function checkSendable(name: string, method: AskingMethod, result: unknown): void {
  if (typeof result !== 'object' || result === null) {
    const what = result === undefined ? 'nothing' : result === null ? 'null' : `a ${typeof result}`;
    throw new MidcallError('call/no-result', `'${name}' returned ${what}. Return ${shapes[method]}, on every path.`);
  }
  let fits: boolean;
  try {
    fits = isSendable(result, []);
  } catch {
    // A member that throws when it is read or written, or a depth no stack holds.
    fits = false;
  }
  if (fits) return;
  throw new MidcallError(
    'call/not-json',
    `'${name}' returned what JSON cannot carry: a circle, a bigint, or a member that throws. Return plain data.`,
  );
}

function isSendable(value: unknown, above: object[]): boolean {
  if (typeof value === 'bigint') return false;
  if (typeof value !== 'object' || value === null) return true;
  if (above.includes(value)) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') {
    JSON.stringify(value);
    return true;
  }
  above.push(value);
  const fits = Object.values(value).every(each => isSendable(each, above));
  above.pop();
  return fits;
}

/** What a handler threw, as an error: the SDK takes `undefined` for no error, and then nobody is answered. */
export function asThrown(thrown: unknown): unknown {
  if (typeof thrown === 'object' && thrown !== null) return thrown;
  return new Error(typeof thrown === 'string' ? thrown : `The handler threw ${String(thrown)}, which is no error.`);
}
