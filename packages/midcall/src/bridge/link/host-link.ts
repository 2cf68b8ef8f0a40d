/**
 * What a host is told unasked: the logs it wants, lists that have changed, and notifications of unknown kinds. A host that is
 * disconnected needs none of it.
 */
import { isRecord, own } from '@midcall/core/json';
import {
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';

/** A notification as sent. */
export interface WireNotification {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** How many requests of the upstream server may wait for one host; each takes memory until it is answered. */
const mostRequests = 100;

/** How many milliseconds a request of the upstream server waits for its host. */
const requestMs = 15 * 60_000;

/** A schema that accepts everything. */
export const anySchema = {
  '~standard': { version: 1, vendor: 'midcall', validate: (value: unknown) => ({ value }) },
} as const;

/** The most verbose first. */
const levels: readonly unknown[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The more verbose of two levels; undefined is silent. */
export const moreOf = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && levels.indexOf(other) < levels.indexOf(one)) ? other : one;

/** A request of the host that is in progress. */
export interface OpenRequest {
  /** The members of `_meta` that belong to the protocol (2026-07-28). */
  readonly envelope: unknown;
  /** Sends the host a notification that belongs to it. */
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

/** What a host calls itself; undefined if it does not say. @param info - as it introduces itself; untrusted */
export function ownName(info: unknown): string | undefined {
  const name = own(info, 'title') ?? own(info, 'name');
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

/** The connection to one host, or one request of it. */
export class HostLink {
  readonly server: McpServer;
  /** True if each request stands for itself (2026-07-28): it asks for its own logs, and whoever closes its connection cancels it. */
  readonly perRequest: boolean;
  /** The requests in progress, with the log levels they name. */
  readonly #requests = new Map<OpenRequest, string | undefined>();
  /** How many of them name one; most hosts want no logs. */
  #naming = 0;
  #level: string | undefined;
  #waiting = 0;

  constructor(server: McpServer, perRequest: boolean) {
    this.server = server;
    this.perRequest = perRequest;
  }

  /** The most verbose level that this host wants; undefined if it has not said. */
  get level(): string | undefined {
    if (!this.perRequest) return this.#level;
    return this.#naming === 0 ? undefined : [...this.#requests.values()].reduce(moreOf, undefined);
  }

  /** What the host calls itself: with every request on 2026-07-28, once on 2025-11-25. */
  nameIn({ envelope }: OpenRequest): string {
    return ownName(own(envelope, CLIENT_INFO_META_KEY) ?? this.server.server.getClientVersion()) ?? 'Your host';
  }

  /**
   * For the whole connection (2025-11-25).
   * @throws ProtocolError if it is not a level
   */
  setLevel(level: unknown): void {
    if (!levels.includes(level))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `params.level must be one of ${levels.join(', ')}.`);
    this.#level = level as string;
  }

  /** Registers a request in progress. @returns a function to call when it is over */
  begin(request: OpenRequest): () => void {
    const level = levelOf(request);
    const naming = level === undefined ? 0 : 1;
    this.#requests.set(request, level);
    this.#naming += naming;
    return () => {
      if (this.#requests.delete(request)) this.#naming -= naming;
    };
  }

  log(notification: WireNotification): void {
    const { params } = notification;
    const level = isRecord(params) ? levels.indexOf(params['level']) : -1;
    const wants = (least: string | undefined): boolean => levels.indexOf(least) <= level;
    if (!this.perRequest) {
      if (wants(this.#level)) this.#send(notification);
      return;
    }
    const found = [...this.#requests].find(([, least]) => least !== undefined && wants(least));
    if (found) this.#within(found[0], notification);
  }

  /** Passes on any other notification. */
  tell(notification: WireNotification): void {
    const [request] = this.#requests.keys();
    if (this.perRequest && request) this.#within(request, notification);
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

  /**
   * Passes on a request of the upstream server of a kind that is unknown here.
   * @returns the host's answer, unchanged
   * @throws ProtocolError as the host answered, or if too many requests wait for it; SdkError if it is gone, or does not answer
   */
  async request(request: WireNotification, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    if (this.#waiting >= mostRequests)
      throw new ProtocolError(-32000, `${mostRequests} requests wait for the host, and more are not passed on.`);
    this.#waiting += 1;
    try {
      const answer = this.server.server.request(request as never, anySchema as never, { signal, timeout: requestMs });
      return (await answer) as Readonly<Record<string, unknown>>;
    } finally {
      this.#waiting -= 1;
    }
  }

  #send(notification: WireNotification): void {
    this.server.server.notification(notification as never).catch(() => {});
  }

  #within(request: OpenRequest, notification: WireNotification): void {
    request.notify(notification).catch(() => {});
  }
}
