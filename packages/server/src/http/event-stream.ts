/** Event streams that we write ourselves (HTML, "Server-sent events"), directly or as a response. */
import { directSender, type EventStream, type EventStreamHead, type UnreadLimit } from './direct-sender.ts';

const encoder = new TextEncoder();

/** The headers of a stream of events, like those of the SDK's transport, except for those set per connection. */
const eventHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Opens a stream.
 * @param ended - called once: it was sent completely, or its client is gone
 * @param given - what came with the request
 * @param limit - for direct senders; a response is bounded on its way out
 */
export function openEventStream(
  { headers, events }: EventStreamHead,
  ended: () => void,
  given: object,
  limit: UnreadLimit | undefined,
): EventStream {
  const head = { headers: { ...eventHeaders, ...headers }, events };
  return directSender(given)?.stream(head, ended, limit) ?? streamOfResponse(head, ended);
}

function streamOfResponse({ headers, events }: EventStreamHead, ended: () => void): EventStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const over = (): void => {
    if (!controller) return;
    controller = undefined;
    ended();
  };
  const body = new ReadableStream<Uint8Array>({
    start: each => {
      controller = each;
    },
    cancel: over,
  });
  const write = (text: string): void => controller?.enqueue(encoder.encode(text));
  if (events !== '') write(events);
  return {
    response: new Response(body, { headers }),
    write,
    end() {
      controller?.close();
      over();
    },
  };
}
