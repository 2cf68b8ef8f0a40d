/**
 * Posting to addresses that somebody else has chosen.
 *
 * - post-G1 An address that people supply is public: neither its host nor anything that this resolves to is of this machine or its
 *   network, unless the operator allows that host. What was resolved and judged is what is connected to.
 * - post-G2 Redirects are not followed.
 * - post-G3 A receiver that hangs, answers without end or lies costs ten seconds at most, or what the caller gives it: nothing of its
 *   answer is read but the status.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isInternalHost } from '@midcall/core/node';
import type { Clock } from '@midcall/core/time';

/** What became of it. @property why - a sentence; shown */
export type Posted = { readonly status: number } | { readonly why: string };

/** What is posted. */
export interface Message {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Uint8Array;
}

export interface PosterOptions {
  readonly clock: Clock;
  /** Hosts, as they are in addresses, that may be of this machine or its network. */
  readonly allowedTargets: readonly string[];
  /** Finds all addresses of a name; if absent, the system does for allowed hosts, and DNS alone for others. */
  readonly resolve?: Resolve;
}

type Resolve = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** Posts, and judges where to. */
export interface Poster {
  /** Why an address that somebody supplies is not taken, as it is written; undefined if it is. */
  whyNot(address: string): string | undefined;
  /**
   * Never rejects.
   * @param by - `operator`: chosen by whoever runs the inbox, so that it may be anywhere
   * @param patienceMs - how long it is waited for; ten seconds if absent
   */
  post(url: URL, message: Message, by: 'person' | 'operator', patienceMs?: number): Promise<Posted>;
  /** Ends what is under way. */
  close(): void;
}

const answerMs = 10_000;
const longestAddress = 2_000;

const notPublic = 'Its address is not a public one.';

class Refused extends Error {}

export function poster({ clock, allowedTargets, resolve }: PosterOptions): Poster {
  const underWay = new Set<() => void>();
  const allowed = new Set(allowedTargets.map(each => each.toLowerCase()));
  const isAllowed = ({ host, hostname }: URL): boolean => allowed.has(host) || allowed.has(hostname);

  const judged =
    (url: URL): LookupFunction =>
    (name, options, callback) => {
      // A host that the operator allows may be known to this machine only, by its hosts file for example.
      const find = resolve ?? (isAllowed(url) ? (host: string) => lookup(host, { all: true }) : resolveByDns());
      find(name).then(
        found => {
          if (found.length === 0) return callback(new Refused('It has no address.'), '', 0);
          if (!isAllowed(url) && found.some(({ address }) => isInternalHost(address)))
            return callback(new Refused(notPublic), '', 0);
          const [first] = found;
          if (options.all) callback(null, [...found]);
          else callback(null, first!.address, first!.family);
        },
        error => callback(error, '', 0),
      );
    };

  const whyNot = (address: string): string | undefined => {
    if (address.length > longestAddress || !URL.canParse(address)) return 'Its address is none.';
    const url = new URL(address);
    if (url.username !== '' || url.password !== '') return 'Its address has a name or password in it.';
    if (isAllowed(url)) return /^https?:$/.test(url.protocol) ? undefined : 'Its address is not one of the web.';
    if (url.protocol !== 'https:') return 'Its address is not encrypted (https).';
    return isInternalHost(url.hostname) ? notPublic : undefined;
  };

  return {
    whyNot,
    post(url, { headers, body }, by, patienceMs = answerMs) {
      const refusal = by === 'person' ? whyNot(url.href) : undefined;
      if (refusal !== undefined) return Promise.resolve({ why: refusal });
      return new Promise<Posted>(resolved => {
        const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
        const options = { method: 'POST', headers, agent: false as const };
        const sent = send(url, by === 'person' ? { ...options, lookup: judged(url) } : options);
        const callOff = clock.after(patienceMs, () =>
          end({ why: `It did not answer within ${patienceMs / 1_000} seconds.` }),
        );
        const end = (posted: Posted): void => {
          callOff();
          underWay.delete(stop);
          resolved(posted);
          sent.destroy();
        };
        const stop = (): void => end({ why: 'The inbox was stopped.' });
        underWay.add(stop);
        sent.on('response', ({ statusCode }) => end({ status: statusCode! }));
        sent.on('error', error => end({ why: wordsOf(error) }));
        sent.end(body);
      });
    },
    close() {
      for (const stop of [...underWay]) stop();
    },
  };
}

/**
 * Resolves names by DNS alone. The system's own way waits in one of the few threads that all file access shares: name servers that do
 * not answer, for a few names that people supply, would stop it all.
 * @param servers - those of this machine if absent
 */
export function resolveByDns(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async name => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    const found = (of: typeof v4, family: number) =>
      of.status === 'fulfilled' ? of.value.map(address => ({ address, family })) : [];
    return [...found(v4, 4), ...found(v6, 6)];
  };
}

/** Errors of the network name what was connected to, so only their codes are repeated. */
function wordsOf(error: Error): string {
  if (error instanceof Refused) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return `It could not be reached${typeof code === 'string' ? ` (${code})` : ''}.`;
}
