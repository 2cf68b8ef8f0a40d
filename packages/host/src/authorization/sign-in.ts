/** The question to a person when a server wants them to sign in, and how a sign-in is told that the question is over. */
import { MidcallError } from '@midcall/core/errors';
import type { Clock } from '@midcall/core/time';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import type { Ending } from '../question/index.ts';
import { type Discovered, printable } from './discovery.ts';
import type { ServerAuth } from './server-auth.ts';
import type { RegisteredClient } from './vault.ts';

/** A sign-in that waits for the person. */
export interface SignInRequest {
  /** The authorization server's issuer. */
  readonly issuer: string;
  /** The page to open. */
  readonly url: string;
  /** What the server may do then, by the authorization server's names. */
  readonly scopes: readonly string[];
  /** The code to type on the page, or to find there (device code). */
  readonly code?: string;
  /** True if the person is signed in, and the server wants more scopes. */
  readonly more: boolean;
  /** When the page or the code stops working, if known; milliseconds since the epoch. */
  readonly openUntil?: number;
}

/**
 * Asks the person to sign in.
 * @param over - fires when the sign-in has ended; its reason is the question's ending
 * @returns how the question ended; `completed` if the sign-in did
 */
export type AskSignIn = (request: SignInRequest, over: AbortSignal) => Promise<Ending>;

/** What every way of signing in needs. */
export interface SignInParts {
  readonly discovered: Discovered;
  readonly auth: ServerAuth;
  readonly serverUrl: URL;
  /** The name this host registers under. */
  readonly name: string;
  /** An earlier registration. */
  readonly client: RegisteredClient | undefined;
  readonly scope: string | undefined;
  readonly more: boolean;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly ask: AskSignIn;
  /** Stores a new registration. */
  readonly keepClient: (client: RegisteredClient) => Promise<void>;
  /** Stores the tokens; the person is told that they are signed in when this is done. */
  readonly keepTokens: (client: RegisteredClient, tokens: OAuthTokens) => Promise<void>;
}

/** Why nobody is signed in. */
export function notSignedIn(issuer: string, ending: Ending): MidcallError {
  const where = printable(issuer);
  const why: Partial<Record<Ending['how'], string>> = {
    declined: `The person declined to sign in at ${where}.`,
    dismissed: `The person closed the question to sign in at ${where}.`,
    'timed-out': `The server wants a sign-in at ${where}, and nobody could be asked in time.`,
    unshown: `The server wants a sign-in at ${where}, and the question could not be shown.`,
    'refused-by-policy': `A decision of the person refuses what this server asks, its sign-in at ${where} too.`,
  };
  return new MidcallError('host/unauthorized', why[ending.how] ?? `The sign-in at ${where} was cancelled.`);
}
