/**
 * Opens what a request of the 2026-07-28 revision brings: the state of its call, and the answers to its open questions.
 * Decryption and every binding are checked before the retry is claimed; answers that arrive without one of our states are
 * ignored.
 */
import { findOut, isMidcallError, MidcallError, nothingNow } from '@midcall/core/errors';
import type { Store } from '@midcall/core/store';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { digest, type Json } from '../base/index.ts';
import type { Entry } from '../engine/index.ts';
import { fromClient, type Recording, unanswered } from '../questions/index.ts';
import {
  type CallRequest,
  type Config,
  detachedOf,
  principalKey,
  type SharedCall,
  type SharedOutcome,
} from '../request/index.ts';
import {
  type ApartJournal,
  type Attempt,
  type FlowSteps,
  flowSteps,
  lifeOf,
  openState,
  openStored,
  type RoundState,
  type SealedAsk,
  type Unstamped,
} from '../state/index.ts';
import { doneText, stepsIn, withSteps } from './driver-outcome.ts';
import { received } from './received.ts';

/** The state of a call after one of its requests was opened. */
export interface OpenedCall {
  readonly flow: string;
  readonly round: number;
  readonly journal: readonly Entry[];
  /** Ids of the entries this retry brought. */
  readonly fresh: ReadonlySet<string>;
  /** Questions the retry left unanswered, with their first deadlines. */
  readonly stillOut: readonly SealedAsk[];
  /** The claim on this retry; undefined on a first request. */
  readonly attempt?: Attempt;
  /** Its journal in the store, if it was too large to travel. */
  readonly apart?: ApartJournal;
  /** How long its steps are kept, in milliseconds. */
  readonly retentionMs?: number;
  /** Where they are stored, if not in this instance's own store. */
  readonly stepStore?: Store;
  /** Present if another process may continue this call. */
  readonly shared?: SharedCall;
  /** True if a ticket of a waiting page brought this request. */
  readonly resumed?: boolean;
  /** Set if this very retry was answered before: return that answer again and run nothing. */
  readonly earlier?: unknown;
}

/** The initial state of a call. */
export const begins = (flow: string): OpenedCall => ({ flow, round: 0, journal: none, fresh: noIds, stillOut: none });
const none: readonly never[] = [];
const noIds: ReadonlySet<string> = new Set();

/**
 * Opens a request's state and answers.
 * @throws ProtocolError -32602 for a state that is not ours, not for this call, expired, or already answered otherwise;
 *   MidcallError `call/interrupted` if an earlier attempt at this retry is under way
 */
export async function openRetry(
  request: CallRequest,
  config: Config,
  audit: (event: Unstamped) => void,
): Promise<OpenedCall> {
  const { mcpReq } = request.ctx;
  const text: unknown = mcpReq.requestState();
  if (text === undefined) return begins(config.id());
  const stored = detachedOf(request.ctx)?.state;
  const opening = stored
    ? openStored(stored, request.binding, config)
    : openState(text, request.binding, config, config.maxStateLength);
  const opened = await opening.catch(failed(request, [], false));
  if (!opened.ok) {
    audit({ kind: 'state-refused', reason: opened.reason });
    if (opened.kind === 'invalid' && config.keys.ephemeral) config.warnOnce('foreign state', madeElsewhere);
    else if (opened.reason === 'unknown-key') config.warnOnce('unknown key', otherKey);
    throw refused(opened.kind);
  }
  const { state, apart } = opened;
  const secret = stored?.secret ?? String(text).slice(-22);
  return claimed({ state, apart, secret }, request, config, audit).catch(failed(request, state.journal));
}

/**
 * Ends a retry that cannot be opened. If the store failed, a task is run again, and a client is told what was done before.
 * @param journal - of the state that was presented
 * @param isFirst - false if that is not known
 */
const failed =
  ({ ctx }: CallRequest, journal: readonly Entry[], isFirst = true) =>
  (error: unknown): never => {
    if (detachedOf(ctx) && isMidcallError(error, 'store/unavailable')) throw interrupted(nothing, true);
    throw withSteps(error, journal, nothing, isFirst);
  };

const nothing: FlowSteps = { done: [], inDoubt: [], failedOrSafe: [] };

interface Presented {
  readonly state: RoundState;
  readonly apart: ApartJournal | undefined;
  /** In no store, so that nobody who reads a store can guess an answer from its digest. */
  readonly secret: string;
}

