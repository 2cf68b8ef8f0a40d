/** What a handler passes to its call, checked before anything is asked or run: a misspelt option is refused, not ignored. */

import { MidcallError } from '@midcall/core/errors';
import { assurances, assures, type FormInput } from '@midcall/core/form';
import { jsonLoss, lossText } from '@midcall/core/json';
import {
  anything,
  checkKind,
  checkOptions,
  count,
  flag,
  func,
  type Kinds,
  listOf,
  name as nameKind,
  notNegative,
  oneOf,
  parts,
  positive,
  required,
  text,
} from '@midcall/core/options';
import { MAX_TIMER_MS } from '@midcall/core/time';
import {
  approversKind,
  type Details,
  detailsKind,
  detailsText,
  type ElicitAsk,
  type StepOptions,
  type StepRetry,
  type UrlAsk,
} from '../request/index.ts';
import { channels } from './all.ts';

/** The options that every kind of question has: how it reaches the person. */
export const reachKinds = {
  timeoutMs: positive,
  assurance: oneOf(...assurances),
  channels: listOf(oneOf(...channels.map(({ name }) => name))),
  required: flag,
};

const shared = { message: required(text), key: text, ...reachKinds };

const askKinds: Kinds<ElicitAsk<FormInput>> = {
  ...shared,
  form: required({ ...anything, words: 'what is asked: Boolean, a list of choices, a JSON Schema, z.object({ … })' }),
  details: detailsKind,
  from: approversKind,
  fallback: anything,
  validate: func,
  app: {
    words: 'the URI of an MCP App, such as ui://shop/seats',
    fits: value => typeof value === 'string' && /^ui:\/\/\S{1,1990}$/.test(value),
  },
};

const urlKinds: Kinds<UrlAsk<unknown>> = {
  ...shared,
  page: required({
    words: 'a page, such as secret({ … }) or confirm() of @midcall/server/connect',
    fits: value =>
      typeof value === 'object' && value !== null && typeof (value as { kind?: unknown }).kind === 'string',
  }),
  asError: flag,
};

/** A hint for authors who know URL mode from the protocol. */
const URL_INSTEAD_OF_PAGE =
  "call.elicitUrl takes a page, not a URL: the answer comes from a page of this server, which knows who opens it and when they are done. Pass 'page' in place of 'url': oauth(…) for a sign-in elsewhere; secret(…), confirm() or formPage(…); or a kind of page of your own, which may link to any address. All are in @midcall/server/connect.";

const stepKinds: Kinds<StepOptions<unknown>> = {
  check: func,
  idempotent: flag,
  effect: flag,
  retry: parts<StepRetry>({
    attempts: required(count),
    delayMs: notNegative,
    factor: positive,
    maxDelayMs: positive,
    when: func,
  }),
  timeoutMs: {
    words: `a number of milliseconds greater than 0, and at most ${MAX_TIMER_MS} (24 days)`,
    fits: value => positive.fits(value) && (value as number) <= MAX_TIMER_MS,
  },
};

/** @throws TypeError for an unknown or wrong part: what the author must mend */
export function checkAsk<I extends FormInput>(ask: ElicitAsk<I>): void {
  checkOptions<ElicitAsk<I>>('call.elicit', ask, askKinds);
}

/**
 * @param hasPrincipal - true if the call has a known principal
 * @throws MidcallError for a message or a reach that no question may have: what the author must mend
 */
export function checkReach(ask: Shared & Pick<ElicitAsk<never>, 'from'>, hasPrincipal: boolean): void {
  checkShared(ask);
  const { assurance, from } = ask;
  if (hasPrincipal) return;
  const what = from
    ? from.not && "excludes the requester (not: 'requester')"
    : assurance &&
      assures(assurance, 'verified') &&
      `demands a ${assurance === 'present' ? 'present' : 'verified'} answer`;
  if (!what) return;
  throw new MidcallError(
    'server/setup',
    `A question ${what}, but nobody knows whose call this is: give midcall() the 'principal' option.`,
  );
}

