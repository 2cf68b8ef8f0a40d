/**
 * What a host receives while its upstream server waits for the person to sign in: once the host has waited as long as it is
 * likely to, a JSON-RPC error that says who has to do what. A call stays in progress, and is found when the host makes it again.
 */
import { own } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { Clock } from '@midcall/core/time';
import type { Inbox, Question, SignInQuestion } from '@midcall/host';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** Where sign-ins are asked for, and how long a host is kept waiting. */
export interface SignInWait {
  readonly inbox: Inbox;
  /** The id of the upstream server. */
  readonly server: string;
  readonly clock: Clock;
  /** How many milliseconds a host is kept waiting. */
  readonly holdMs: number;
}

/** True for a question to sign in to this server. */
export const asksSignIn = (question: Question, server: string): question is SignInQuestion =>
  question.kind === 'sign-in' && question.asker.id === server;

/**
 * The error for a host whose request waits for the person.
 * @param how - `way`: how they get to the page, if it could not be opened for them; `found`: when a call that is made again is found
 */
export function signInNeeded(
  { asker, issuer }: SignInQuestion,
  { way, found = '' }: { readonly way?: string | undefined; readonly found?: string } = {},
): ProtocolError {
  const [server, at] = [visible(asker.id, { max: 100 }), visible(issuer, { max: 300 })];
  return new ProtocolError(
    ProtocolErrorCode.InternalError,
    `The server '${server}' wants the person to sign in at ${at}. ` +
      (way ?? 'The page of Midcall is open for them in the browser of the machine where the bridge runs.') +
      ` Nothing has failed. Tell them so; when they have signed in, send the same request again.${found && ` ${found}`}`,
    { reason: 'sign-in', server, issuer: at },
  );
}

/**
 * Waits for `work`.
 * @throws ProtocolError if the person has not signed in `holdMs` after being asked; `work` continues
 */
export function orSignIn<T>(work: Promise<T>, { inbox, server, clock, holdMs }: SignInWait): Promise<T> {
  const open = (): SignInQuestion | undefined =>
    inbox.list().find((each): each is SignInQuestion => asksSignIn(each, server));
  return new Promise((resolve, reject) => {
    let callOff: (() => void) | undefined;
    const giveUp = (): void => {
      callOff = undefined;
      const question = open();
      if (!question) return;
      stop();
      work.catch(() => {});
      reject(signInNeeded(question));
    };
    const look = (): void => {
      if (callOff || !open()) return;
      if (holdMs === 0) giveUp();
      else callOff = clock.after(holdMs, giveUp);
    };
    const stop = (): void => {
      callOff?.();
      unsubscribe();
    };
    const unsubscribe = inbox.subscribe(look);
    look();
    work.then(resolve, reject).finally(stop);
  });
}

/** True for the error of {@link signInNeeded}. */
export const isSignInNeeded = (error: unknown): boolean =>
  error instanceof ProtocolError && own(error.data, 'reason') === 'sign-in';
