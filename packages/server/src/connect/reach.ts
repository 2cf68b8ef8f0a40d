/**
 * Whether a page on this machine's loopback can be reached by the person, and how. Judged from the environment; pure.
 *
 * A link to 127.0.0.1 means the machine the browser runs on. Over SSH and in a container that is a different machine, so the
 * link comes with instructions for making it lead here; if nobody is there at all (CI), no page is offered.
 */

export interface ReachOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** True if the process runs in a container. */
  readonly container: boolean;
}

/** Whether a page on this machine can be reached by the person. */
export type Reach =
  /** `browser`: a browser can be started from here. */
  | { readonly kind: 'here'; readonly browser: boolean }
  | { readonly kind: 'elsewhere'; readonly how: 'ssh' | 'container' }
  | { readonly kind: 'nobody'; readonly why: string };

/**
 * Judges from the environment whether a page on loopback reaches the person.
 * @example
 * ```ts
 * reach({ environment: { SSH_TTY: '/dev/pts/0' }, platform: 'linux', container: false }); // { kind: 'elsewhere', how: 'ssh' }
 * ```
 */
export function reach({ environment, platform, container }: ReachOptions): Reach {
  const set = (name: string): boolean => {
    const value = environment[name];
    return value !== undefined && value !== '' && value !== '0' && value !== 'false';
  };
  if (set('CI')) return { kind: 'nobody', why: 'it runs in CI, where nobody can open a page' };
  if (container || set('KUBERNETES_SERVICE_HOST')) return { kind: 'elsewhere', how: 'container' };
  if (set('SSH_CONNECTION') || set('SSH_TTY') || set('SSH_CLIENT')) return { kind: 'elsewhere', how: 'ssh' };
  const display = platform === 'darwin' || platform === 'win32' || set('DISPLAY') || set('WAYLAND_DISPLAY');
  return { kind: 'here', browser: display };
}

/** What the person must do before a link to this port works; undefined if it works as it is. */
export function reachNote(where: Reach, port: number): string | undefined {
  if (where.kind !== 'elsewhere') return undefined;
  return where.how === 'ssh'
    ? `The server runs on another machine: first forward the port there with ssh -L ${port}:127.0.0.1:${port} <host>.`
    : `The server runs in a container: the link works only where its port ${port} is forwarded to the machine your browser runs on.`;
}
