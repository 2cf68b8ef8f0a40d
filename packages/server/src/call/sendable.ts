/** Checks a handler's result before it is sent: values that JSON cannot represent would be lost or changed. */
import { MidcallError } from '@midcall/core/errors';
import { jsonLoss, lossText } from '@midcall/core/json';
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
    throw new MidcallError(
      'call/no-result',
      `'${name}' returned ${what}. Return a string or ${shapes[method]}, on every path.`,
    );
  }
  const loss = jsonLoss(result);
  if (loss) throw new MidcallError('call/not-json', `'${name}' returned ${lossText(loss)}`);
}

/** A thrown value as an error: the SDK treats `undefined` as no error, and then sends no answer. */
export function asThrown(thrown: unknown): unknown {
  if (typeof thrown === 'object' && thrown !== null) return thrown;
  return new Error(typeof thrown === 'string' ? thrown : `The handler threw ${String(thrown)}, which is not an Error.`);
}
