/** A question that is put to the client as a request of its own, from when it is sent to its outcome. */
import { steadyNow } from '@midcall/core/time';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { CallRequest } from '../call/request.ts';
import type { SharedCall } from '../call/shared-call.ts';
import type { ClientAsk, OpenQuestion } from '../channels/outgoing.ts';
import { fromClient, type Recording, unanswered } from '../channels/recording.ts';
import type { Config } from '../config.ts';
import type { Unstamped } from '../observe/audit.ts';
import { type ClientRequest, requestClient } from '../sdk-seam/client-request.ts';
import { askShared } from './ask-shared.ts';
import { askedEvent } from './asked-event.ts';
import { received } from './received.ts';
import { isGone } from './when-gone.ts';

/** Not a set of closures: many questions may be waiting at once. */
export class OutAsk {
  readonly #ask: OpenQuestion<ClientAsk>;
  readonly #audit: (event: Unstamped) => void;
  #event: Unstamped | undefined;
  #turn: NodeJS.Immediate | undefined;
  /** How it was sent. */
  #sent: ClientRequest | AbortController | undefined;
  #isCancelled = false;
  #isLate = false;
  #sentAt = 0;
  #stopClock: (() => void) | undefined;
  #takeBack: (() => void) | undefined;

  constructor(ask: OpenQuestion<ClientAsk>, audit: (event: Unstamped) => void) {
    this.#ask = ask;
    this.#audit = audit;
    this.#event = askedEvent(ask);
  }

  /** Sends it, and waits for its outcome; never rejects. Holds no frame of its own while the person thinks. */
  put(request: CallRequest, { clock }: Pick<Config, 'clock'>): Promise<Recording | 'disconnected'> {
    const { method, params, timeoutMs, withdrawn } = this.#ask.detail;
    this.#sentAt = steadyNow(clock);
    if (withdrawn?.aborted) return Promise.resolve(unanswered('error', 0));
    const sent = requestClient(request.server, request.ctx, method, params);
    this.#sent = sent;
    this.#stopClock = clock.after(timeoutMs, () => {
      this.#isLate = true;
      this.cancel(new Error('The person did not answer in time.'));
    });
    if (withdrawn) {
      this.#takeBack = () => this.cancel(withdrawn.reason);
      withdrawn.addEventListener('abort', this.#takeBack, { once: true });
    }
    // What cannot be sent fails within a turn of the event loop; what has not failed by then has left.
    this.#turn = setImmediate(leave, this);
    return sent.answer.then(
      answer => this.#answered(answer, steadyNow(clock) - this.#sentAt),
      (error: unknown) => this.#failed(error, steadyNow(clock) - this.#sentAt, isGone(request.ctx)),
    );
  }

  /** The same for a question of a call that another process may take over. */
  putTogether(shared: SharedCall, config: Config): ReturnType<typeof askShared> {
    const wait = new AbortController();
    this.#sent = wait;
    return askShared(this.#ask, shared, config, { wait, left: () => this.left() });
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
    if (this.#event) this.#audit(this.#event);
    this.#event = undefined;
  }

  /** @param ms - measured before the answer is read: the time to read it is not the person's */
  #answered(came: unknown, ms: number): Recording {
    this.#ended();
    this.left();
    const answer = received(came);
    return answer ? fromClient(answer.value, ms) : unanswered('error', ms);
  }

  #failed(error: unknown, ms: number, isClientGone: boolean): Recording | 'disconnected' {
    this.#ended();
    const { code } = error as { code?: unknown };
    if (this.#isCancelled || wasSent(error)) this.left();
    if (this.#isLate) return unanswered('timeout', ms);
    if (isClientGone || isDisconnect(error)) return 'disconnected';
    // Some clients declare a capability that they do not have; such a client cannot be asked.
    const why = code === METHOD_NOT_FOUND ? 'unavailable' : 'error';
    return unanswered(why, ms, typeof code === 'number' ? code : undefined);
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
