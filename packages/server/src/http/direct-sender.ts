/**
 * A receiver of requests that can send directly, as a Node server can: it gets the data to send, and no Response is created,
 * which would cost more than its content.
 */

/** A complete answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A stream of events that is being sent. */
export interface EventStream {
  /** Represents the stream in the return value. */
  readonly response: Response;
  /** Sends events; does nothing once it has ended. */
  write(events: string): void;
  /** Ends it from our side; does nothing if it has ended. */
  end(): void;
}

/** How a stream begins. */
export interface EventStreamHead {
  readonly headers: Readonly<Record<string, string>>;
  /** The events it begins with; may be empty. */
  readonly events: string;
}

/** How much may be buffered for a slow client. */
export interface UnreadLimit {
  /** Bytes that wait to be read; one message may be larger. */
  readonly mostBytes: number;
  /** Called when a stream was cut because of it. */
  readonly onCut: () => void;
}

/** Sends what it is given, and never throws; the response it returns is ignored. */
export interface DirectSender {
  whole(answer: WholeAnswer): Response;
  /**
   * @param ended - called once: it was sent completely, or its client is gone
   * @param limit - none if absent
   */
  stream(head: EventStreamHead, ended: () => void, limit: UnreadLimit | undefined): EventStream;
}

/** What accompanies a request from a receiver that can send directly. */
export const sendsDirectly: unique symbol = Symbol('sendsDirectly');

/** The `fetch` functions of endpoints: a wrapper around one may read the response, so it must be a real one. */
const own = new WeakSet<object>();

/** Allows answers to this function's requests to be sent directly. */
export const allowDirect = (fetch: object): void => void own.add(fetch);

/** True for a function whose caller may send directly. */
export const allowsDirect = (fetch: object): boolean => own.has(fetch);

/** @param given - what came with the request */
export const directSender = (given: object): DirectSender | undefined =>
  (given as { readonly [sendsDirectly]?: DirectSender })[sendsDirectly];

/** What came with a request, if its response is to be changed before it is sent. */
export function notDirectly<Given extends object>(given: Given): Given {
  const { [sendsDirectly]: _, ...rest } = given as Given & { readonly [sendsDirectly]?: unknown };
  return rest as unknown as Given;
}
