/**
 * Who subscribed to which resources of one upstream server. The server sees one client, and several hosts may use it.
 *
 * - subscriptions-S1 A host's unsubscribing, or its end, takes no subscription from another host.
 * - subscriptions-S2 The update of a resource goes to the hosts that subscribed to it; one that nobody subscribed to goes to all,
 *   since servers may name a part of what was subscribed to.
 */
import { own } from '@midcall/core/json';

/** The subscriptions of the hosts of one server. */
export class Subscriptions<Host extends object> {
  readonly #hosts = new Map<string, Set<Host>>();

  /** Records what the server has accepted. @param params - of `resources/subscribe` */
  add(host: Host, params: unknown): void {
    const uri = uriIn(params);
    if (uri === undefined) return;
    const hosts = this.#hosts.get(uri) ?? new Set();
    this.#hosts.set(uri, hosts.add(host));
  }

  /**
   * Ends a host's subscription.
   * @param params - of `resources/unsubscribe`
   * @returns false if other hosts have it, so that the server must not be told
   */
  end(host: Host, params: unknown): boolean {
    const uri = uriIn(params);
    const hosts = uri === undefined ? undefined : this.#hosts.get(uri);
    if (uri === undefined || !hosts) return true;
    hosts.delete(host);
    if (hosts.size > 0) return false;
    this.#hosts.delete(uri);
    return true;
  }

  /** Ends every subscription of a host that has gone. @returns the URIs that no other host subscribed to */
  leave(host: Host): readonly string[] {
    const its = [...this.#hosts].filter(([, hosts]) => hosts.has(host)).map(([uri]) => uri);
    return its.filter(uri => this.end(host, { uri }));
  }

  /** Every URI that a host subscribed to. */
  get uris(): readonly string[] {
    return [...this.#hosts.keys()];
  }

  /** @param params - of `notifications/resources/updated` */
  wants(host: Host, params: unknown): boolean {
    return this.#hosts.get(uriIn(params) ?? '')?.has(host) ?? true;
  }
}

function uriIn(params: unknown): string | undefined {
  const uri = own(params, 'uri');
  return typeof uri === 'string' ? uri : undefined;
}
