/**
 * A plain call of a 2026-07-28 client over HTTP, from its request to its response, in place of the SDK's handler, which checks
 * each request by its schemas several times and makes a web-standard response of each result. Only calls of our tools by clients
 * whose declarations the SDK accepted before are served in this way. If anything besides a result must be sent, such as progress,
 * the SDK's own transport for one request takes over.
 *
 * - exchange-X1 A request that the SDK's handler might refuse is left to it, with the server that was made for it.
 * - exchange-X2 A call is cancelled when its client is gone, or the endpoint is closed, as with the SDK's handler.
 *
 * What this relies on in the SDK is tested in test/server/plain-exchange.test.ts.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServer,
  type MessageExtraInfo,
  PerRequestHTTPServerTransport,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { knownEnvelopes } from './known-envelopes.ts';
import { plainCall } from './plain-call.ts';
import { hasShortWay } from './short-way.ts';

type Members = Readonly<Record<string, unknown>>;

/** A plain call in the body of a request whose headers name the same call. */
export interface PlainPost {
  readonly message: JSONRPCRequest;
  readonly tool: string;
  readonly envelope: Members;
  readonly revision: string;
}

/** @returns undefined if the SDK must check it */
export function plainPost({ method, headers }: Request, body: unknown): PlainPost | undefined {
  const call = method === 'POST' ? plainCall(body, knownEnvelopes) : undefined;
  if (!call?.envelope) return undefined;
  const { name: tool } = call.params;
  const revision = call.envelope[PROTOCOL_VERSION_META_KEY] as string;
  const isNamed =
    headers.get('mcp-protocol-version') === revision &&
    headers.get('mcp-method') === 'tools/call' &&
    headers.get('mcp-name') === tool &&
    // A name may be encoded; then it is never the same.
    !tool.startsWith('=?');
  return isNamed ? { message: body as JSONRPCRequest, tool, envelope: call.envelope, revision } : undefined;
}

/** The part of a registered tool that is checked before it is called. */
interface RegisteredTool {
  readonly enabled: boolean;
  readonly inputSchema?: object;
  readonly scopeChallenge?: unknown;
}

interface SdkMcpServer {
  readonly _registeredTools: Readonly<Record<string, RegisteredTool>>;
  toolInputSchemaJson(name: string): unknown;
}

/** Schemas without parameters that a client must repeat in headers; a schema does not change. */
const withoutHeaders = new WeakSet<object>();

/** True if the SDK's handler would pass a call of this tool to its server whatever the caller and the headers are. */
export function takesPlain(server: McpServer, name: string): boolean {
  if (server.server.transport !== undefined || !hasShortWay(server, name)) return false;
  const sdk = server as unknown as SdkMcpServer;
  const tool = Object.hasOwn(sdk._registeredTools, name) ? sdk._registeredTools[name] : undefined;
  if (!tool?.enabled || tool.scopeChallenge !== undefined) return false;
  const { inputSchema } = tool;
  if (inputSchema === undefined || withoutHeaders.has(inputSchema)) return true;
  const schema = JSON.stringify(sdk.toolInputSchemaJson(name));
  if (schema === undefined || schema.includes('x-mcp-header')) return false;
  withoutHeaders.add(inputSchema);
  return true;
}

/**
 * Tells a server who its client is, as the SDK's handler does.
 * @returns false if this SDK keeps that elsewhere, so its own handler has to do it
 */
export function introduce({ server }: McpServer, { envelope, revision }: PlainPost): boolean {
  const sdk = server as unknown as {
    _negotiatedProtocolVersion: string;
    _clientCapabilities: unknown;
    _clientVersion: unknown;
  };
  sdk._negotiatedProtocolVersion = revision;
  sdk._clientCapabilities = envelope[CLIENT_CAPABILITIES_META_KEY];
  sdk._clientVersion = envelope[CLIENT_INFO_META_KEY];
  return (
    server.getNegotiatedProtocolVersion() === revision &&
    server.getClientCapabilities() === sdk._clientCapabilities &&
    server.getClientVersion() === sdk._clientVersion
  );
}

/** A server's transport for one plain call. */
export class PlainExchange implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #message: JSONRPCRequest;
  readonly #extra: MessageExtraInfo & { readonly request: Request };
  /** The SDK's transport, once it has taken over. */
  #takenOver: PerRequestHTTPServerTransport | undefined;
  #isClosed = false;
  #settle: (answer: string | Response | undefined) => void = () => {};

  constructor({ message, revision }: PlainPost, extra: Pick<MessageExtraInfo, 'authInfo'> & { request: Request }) {
    this.#message = message;
    this.#extra = { classification: { era: 'modern', revision }, ...extra };
  }

  async start(): Promise<void> {}

  /**
   * Passes the server its call.
   * @returns a response to be sent with status 200, as JSON; a whole one of the SDK; or nothing if it was closed before
   */
  answer(): Promise<string | Response | undefined> {
    return new Promise(resolve => {
      this.#settle = resolve;
      const { signal } = this.#extra.request;
      if (signal.aborted) return void this.close();
      signal.addEventListener('abort', this.#gone, { once: true });
      this.onmessage?.(this.#message, this.#extra);
    });
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#isClosed) return;
    if (this.#takenOver || !('result' in message) || message.id !== this.#message.id) {
      await this.#takeOver().send(message, options);
      return;
    }
    this.#settle(JSON.stringify(message));
    queueMicrotask(this.#gone);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#extra.request.signal.removeEventListener('abort', this.#gone);
    // The SDK's transport settles what it has taken over.
    if (this.#takenOver) await this.#takenOver.close();
    else this.#settle(undefined);
    this.onclose?.();
  }

  readonly #gone = (): void => void this.close();

  #takeOver(): PerRequestHTTPServerTransport {
    if (this.#takenOver) return this.#takenOver;
    const transport = new PerRequestHTTPServerTransport({ classification: this.#extra.classification! });
    this.#takenOver = transport;
    transport.onmessage = () => {};
    transport.onclose = this.#gone;
    transport.onerror = error => this.onerror?.(error);
    void transport.start();
    transport.handleMessage(this.#message, this.#extra).then(this.#settle, () => this.#settle(undefined));
    return transport;
  }
}
