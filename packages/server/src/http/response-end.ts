/**
 * Detects the end of a response, whoever sends it: a Node server, a worker, a framework. A stream has ended when it was sent
 * completely, or when its client is gone and the sender has abandoned it; any other response has ended when it is available.
 */

/** A response whose end is reported. */
export interface WatchedResponse {
  /** To be sent in place of the watched one. */
  readonly response: Response;
  /** Ends a stream from our side; does nothing if it has ended. */
  end(): void;
}

/** True for a response that is a stream of events. */
export const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/**
 * @param onEnd - called once: true if it was sent completely
 * @param onChunk - called with each chunk of a stream before it is passed on
 */
export function watchResponse(
  response: Response,
  onEnd: (isComplete: boolean) => void,
  onChunk?: (chunk: Uint8Array) => void,
): WatchedResponse {
  if (!response.body || !isEventStream(response)) {
    onEnd(true);
    return { response, end() {} };
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  let over = false;
  const ended = (isComplete = false) => {
    if (over) return;
    over = true;
    onEnd(isComplete);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            ended(true);
            return controller.close();
          }
          onChunk?.(value);
          controller.enqueue(value);
        } catch (error) {
          ended();
          controller.error(error);
        }
      },
      async cancel(reason) {
        ended();
        await reader.cancel(reason);
      },
    },
    // Nothing is read before it is requested.
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return {
    response: new Response(body, { status, statusText, headers }),
    end() {
      ended();
      void reader.cancel().catch(() => {});
    },
  };
}

/** Calls `ended` once a response has ended, or there is none. @returns the same response */
export async function untilEnd(responding: Promise<Response>, ended: () => void): Promise<Response> {
  try {
    return watchResponse(await responding, ended).response;
  } catch (error) {
    ended();
    throw error;
  }
}

/** The responses to requests that have not been sent completely. */
export class OpenResponses {
  readonly #open = new Set<Promise<void>>();

  /** @returns the same response */
  follow(responding: Promise<Response>): Promise<Response> {
    let ended = (): void => {};
    const sent = new Promise<void>(resolve => {
      ended = resolve;
    });
    this.#open.add(sent);
    void sent.then(() => this.#open.delete(sent));
    return untilEnd(responding, ended);
  }

  /** Resolves when every response has been sent, or its client is gone. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Promise.all([...this.#open]);
  }
}
