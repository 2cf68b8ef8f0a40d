/** The connection of the card to its host: JSON-RPC by `postMessage`, as MCP Apps 2026-01-26 defines it. */

type Members = Readonly<Record<string, unknown>>;

/** What the host says about itself and its page. */
export interface HostContext {
  readonly theme?: unknown;
  readonly timeZone?: unknown;
}

/** Takes what the host tells. */
export interface Listener {
  /** The arguments of the call whose result is shown. */
  readonly input: (args: Members) => void;
  readonly result: (result: Members) => void;
  readonly cancelled: () => void;
  /** Also called with the first context. */
  readonly context: (context: HostContext) => void;
}

/** A host that has accepted the card. */
export interface Host {
  /** @throws Error with the host's own words if it refuses, or has no such request */
  request(method: string, params: Members): Promise<Members>;
  notify(method: string, params: Members): void;
}

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Introduces the card to its host. */
export async function connectHost(listener: Listener): Promise<Host> {
  const waiting = new Map<
    unknown,
    { readonly resolve: (result: Members) => void; readonly reject: (e: Error) => void }
  >();
  let last = 0;
  const post = (message: Members): void => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const host: Host = {
    request(method, params) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        post({ id, method, params });
      });
    },
    notify: (method, params) => post({ method, params }),
  };
  const told: Readonly<Record<string, (params: Members) => void>> = {
    'ui/notifications/tool-input': ({ arguments: args }) => listener.input(isObject(args) ? args : {}),
    'ui/notifications/tool-result': listener.result,
    'ui/notifications/tool-cancelled': listener.cancelled,
    'ui/notifications/host-context-changed': listener.context,
  };
  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    // Only the host counts: any other window could make up a question.
    if (source !== window.parent || !isObject(data) || data['jsonrpc'] !== '2.0') return;
    const { id, method, result, error } = data;
    if (typeof method === 'string') {
      if (id === undefined) told[method]?.(isObject(data['params']) ? data['params'] : {});
      else if (method === 'ping' || method === 'ui/resource-teardown') post({ id, result: {} });
      else post({ id, error: { code: -32601, message: `The card does not have ${method}.` } });
      return;
    }
    const request = waiting.get(id);
    waiting.delete(id);
    if (isObject(error)) request?.reject(new Error(String(error['message'])));
    else request?.resolve(isObject(result) ? result : {});
  });
  const { hostContext } = await host.request('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'midcall-card', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline'] },
  });
  listener.context(isObject(hostContext) ? hostContext : {});
  host.notify('ui/notifications/initialized', {});
  return host;
}
