/**
 * Answers that are there as a whole when they are sent. Whoever can send one by itself, as a Node server can, does so without a
 * Response being made of it, which costs more than the answer.
 */

/** An answer with all that is in it. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What comes with a request from whoever sends whole answers. */
export const sendWhole: unique symbol = Symbol('sendWhole');

/** Sends an answer. @returns what stands for it on the way back, and is not looked at */
export type SendWhole = (answer: WholeAnswer) => Response;

/** The `fetch` of endpoints: in another around one, somebody may look at the response, so it has to be one. */
const own = new WeakSet<object>();

/** Lets answers to what this function is given be sent as a whole. */
export const allowWhole = (fetch: object): void => void own.add(fetch);

/** True for a function whose caller may send whole answers by itself. */
export const allowsWhole = (fetch: object): boolean => own.has(fetch);

/** @param given - what came with the request */
export function wholeAnswer(answer: WholeAnswer, given: object): Response {
  const send = (given as { readonly [sendWhole]?: SendWhole })[sendWhole];
  const { status, headers, text } = answer;
  return send?.(answer) ?? new Response(text === '' ? null : text, { status, headers });
}
