/** How a driver's part of a call ends: as the engine says, or with the call continuing in another request. */

import { findOut, isMidcallError, MidcallError, type MidcallErrorCode } from '@midcall/core/errors';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { type Journal, labelsOf, type OpenAsk, type Outcome } from '../engine/index.ts';
import type { ApartAsk, CallRun, Outgoing, ResultAsk } from '../questions/index.ts';
import type { CallRequest } from '../request/index.ts';
import type { Departure } from '../sdk-seam/index.ts';
import type { FlowSteps } from '../state/index.ts';

/** How `runByPush` and `runByRounds` end. */
export type DriverOutcome<R> =
  | Exclude<Outcome<R, Outgoing>, { kind: 'needs' }>
  | InputRequired
  | Left
  | Parked
  | OutOfRounds
  | GoesOnElsewhere;

/** A round of questions ends the request; the client's retry brings the answers. */
export interface InputRequired {
  readonly kind: 'input-required';
  readonly result: InputRequiredResult;
  readonly departure: Departure;
  /** Questions new in this round; the others were sent before. */
  readonly asks: readonly OpenAsk<Outgoing>[];
}

/** No question of the round is asked over the protocol or apart from the client: one leaves in the result; see ./park.ts. */
export interface Left {
  readonly kind: 'left';
  readonly asks: readonly OpenAsk<ResultAsk>[];
  readonly journal: Journal;
}

/** Another process continues the call. */
export interface GoesOnElsewhere {
  readonly kind: 'handed-over';
}

/** The client's rounds are used up: the request ends here, and the call continues with a ticket; see ./park.ts. */
export interface OutOfRounds {
  readonly kind: 'out-of-rounds';
  /** The questions that are still to be asked; none of them has left. */
  readonly asks: readonly OpenAsk<Outgoing>[];
  readonly journal: Journal;
}

/** The request ends here, and the call continues with a ticket once the person has answered; see ./park.ts. */
export interface Parked {
  readonly kind: 'parked';
  readonly asks: readonly OpenAsk<ApartAsk>[];
  readonly journal: Journal;
}

/**
 * The error for a call that ends because its server stops: what was done, and what is in doubt.
 * @param asks - the questions that it waits for; none if it works
 * @param isAnswered - true if somebody has answered one of them, and what became of that is not known
 */
export function stopped<R>(
  run: CallRun<R>,
  { registered }: CallRequest,
  asks: readonly OpenAsk<Outgoing>[] = [],
  isAnswered = false,
): MidcallError {
  if (asks.length === 0) {
    const how = 'This server stopped before the call ended.';
    return new MidcallError('call/stopped', `${how} ${registered.gateway ? gatewayDoubt : doneBy(run)} ${findOut}`);
  }
  const waited = isAnswered
    ? 'was being finished, and may be done'
    : 'was waiting for an answer, and took the question back';
  const isUntouched = !isAnswered && !run.journal.some(({ kind }) => kind === 'step') && run.working.length === 0;
  return new MidcallError(
    'call/stopped',
    `This server stopped while ${labelsOf(asks)} ${waited}. ${doneBy(run)} ` +
      `${isUntouched ? 'Call again when it is running.' : findOut}`,
  );
}

/** Withdraws questions that nobody waits for any more. @returns true if somebody had answered one of them already */
export async function withdrawAll(asks: readonly OpenAsk<Outgoing>[]): Promise<boolean> {
  const answered = await Promise.all(asks.map(({ detail }) => detail.withdraw?.()));
  return answered.includes(true);
}

/** A gateway only knows that it has passed the call on. */
const gatewayDoubt = 'It had been passed on, so what it did is in doubt.';

function doneBy<R>({ journal, working }: CallRun<R>): string {
  const { done, failed } = stepsIn(journal);
  return doneText(done, [...failed, ...working]);
}

/** The steps of a journal; what one did before it failed is in doubt. */
export function stepsIn(journal: Journal): { readonly done: readonly string[]; readonly failed: readonly string[] } {
  const steps = journal.filter(entry => entry.kind === 'step');
  return {
    done: steps.filter(({ error }) => !error).map(({ label }) => label),
    failed: steps.filter(({ error }) => error).map(({ label }) => label),
  };
}

/** What a call has done. @param none - said if no step is done */
export function doneText(done: readonly string[], inDoubt: readonly string[], none = 'No step of it is done.'): string {
  const doneWords = done.length > 0 ? `Done: ${done.join(', ')}.` : none;
  const doubt = inDoubt.length > 0 ? `In doubt: ${inDoubt.join(', ')}.` : '';
  return [doneWords, doubt].filter(each => each !== '').join(' ');
}

/**
 * An error that ends a call, with what the call has done: a client repeats what it is told to try again.
 * @param journal - what this attempt began with
 * @param reached - the steps that this attempt has come to
 * @param isFirst - false if more may have been done than is known: by an earlier attempt, or by the handler outside its steps
 * @returns the error itself if nothing can have been done, if it says so already, and if it is not ours
 */
export function withSteps(
  error: unknown,
  journal: Journal,
  { done, inDoubt }: Pick<FlowSteps, 'done' | 'inDoubt'>,
  isFirst: boolean,
): unknown {
  if (!isMidcallError(error) || saySo.has(error.code)) return error;
  const earlier = stepsIn(journal);
  const [all, doubts] = [
    [...earlier.done, ...done],
    [...earlier.failed, ...inDoubt],
  ];
  const isUntouched = all.length + doubts.length === 0;
  if (isUntouched && isFirst) return error;
  const what = isUntouched ? 'What it did is in doubt.' : doneText(all, doubts);
  const how =
    error.code === 'store/unavailable'
      ? "The server's store failed before the end of this call was stored."
      : error.message;
  return new MidcallError(error.code, `${how} ${what} ${findOut}`, { cause: error });
}

/** Errors that say what was done. */
const saySo: ReadonlySet<MidcallErrorCode> = new Set<MidcallErrorCode>([
  'call/interrupted',
  'call/stopped',
  'step/in-doubt',
]);
