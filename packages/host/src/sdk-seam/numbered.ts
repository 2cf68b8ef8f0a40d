/** The ids of the SDK's requests, which are numbers. */
import type { JsonRpcMessage } from '@midcall/core/sdk-seam';

/** A response with its id as it was sent, if that came back as a text: our ids are numbers, or begin with a word. */
export function numbered(message: JsonRpcMessage): JsonRpcMessage {
  const { id, method } = message;
  return method === undefined && typeof id === 'string' && /^\d+$/u.test(id) ? { ...message, id: Number(id) } : message;
}
