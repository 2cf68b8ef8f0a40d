/** What a server says about itself on connecting, unchanged: the SDK keeps only the members that it knows. */
import { isRecord, own } from '@midcall/core/json';
import type { Interception, JsonRpcMessage } from '@midcall/core/sdk-seam';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/client';

type Json = Readonly<Record<string, unknown>>;

const methods: ReadonlySet<unknown> = new Set(['initialize', 'server/discover']);

/** The most recent one of a connection. */
export class Introduction implements Required<Interception> {
  readonly #pending = new Set<unknown>();
  #result: Json = {};

  /** The server's `serverInfo`; empty if it gives none. */
  get implementation(): Json {
    const info = own(this.#result, 'serverInfo') ?? own(own(this.#result, '_meta'), SERVER_INFO_META_KEY);
    return isRecord(info) ? info : {};
  }

  get capabilities(): Json {
    const capabilities = own(this.#result, 'capabilities');
    return isRecord(capabilities) ? capabilities : {};
  }

  incoming(message: JsonRpcMessage, deliver: (message: JsonRpcMessage) => void): void {
    const { id, method, result } = message;
    if (method === undefined && this.#pending.delete(id) && isRecord(result)) this.#result = result;
    deliver(message);
  }

  outgoing(message: JsonRpcMessage, send: (message: JsonRpcMessage) => Promise<void>): Promise<void> {
    if (methods.has(message['method'])) this.#pending.add(message['id']);
    return send(message);
  }
}
