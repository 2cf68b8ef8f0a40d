import { isLoopback } from '@midcall/core/url';
import type { Limits } from '@midcall/host';
import type { RulesFlags } from './call-rules.ts';
import type { HostFlags } from './host-parts.ts';
import type { ServerFlags } from './server-flags.ts';
import { must } from './usage.ts';

/** The parsed options of `midcall bridge`. */
export interface BridgeFlags extends ServerFlags, HostFlags, RulesFlags {
  readonly ask?: 'destructive';
  readonly http?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly auth?: string;
  readonly publicUrl?: URL;
  readonly redis?: string;
  readonly peerUrl?: URL;
  /** Where inboxes are stored; true for the usual place. */
  readonly inbox?: string | true;
  /** What is told that a question waits in an inbox. */
  readonly webhook?: URL;
  /** Hosts of push services that may be in the network of the bridge. */
  readonly allowTarget?: readonly string[];
  readonly root?: readonly string[];
  readonly models?: string;
  readonly link?: boolean;
  readonly trustHost?: boolean;
}

/**
 * How much a server of a bridge may ask. Its host may have any number of calls in progress, and their questions wait at the
 * desk; nobody would look through more than this.
 */
export const bridgeLimits: Partial<Limits> = { open: 1_000, perWindow: 1_000 };

/** Addresses that stand for every address of this machine. */
const everywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** @throws MidcallError `cli/usage` for options that exclude each other */
export function checkHttpFlags(flags: BridgeFlags): void {
  const { http, host, auth, publicUrl, allowHost, allowOrigin, redis, peerUrl, inbox, webhook, allowTarget } = flags;
  const overHttp = [host, auth, publicUrl, allowHost, allowOrigin].some(flag => flag !== undefined);
  must(http !== undefined || !overHttp, '--host, --auth, --public-url, --allow-host and --allow-origin need --http.');
  must(http !== undefined || redis === undefined, '--redis needs --http.');
  must(
    inbox === undefined || (auth !== undefined && publicUrl !== undefined),
    '--inbox needs --auth with an issuer, where people sign in, and --public-url, the address at which their browsers reach the bridge.',
  );
  must(
    inbox !== undefined || (webhook === undefined && allowTarget === undefined),
    '--webhook and --allow-target need --inbox.',
  );
  must(redis !== undefined || peerUrl === undefined, '--peer-url needs --redis.');
  must(
    redis === undefined || peerUrl !== undefined || !everywhere.has(host ?? ''),
    `${host} is not an address that other bridges can reach: name one with --peer-url.`,
  );
  if (auth !== undefined) {
    must(
      host === undefined || isLoopback(host) || publicUrl !== undefined || allowHost !== undefined,
      `${host} is open to other machines: name the address under which they reach the bridge with --public-url, or its ` +
        'host name with --allow-host.',
    );
    return;
  }
  const open = (host !== undefined && !isLoopback(host)) || publicUrl !== undefined || allowHost !== undefined;
  must(
    !open,
    'Without --auth, the bridge serves this machine only: anybody who reaches it uses your servers as you. ' +
      'Name who may call with --auth <file>.',
  );
}
