/**
 * What a host is told without having asked: the logs it wants, the lists that have changed, and notifications that nobody here
 * knows. One that is gone misses nothing.
 */
import { isRecord, own } from '@midcall/core/json';
import { MAX_TIMER_MS } from '@midcall/core/time';
import {
  LOG_LEVEL_META_KEY,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** A notification as it goes over the wire. */
export interface WireNotification {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A schema that takes everything. */
export const asItIs = {
  '~standard': { version: 1, vendor: 'midcall', validate: (value: unknown) => ({ value }) },
} as const;

/** From the one that tells the most. */
const levels: readonly unknown[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The level of two that tells more; undefined says nothing. */
export const moreOf = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && levels.indexOf(other) < levels.indexOf(one)) ? other : one;

/** A request of the host that is under way. */
export interface OpenRequest {
  /** What of `_meta` is the protocol's (2026-07-28). */
  readonly envelope: unknown;
  /** Tells the host something as part of it. */
  notify(notification: WireNotification): Promise<void>;
}

/** The log level that a request of 2026-07-28 names. */
function levelOf({ envelope }: OpenRequest): string | undefined {
  const level = own(envelope, LOG_LEVEL_META_KEY);
  return levels.includes(level) ? (level as string) : undefined;
}

/** A request that the SDK has. */
export const openRequest = ({ mcpReq }: ServerContext): OpenRequest => ({
  envelope: mcpReq.envelope,
  notify: notification => mcpReq.notify(notification as never),
});

/** The connection to one host, or one request of it. */
export class HostLink {
  readonly server: McpServer;
  readonly #perRequest: boolean;
  readonly #requests = new Set<OpenRequest>();
  #level: string | undefined;

  /** @param perRequest - true if logs are asked for with each request, and belong to it (2026-07-28) */
  constructor(server: McpServer, perRequest: boolean) {
    this.server = server;
    this.#perRequest = perRequest;
  }

  /** The most that this host wants to know; undefined if it has not said. */
  get level(): string | undefined {
    if (!this.#perRequest) return this.#level;
    return [...this.#requests].map(levelOf).reduce(moreOf, undefined);
  }

  /**
   * For the whole connection (2025-11-25).
   * @throws ProtocolError for what is no level
   */
  setLevel(level: unknown): void {
    if (!levels.includes(level))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `params.level must be one of ${levels.join(', ')}.`);
    this.#level = level as string;
  }

  /** A request is in progress. @returns to be called when it is over */
  begin(request: OpenRequest): () => void {
    this.#requests.add(request);
    return () => void this.#requests.delete(request);
  }

  log(notification: WireNotification): void {
    const { params } = notification;
    const level = isRecord(params) ? levels.indexOf(params['level']) : -1;
    const wants = (least: string | undefined): boolean => levels.indexOf(least) <= level;
    if (!this.#perRequest) {
      if (wants(this.#level)) this.#send(notification);
      return;
    }
    const request = [...this.#requests].find(each => levelOf(each) !== undefined && wants(levelOf(each)));
    if (request) this.#within(request, notification);
  }

  /** Any other notification. */
  tell(notification: WireNotification): void {
    const [request] = this.#requests;
    if (this.#perRequest && request) this.#within(request, notification);
    else this.#send(notification);
  }

  /** Tells the host to read one list again, or that a resource has changed. */
  announce(notification: WireNotification): void {
    this.#send(notification);
  }

  /** Tells the host to read every list again. */
  announceLists(): void {
    for (const list of ['tools', 'prompts', 'resources']) this.#send({ method: `notifications/${list}/list_changed` });
  }

  /** A request of the upstream server that nobody here knows. @returns what the host answers, as it is */
  request(request: WireNotification, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    // Whoever asked gives up by itself.
    return this.server.server.request(request as never, asItIs as never, { signal, timeout: MAX_TIMER_MS }) as never;
  }

  #send(notification: WireNotification): void {
    this.server.server.notification(notification as never).catch(() => {});
  }

  #within(request: OpenRequest, notification: WireNotification): void {
    request.notify(notification).catch(() => {});
  }
}