/** @throws MidcallError, or TypeError for an unknown or wrong part: what the author must mend */
export function checkUrlAsk(ask: UrlAsk<unknown>): void {
  if (typeof ask === 'object' && ask !== null && Object.hasOwn(ask, 'url')) throw new TypeError(URL_INSTEAD_OF_PAGE);
  refuseInbox('call.elicitUrl', ask);
  checkOptions<UrlAsk<unknown>>('call.elicitUrl', ask, urlKinds);
  checkShared(ask);
  const loss = jsonLoss(ask.page.data, 'page.data');
  if (loss) throw new MidcallError('form/unsupported', `The page of this question has ${lossText(loss)}`);
}

/** @throws TypeError for an unknown or wrong part: what the author must mend */
export function checkStep(name: string, fn: unknown, options: StepOptions<unknown>): void {
  checkKind('call.step', 'the name', name, nameKind);
  checkKind('call.step', 'what it runs', fn, func);
  checkOptions<StepOptions<unknown>>('call.step', options, stepKinds);
}

/** @throws TypeError for a value that is not progress */
export function checkProgress(progress: number, of: { readonly total?: number; readonly message?: string }): void {
  checkKind('call.progress', 'the progress', progress, notNegative);
  checkOptions<typeof of>('call.progress', of, { total: positive, message: text });
}

/**
 * @param place - what asks, as its caller writes it
 * @throws MidcallError `server/setup` for what only `call.elicit` can ask
 */
export function refuseInbox(place: string, ask: Pick<ElicitAsk<never>, 'assurance'>): void {
  const isObject = typeof ask === 'object' && ask !== null;
  const what =
    isObject && Object.hasOwn(ask, 'from')
      ? 'asks the requester alone'
      : isObject && ask.assurance === 'present' && "never has the assurance 'present'";
  if (!what) return;
  throw new MidcallError('server/setup', `${place} ${what}: use call.elicit, which can ask in an inbox.`);
}

type Shared = Pick<ElicitAsk<never>, 'message' | 'key' | 'timeoutMs' | 'assurance'>;

function checkShared({ message, key, timeoutMs }: Omit<Shared, 'assurance'>): void {
  checkMessage(message);
  if (key !== undefined && !/^[A-Za-z0-9][\w.-]{0,63}$/.test(key)) {
    throw new MidcallError(
      'form/unsupported',
      'The key of a question must be 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit.',
    );
  }
  if (timeoutMs !== undefined) checkTimeout(timeoutMs, 'form/unsupported');
}

/** @throws MidcallError with this code for a time that no timer runs for */
export function checkTimeout(ms: number, code: 'form/unsupported' | 'sampling/invalid'): void {
  if (ms > 0 && ms <= MAX_TIMER_MS) return;
  throw new MidcallError(code, 'timeoutMs must be a number of milliseconds above 0, and at most 24 days.');
}

/** The maximum length of a message, in characters. */
const MAX_MESSAGE = 2000;

/** The message with the details of its question; undefined if both together are too long. */
export function withDetails(message: string, details: Details): string | undefined {
  const whole = `${message}\n\n${detailsText(details)}`;
  return whole.length > MAX_MESSAGE ? undefined : whole;
}

/**
 * Every ask needs a message of bounded length (client/elicitation, "Elicitation Requests").
 * @throws MidcallError `form/unsupported` for a message that is empty or too long
 */
function checkMessage(message: string): void {
  if (message.trim() === '')
    throw new MidcallError('form/unsupported', 'A question needs a message that says why the person is asked.');
  if (message.length > MAX_MESSAGE)
    throw new MidcallError(
      'form/unsupported',
      `A message must have at most ${MAX_MESSAGE} characters; got ${message.length}.`,
    );
}