/** Claims a retry whose state was opened. */
async function claimed(
  { state, apart, secret }: Presented,
  request: CallRequest,
  config: Config,
  audit: (event: Unstamped) => void,
): Promise<OpenedCall> {
  const { mcpReq } = request.ctx;
  const responses = mcpReq.inputResponses ?? {};
  // An answer that the SDK rejected was still sent: it is not silence, and asking again would never end.
  const unreadable = new Set(mcpReq.droppedInputResponseKeys);
  const brought = state.out.flatMap(ask => {
    if (Object.hasOwn(responses, ask.key)) return [{ ask, answer: received(responses[ask.key]) }];
    return unreadable.has(ask.key) ? [{ ask, answer: undefined }] : [];
  });
  const inputs = digest([secret, brought.map(({ ask, answer }) => [ask.key, answer?.text ?? null])]);
  const retentionMs = lifeOf(state, config.clock.now());
  const { principal } = request.binding;
  const claim = await config.claims.claim(
    state.nonce,
    inputs,
    retentionMs,
    mcpReq.signal,
    request.receivedAt,
    principal,
  );
  const standing = detachedOf(request.ctx)
    ?.isStanding?.()
    .catch(async (error: unknown) => {
      // Otherwise the task could never be run again in this process.
      if (claim.kind === 'mine') await claim.attempt.abandon().catch(() => {});
      throw error;
    });
  if ((await standing) === false) {
    if (claim.kind === 'mine') await claim.attempt.forget();
    throw interrupted(nothing, true);
  }
  if (claim.kind === 'other-inputs' || claim.kind === 'forgotten') {
    audit({ kind: 'state-refused', reason: 'already answered' });
    throw refused('answered');
  }
  if (claim.kind === 'answered') return { earlier: claim.result, ...begins(state.flow) };
  if (claim.kind === 'under-way') throw await stillUnderWay(state, config);
  // Use the arrival time, so that a slow store or sign-in does not eat into the person's deadline (claims-C4).
  const now = claim.cameAt;
  const late = state.out.filter(ask => now > ask.due && !brought.some(each => each.ask === ask));
  const entries = [
    ...brought.map(({ ask, answer }) => entryOf(ask, request.answeredAt[ask.key] ?? now, asReceived(answer?.value))),
    ...late.map(ask => entryOf(ask, now, asReceived(undefined))),
  ];
  const fresh = new Set(entries.map(entry => entry.id));
  return {
    flow: state.flow,
    round: state.round,
    journal: [...state.journal, ...entries],
    fresh,
    stillOut: state.out.filter(ask => !fresh.has(ask.id)),
    attempt: claim.attempt,
    ...(apart && { apart }),
    retentionMs,
  };
}

/**
 * What the journal stores for a question whose time is up, or that has an answer.
 * @param answered - makes the recording of the answer, given the milliseconds that it took
 */
export function entryOf(
  { id, kind, label, at, due }: SealedAsk,
  now: number,
  answered: (ms: number) => Recording,
): Entry {
  const ms = Math.max(0, now - at);
  return { id, kind, label, value: now > due ? unanswered('timeout', ms) : answered(ms) };
}

/** @param answer - absent if it could not be read */
const asReceived =
  (answer: Json | undefined) =>
  (ms: number): Recording =>
    answer === undefined ? unanswered('error', ms) : fromClient(answer, ms);

/**
 * The message for a call whose earlier attempt is still running, or died during a step.
 * @param steps - those of that attempt
 * @param underWay - true if that attempt may still be running
 * @param journal - what that attempt began with, if it is known
 */
export function interrupted(steps: FlowSteps, underWay: boolean, journal: readonly Entry[] = []): MidcallError {
  const before = stepsIn(journal);
  const done = [...before.done, ...steps.done];
  const doubt = [...before.failed, ...steps.inDoubt, ...steps.failedOrSafe];
  const what = doneText(done, doubt, '');
  return new MidcallError(
    steps.inDoubt.length > 0 && !underWay ? 'step/in-doubt' : 'call/interrupted',
    `An earlier attempt at this call ${underWay ? 'has not ended' : 'was interrupted'}; nothing was run again.` +
      `${what === '' ? '' : ` ${what}`} ${findOut}`,
  );
}

/** The message for a retry that is under way somewhere; without names, if they cannot be read now. */
export const stillUnderWay = async (
  { flow, journal }: Pick<RoundState, 'flow' | 'journal'>,
  { contents }: Pick<Config, 'contents'>,
): Promise<MidcallError> => interrupted(await flowSteps(contents, flow).catch(() => nothing), true, journal);

const madeElsewhere =
  'midcall: a client continued a call with a requestState that this midcall() did not make, so it was refused. Without a key, only ' +
  'the midcall() that asked can continue: call it once, outside the function that makes servers. If this process was restarted, or ' +
  'is one of several, set MIDCALL_KEY or the key option.';

const otherKey =
  'midcall: a client continued a call with a requestState that was sealed with a key that this server does not have, so it was ' +
  'refused. If the key was changed, keep the old one after the new one, in MIDCALL_KEY or the key option, until no call waits that ' +
  'was sealed with it. All replicas need the same keys.';

function refused(kind: 'invalid' | 'expired' | 'changed' | 'answered'): ProtocolError {
  const [reason, text] = {
    invalid: ['invalid_request_state', `This requestState was not made for this call. ${nothingNow}`],
    expired: ['expired', `This requestState has expired. ${nothingNow}`],
    changed: ['handler_changed', `The tool, prompt or resource has changed since it asked. ${nothingNow}`],
    answered: ['already_answered', `This requestState was already answered. ${nothingNow}`],
  }[kind] as [string, string];
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text, { reason });
}

/**
 * Opens a request of a session that several processes serve: the state of its call, and the claim it is run under.
 * @throws ProtocolError -32602 if somebody else opened the call, or its handler has changed since
 */
export async function openShared(shared: SharedCall, request: CallRequest): Promise<OpenedCall> {
  const { binding, principal } = request;
  const opening = shared.open({ binding: digest(binding), principal });
  const { caller, journal, earlier } = await opening.catch(failed(request, [], shared.first));
  const begun = begins(shared.flow);
  if (caller.binding !== digest(binding) || principalKey(caller.principal) !== principalKey(principal)) {
    const data = { reason: 'handler_changed' };
    const message = `This call was started by somebody else, or its tool, prompt or resource has changed since. ${nothingNow}`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
  }
  return {
    ...begun,
    ...(earlier !== undefined && { earlier }),
    journal,
    attempt: {
      first: shared.first,
      holds: () => shared.holds(),
      answer: outcome => shared.settle(outcome as SharedOutcome),
      abandon: async () => {},
      forget: async () => {},
    },
    stepStore: shared.stepStore,
    retentionMs: shared.retentionMs,
    shared,
  };
}
