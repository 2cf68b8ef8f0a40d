/** Answers that are complete when they are sent. */
import { directSender, type WholeAnswer } from './direct-sender.ts';

/** @param given - what came with the request */
export function wholeAnswer(answer: WholeAnswer, given: object): Response {
  const { status, headers, text } = answer;
  return directSender(given)?.whole(answer) ?? new Response(text === '' ? null : text, { status, headers });
}

/** Not by `instanceof`: a framework may have replaced the global Response since this one was made. */
export const isWhole = (served: WholeAnswer | Response): served is WholeAnswer => typeof served.text === 'string';
