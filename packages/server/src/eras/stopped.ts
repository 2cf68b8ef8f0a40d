/** What a client is told of a call that ends because its server stops: what was done, and what is in doubt. */
import { MidcallError } from '@midcall/core/errors';
import { labelsOf, type OpenAsk } from '../engine/index.ts';
import type { CallRun, Outgoing } from '../questions/index.ts';
import type { CallRequest } from '../request/index.ts';

/** @param asks - the questions that it waits for; none if it works */
export function stopped<R>(
  run: CallRun<R>,
  { registered }: CallRequest,
  asks: readonly OpenAsk<Outgoing>[] = [],
): MidcallError {
  if (asks.length === 0) {
    const how = 'This server stopped before the call ended.';
    return new MidcallError('call/stopped', `${how} ${registered.gateway ? gatewayDoubt : doneBy(run)} ${findOut}`);
  }
  return new MidcallError(
    'call/stopped',
    `This server stopped while ${labelsOf(asks)} was waiting for an answer, and took the question back. ${doneBy(run)} ` +
      'Call again when it is running.',
  );
}

/** A gateway only knows that it has passed the call on. */
const gatewayDoubt = 'It had been passed on, so what it did is in doubt.';
const findOut = 'Find out what took effect before calling again.';

function doneBy<R>({ journal, working }: CallRun<R>): string {
  const steps = journal.filter(entry => entry.kind === 'step').map(({ label }) => label);
  const done = steps.length > 0 ? `Done: ${steps.join(', ')}.` : 'No step of it is done.';
  return working.length > 0 ? `${done} In doubt: ${working.join(', ')}.` : done;
}
