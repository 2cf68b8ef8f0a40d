/**
 * Opens a new session when an HTTP server of 2025-11-25 no longer has the one that it gave, as after a restart. A message that
 * was refused for its session was not acted on, so it is sent again, once.
 */
import { MidcallError } from '@midcall/core/errors';
import { type ApartOptions, interceptTransport, type JsonRpcMessage } from '@midcall/core/sdk-seam';
import { visible } from '@midcall/core/text';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Send = (message: JsonRpcMessage, options?: ApartOptions) => Promise<void>;

/** Renews the sessions of one transport. */
export class SessionRenewal {
  readonly #onRenewed: () => void;
  #renew: (session: string) => Promise<void> = async () => {};
  /** The last session whose stream for announcements was open; not every server has one. */
  #streamed: string | undefined;

  /** @param onRenewed - called when a session was opened in place of a lost one */
  constructor(onRenewed: () => void) {
    this.#onRenewed = onRenewed;
  }

  /** @returns a fetch for the transport that notices when a stream's session is lost */
  noticing(real: typeof fetch): typeof fetch {
    return async (...request) => {
      const response = await real(...request);
      if (request[1]?.method !== 'GET') return response;
      const headers = new Headers(request[1].headers);
      const session = headers.get('mcp-session-id');
      if (response.ok) this.#streamed = session ?? undefined;
      if (response.status !== 404) return response;
      const isLost = session !== null && session === this.#streamed;
      if (isLost) void this.#renew(session).catch(() => {});
      if (!isLost && !headers.has('last-event-id')) return response;
      await response.body?.cancel();
      // There is nothing to resume: the transport tries again after any other status.
      return new Response(null, { status: 405 });
    };
  }

  /** Makes a transport send again what a server refused because of its session. */
  onto(transport: StreamableHTTPClientTransport): void {
    const send = transport.send.bind(transport) as Send;
    let introduction: JsonRpcMessage | undefined;
    let introduced: JsonRpcMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };
    let renewals = 0;
    let answer: JsonRpcMessage | undefined;
    let renewing: Promise<void> | undefined;
    const openSession = async (): Promise<void> => {
      renewals += 1;
      answer = undefined;
      await send({ ...introduction, id: renewalId(renewals) });
      const { result, error } = (answer ?? {}) as {
        result?: { protocolVersion?: unknown };
        error?: { message?: unknown };
      };
      if (!result) throw new Error(String(error?.message ?? 'it did not answer'));
      if (result.protocolVersion !== transport.protocolVersion)
        throw new Error(`it now speaks revision ${String(result.protocolVersion)}`);
      await send(introduced);
      this.#onRenewed();
    };
    this.#renew = async session => {
      if (!renewing && transport.sessionId !== session) return;
      renewing ??= openSession()
        .catch(async (error: unknown) => {
          const why = visible(String((error as Error).message), { max: 300 });
          await transport.close();
          throw new MidcallError(
            'host/server-gone',
            `The server has lost its session, and no new one could be opened: ${why}`,
          );
        })
        .finally(() => {
          renewing = undefined;
        });
      await renewing;
    };
    transport.send = (async (message: JsonRpcMessage, options?: ApartOptions) => {
      const { method } = message;
      if (method === 'initialize') introduction = message;
      if (method === 'notifications/initialized') introduced = message;
      await renewing?.catch(() => {});
      const session = transport.sessionId;
      try {
        await send(message, options);
      } catch (error) {
        if (session === undefined || !introduction || method === 'initialize' || !losesSession(error)) throw error;
        await this.#renew(session);
        // The server no longer has the question that this answers, nor the request that this cancels.
        if (method === undefined || method === 'notifications/cancelled') return;
        await send(message, options).catch(async (error: unknown) => {
          if (losesSession(error)) await transport.close();
          throw error;
        });
      }
    }) as typeof transport.send;
    interceptTransport(transport, {
      incoming: (message, deliver) => {
        if (message['method'] === undefined && message['id'] === renewalId(renewals)) answer = message;
        else deliver(message);
      },
    });
  }
}

const renewalId = (count: number): string => `midcall-session:${count}`;

/** True if a server refused a message for its session. Some answer 400, and name the session in words. */
function losesSession(error: unknown): boolean {
  const { status, message } = error as { readonly status?: unknown; readonly message?: unknown };
  return status === 404 || (status === 400 && /\bsession\b/iu.test(String(message)));
}
