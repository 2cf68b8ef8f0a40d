/**
 * Answers from a file, in the order of the questions: results in the form of the wire (`ElicitResult`, or `CreateMessageResult`
 * for sampling). Nothing is guessed: a missing or unfitting answer ends the call.
 */

import { MidcallError } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import type { SamplingModel, SamplingResult } from '@midcall/core/sampling';
import { visible } from '@midcall/core/text';
import { urlLines } from '@midcall/core/url';
import type { Presenter, Question, Reply } from '@midcall/host';
import { readNamedFile, usage } from './usage.ts';

type Json = Readonly<Record<string, unknown>>;

export interface AnswersOptions {
  /** Called with lines for the person who runs the script. */
  readonly say: (lines: readonly string[]) => void;
  /** Called with the reason why a question could not be answered; the call must end then. */
  readonly onUnanswered: (why: string) => void;
}

/** The answers of one file. */
export class Answers implements Presenter {
  readonly via = 'answers';
  readonly #answers: Json[];
  readonly #options: AnswersOptions;

  /** @throws MidcallError `cli/usage` if the file is not a list of results */
  constructor(file: string, options: AnswersOptions) {
    this.#answers = readAnswers(file);
    this.#options = options;
  }

  show(question: Question, controls: Parameters<Presenter['show']>[1]): void {
    void this.#answer(question, controls.reply);
  }

  /** A model whose replies come from the file. */
  get model(): SamplingModel {
    const choice = { name: 'answers file', why: 'The reply is written in the answers file.', leftOut: [] };
    return {
      names: [choice.name],
      tools: true,
      choose: () => choice,
      run: async () => {
        const next = this.#answers.shift();
        if (next?.['role'] !== 'assistant') {
          this.#options.onUnanswered('The next answer in the file is not a reply from a model.');
          throw new MidcallError('sampling/unavailable', 'The answers file has no reply of a model left.');
        }
        const usage = { inputTokens: 0, outputTokens: 0, estimated: true };
        return { result: { model: choice.name, ...next } as unknown as SamplingResult, usage, notes: [] };
      },
    };
  }

  async #answer(question: Question, reply: (reply: Reply) => Promise<unknown>): Promise<void> {
    if (question.kind === 'sampling-request' || question.kind === 'sampling-reply')
      return void (await reply({ action: 'accept' }));
    if (question.kind === 'url-finish') return void (await reply({ action: 'accept' }));
    if (question.kind === 'sign-in') {
      this.#options.onUnanswered(
        visible(`The server asks you to sign in at ${question.issuer}. Run the call once without --answers.`, {
          max: 1_000,
        }),
      );
      return void (await reply({ action: 'dismiss' }));
    }
    if (question.kind === 'url') this.#options.say(['A server asks you to open a page:', ...urlLines(question.url)]);
    const next = this.#answers.shift();
    const answer = next && readReply(next);
    const receipt = answer && ((await reply(answer)) as { ok: boolean; issues?: readonly { message: string }[] });
    if (receipt?.ok) return;
    const why = answer
      ? `The answer does not fit: ${(receipt?.issues ?? []).map(issue => issue.message).join(' ')}`
      : next
        ? "The next answer in the file has no action 'accept', 'decline' or 'cancel'."
        : 'The answers file has no answer left.';
    const about = 'message' in question ? ` The question was: ${question.message}` : '';
    this.#options.onUnanswered(visible(why + about, { max: 1_000 }));
    await reply({ action: 'dismiss' });
  }
}

function readReply(answer: Json): Reply | undefined {
  const { action, content } = answer;
  if (action === 'decline') return { action };
  if (action === 'cancel') return { action: 'dismiss' };
  return action === 'accept' ? { action, ...(content !== undefined && { content: content as Json }) } : undefined;
}

function readAnswers(file: string): Json[] {
  const text = readNamedFile(file, 'The answers file');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw usage(`The answers file ${file} is not JSON.`, { cause });
  }
  if (!Array.isArray(list) || !list.every(isRecord)) throw usage(`The answers file ${file} is not a list of results.`);
  return list;
}
