/** A question that is put to the client as a request of its own, from when it is sent to its outcome. */
import { steadyNow } from '@midcall/core/time';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import { type ClientAsk, fromClient, type OpenQuestion, type Recording, unanswered } from '../questions/index.ts';
import type { CallRequest, Config, SharedCall } from '../request/index.ts';
import { type OpenRequest, sendToClient, type Taker } from '../sdk-seam/index.ts';
import type { Unstamped } from '../state/index.ts';
import { askShared } from './ask-shared.ts';
import { askedEvent } from './asked-event.ts';
import { received } from './received.ts';
import { isGone } from './when-gone.ts';

/** What became of a question. */
export type AskOutcome = Recording | 'disconnected' | 'handed-over';

/** Whose question it is. */
export interface AskOwner {
  readonly request: CallRequest;
  readonly config: Config;
  readonly audit: (event: Unstamped) => void;
  /** Called once for each question that was put, when its outcome is known; must not throw. */
  settled(): void;
  /** Called instead if the outcome cannot be recorded. */
  broke(error: unknown): void;
}

/** Not a set of closures, and no promise: many questions may be waiting at once. */
export class OutAsk implements Taker {
  /** Set when it is known. */
  outcome: AskOutcome | undefined;
  readonly #ask: OpenQuestion<ClientAsk>;
  readonly #owner: AskOwner;
  #event: Unstamped | undefined;
  #turn: NodeJS.Immediate | undefined;
  /** How it was sent. */
  #sent: OpenRequest | AbortController | undefined;
  #isCancelled = false;
  #isLate = false;
  #sentAt = 0;
  #stopClock: (() => void) | undefined;
  #takeBack: (() => void) | undefined;

  constructor(ask: OpenQuestion<ClientAsk>, owner: AskOwner) {
    this.#ask = ask;
    this.#owner = owner;
    this.#event = askedEvent(ask);
  }

  /** Sends it. */
  put(): void {
    const { request, config } = this.#owner;
    const { timeoutMs, withdrawn } = this.#ask.detail;
    this.#sentAt = steadyNow(config.clock);
    if (withdrawn?.aborted) {
      queueMicrotask(() => this.#over(unanswered('error', 0)));
      return;
    }
    this.#sent = sendToClient(request.server, request.ctx, this.#ask.detail, this);
    this.#stopClock = config.clock.after(timeoutMs, () => this.#late());
    if (withdrawn) this.#watch(withdrawn);
    // What cannot be sent fails within a turn of the event loop; what has not failed by then has left.
    this.#turn = setImmediate(leave, this);
  }

  /** The same for a question of a call that another process may take over. */
  putTogether(shared: SharedCall): void {
    const wait = new AbortController();
    this.#sent = wait;
    askShared(this.#ask, shared, this.#owner.config, { wait, left: () => this.left() }).then(
      outcome => this.#over(outcome),
      (error: unknown) => this.#owner.broke(error),
    );
  }

  /** Stops waiting for it. */
  cancel(reason: unknown): void {
    this.#isCancelled = true;
    if (this.#sent instanceof AbortController) this.#sent.abort(reason);
    else this.#sent?.cancel(reason);
  }

  /** Notes that the question has certainly been sent; only the first call counts. */
  left(): void {
    // An immediate that is held holds the one after it, and so all that follow.
    this.#turn = undefined;
    if (this.#event) this.#owner.audit(this.#event);
    this.#event = undefined;
  }

  answered(came: unknown): void {
    // Measured before the answer is read: the time to read it is not the person's.
    const ms = this.#ms;
    try {
      this.#ended();
      this.left();
      const answer = received(came);
      this.#over(answer ? fromClient(answer.value, ms) : unanswered('error', ms));
    } catch (error) {
      this.#owner.broke(error);
    }
  }

  failed(error: unknown): void {
    try {
      this.#over(this.#outcomeOf(error, this.#ms));
    } catch (broken) {
      this.#owner.broke(broken);
    }
  }

  get #ms(): number {
    return steadyNow(this.#owner.config.clock) - this.#sentAt;
  }

  #outcomeOf(error: unknown, ms: number): AskOutcome {
    this.#ended();
    const { code } = error as { code?: unknown };
    if (this.#isCancelled || wasSent(error)) this.left();
    if (this.#isLate) return unanswered('timeout', ms);
    if (isGone(this.#owner.request.ctx) || isDisconnect(error)) return 'disconnected';
    // Some clients declare a capability that they do not have; such a client cannot be asked.
    const why = code === METHOD_NOT_FOUND ? 'unavailable' : 'error';
    return unanswered(why, ms, typeof code === 'number' ? code : undefined);
  }

  #over(outcome: AskOutcome): void {
    this.outcome = outcome;
    this.#owner.settled();
  }

  #late(): void {
    this.#isLate = true;
    this.cancel(new Error('The person did not answer in time.'));
  }

  #watch(withdrawn: AbortSignal): void {
    this.#takeBack = () => this.cancel(withdrawn.reason);
    withdrawn.addEventListener('abort', this.#takeBack, { once: true });
  }

  #ended(): void {
    if (this.#turn) clearImmediate(this.#turn);
    if (this.#takeBack) this.#ask.detail.withdrawn?.removeEventListener('abort', this.#takeBack);
    this.#stopClock?.();
  }
}

const leave = (ask: OutAsk): void => ask.left();

const METHOD_NOT_FOUND = -32601;

/** True if a failed request had been sent: the client answered with an error. */
const wasSent = (error: unknown): boolean =>
  error instanceof SdkError ? !unsent.has(error.code) : typeof (error as { code?: unknown }).code === 'number';

const unsent: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
  SdkErrorCode.SendFailed,
]);

const isDisconnect = (error: unknown): boolean =>
  error instanceof SdkError &&
  (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.NotConnected);
