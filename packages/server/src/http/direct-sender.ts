/**
 * Whoever takes requests and can send by itself, as a Node server can: it is given what is to be sent, and no Response is made
 * of it, which costs more than what is in it.
 */

/** An answer with all that is in it. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A stream of events that is being sent. */
export interface EventStream {
  /** Stands for the stream on the way back. */
  readonly response: Response;
  /** Sends events; nothing once it has ended. */
  write(events: string): void;
  /** Ends it from our side; nothing if it has ended. */
  end(): void;
}

/** How a stream begins. */
export interface EventStreamHead {
  readonly headers: Readonly<Record<string, string>>;
  /** The events it begins with; may be empty. */
  readonly events: string;
}

/** How much may wait for a client that reads slowly. */
export interface UnreadLimit {
  /** That wait to be read; one message may be larger. */
  readonly mostBytes: number;
  /** Called where a stream was cut for it. */
  readonly onCut: () => void;
}

/** Sends what is given to it, and never throws; what it returns as a response is not looked at. */
export interface DirectSender {
  whole(answer: WholeAnswer): Response;
  /**
   * @param ended - called once: it was sent to its end, or its client is gone
   * @param limit - none if absent
   */
  stream(head: EventStreamHead, ended: () => void, limit: UnreadLimit | undefined): EventStream;
}

/** What comes with a request from whoever sends by itself. */
export const sendsDirectly: unique symbol = Symbol('sendsDirectly');

/** The `fetch` of endpoints: in another around one, somebody may look at the response, so it has to be one. */
const own = new WeakSet<object>();

/** Lets answers to what this function is given be sent directly. */
export const allowDirect = (fetch: object): void => void own.add(fetch);

/** True for a function whose caller may send by itself. */
export const allowsDirect = (fetch: object): boolean => own.has(fetch);

/** @param given - what came with the request */
export const directSender = (given: object): DirectSender | undefined =>
  (given as { readonly [sendsDirectly]?: DirectSender })[sendsDirectly];
