/** `midcall bridge --http <port>`: many hosts at once, over Streamable HTTP. */
import { resolve } from 'node:path';
import { visible, visibleJson } from '@midcall/core/text';
import { systemClock } from '@midcall/core/time';
import { isLoopback } from '@midcall/core/url';
import { machineDisk, OfferedRoots, Policy, type ServerEntry } from '@midcall/host';
import type { InboxService } from '@midcall/inbox';
import { type BridgedEntry, type HttpBridge, readAuthFile, startHttpBridge } from '../bridge/http/index.ts';
import { PrincipalInbox } from '../bridge/inbox/index.ts';
import { ownVersion } from '../install/index.ts';
import { deskLink } from './bridge-desk.ts';
import { type BridgeFlags, bridgeLimits } from './bridge-flags.ts';
import { callRules } from './call-rules.ts';
import { hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { offerFolders } from './offer-folders.ts';
import { stopOnSignal } from './on-signal.ts';
import { chooseEra, chooseServer, readServerList } from './server-choice.ts';
import { wordsAfterDashes } from './server-flags.ts';
import { bridgeComplaint, bridgeLog, bridgeNotServed } from './serving-log.ts';
import { usage } from './usage.ts';

/** Serves until a signal ends it. */
export async function bridgeHttp(flags: BridgeFlags, port: number): Promise<void> {
  const chosen = chooseEntries(flags);
  const auth = flags.auth === undefined ? undefined : await readAuthFile(resolve(flags.auth));
  if (auth?.needsAddress && !flags.publicUrl)
    throw usage('An issuer in --auth needs --public-url: tokens name the address they are for.');
  const era = chooseEra(flags);
  const model = await chooseModel(flags.models);
  const { host, storedDecisions, authorization } = hostParts(flags, bridgeComplaint, undefined, bridgeLimits);
  if (flags.root) await offerFolders(host.roots, flags.root);
  const client = { name: 'midcall-bridge', title: 'Midcall bridge', version: ownVersion() };
  const { policy, audit } = host;
  if (flags.ask && chosen.length > 1) throw usage('--ask is for one server: name it with --server, or write rules.');
  const rules = callRules(flags, bridgeLog, {
    ask: flags.ask && chosen[0]?.entry.id,
    approvers: flags.inbox !== undefined,
  });
  const fleet =
    flags.redis === undefined
      ? undefined
      : await (await import('./bridge-fleet.ts')).bridgeFleet(flags.redis, flags.peerUrl, bridgeComplaint);
  const inbox = flags.inbox === undefined ? undefined : await openInboxes(flags.inbox, flags, auth?.signIn);
  const address = flags.publicUrl ?? new URL('http://localhost');
  const entries: readonly BridgedEntry[] = chosen.map(each => ({
    ...each,
    ...(auth && { guard: auth.guard(new URL(each.path, address)) }),
  }));
  const onThisMachine = isLoopback(flags.host ?? '127.0.0.1') && !flags.publicUrl && !flags.allowHost;
  let starting: Promise<HttpBridge> | undefined;
  stopOnSignal(async signal => {
    await (await starting?.catch(() => undefined))?.stop({ atOnce: signal !== 'SIGINT' });
    await inbox?.stop();
  });
  try {
    starting = startHttpBridge({
      client,
      policy,
      makePolicy: () => new Policy({ sharedDecisions: storedDecisions.current, limits: bridgeLimits }),
      audit,
      ...(rules && { rules }),
      authorization,
      era,
      entries,
      port,
      ...(flags.host !== undefined && { host: flags.host }),
      allowedHosts: [
        ...(flags.allowHost ?? []),
        ...[flags.publicUrl, flags.peerUrl].flatMap(url => (url ? [url.hostname] : [])),
        ...(flags.redis !== undefined && flags.host !== undefined ? [flags.host] : []),
      ],
      allowedOrigins: flags.allowOrigin ?? [],
      roots: flags.root && host.roots,
      hostRoots: onThisMachine ? () => new OfferedRoots({ disk: machineDisk }) : undefined,
      sampling: { model, always: flags.models !== undefined },
      makeDesk: questions => deskLink(questions, flags.link === true),
      ...(inbox && {
        makeInbox: (principal, questions) =>
          new PrincipalInbox({ inbox, principal, questions, clock: systemClock, warn: bridgeLog }),
        pages: inbox.pages,
      }),
      warn: bridgeLog,
      onError: bridgeComplaint,
      ...(fleet && { fleet }),
      ...(flags.trustHost && { suspectBelowMs: 0 }),
    });
    const bridge = await starting;
    for (const { path, entry } of entries) {
      const [url, local] = [new URL(path, flags.publicUrl ?? bridge.url).href, new URL(path, bridge.url).href];
      bridgeLog(
        `serving '${visible(entry.id, { max: 100 })}' at ${url}${url === local ? '' : `, listening at ${local}`}`,
      );
    }
    if (inbox) bridgeLog(`people answer at ${inbox.url}`);
  } catch (error) {
    await inbox?.stop();
    bridgeNotServed(error);
  }
}

type SignIn = Awaited<ReturnType<typeof readAuthFile>>['signIn'];

/** @throws MidcallError `cli/usage` if nobody could sign in, or there is no key */
async function openInboxes(where: string | true, flags: BridgeFlags, signIn: SignIn): Promise<InboxService> {
  const { publicUrl, redis, webhook, allowTarget } = flags;
  const { MIDCALL_WEBHOOK_SECRET: secret } = process.env;
  if (!signIn || !publicUrl)
    throw usage('--inbox needs an issuer in --auth: people sign in there, and their hosts bring its tokens.');
  if (webhook && !secret)
    throw usage(
      '--webhook needs a secret to sign with, in MIDCALL_WEBHOOK_SECRET. Make one with: echo "whsec_$(openssl rand -base64 32)"',
    );
  const { inboxPlace } = await import('./inbox-place.ts');
  const { openInbox } = await import('@midcall/inbox');
  return openInbox({
    where: inboxPlace(where),
    ...signIn,
    publicUrl,
    allowedTargets: allowTarget,
    ...(webhook && { webhook: { url: webhook, secret: secret! } }),
    ...(redis !== undefined && { wake: await (await import('./bridge-fleet.ts')).bridgeWake(redis, bridgeComplaint) }),
    onError: bridgeComplaint,
  });
}

/** One server at `/mcp`; each server of an `mcp.json` at a path of its own. */
function chooseEntries(flags: BridgeFlags): readonly { readonly path: string; readonly entry: ServerEntry }[] {
  const words = wordsAfterDashes(process.argv);
  if (flags.config === undefined || flags.server !== undefined || flags.url !== undefined || words.length > 0)
    return [{ path: '/mcp', entry: chooseServer(flags, words) }];
  const listed = readServerList(flags.config);
  const entries = listed.flatMap(entry => {
    const path = pathOf(entry.id);
    if (path !== undefined) return [{ path, entry }];
    const why = `A server in ${flags.config} is named ${visibleJson(entry.id)}, which cannot be a part of an address. Rename it.`;
    if (listed.length === 1) throw usage(why);
    bridgeLog(`${why} It is left out.`);
    return [];
  });
  if (entries.length === 0) throw usage(`There are no servers in ${flags.config}.`);
  return entries;
}

/** Undefined for a name that no address can end with: a client would take `..` out of it, and half a character has no place in it. */
function pathOf(id: string): string | undefined {
  const path = /^$|\p{Cs}/u.test(id) ? undefined : `/mcp/${encodeURIComponent(id)}`;
  return path !== undefined && new URL(path, 'http://localhost').pathname === path ? path : undefined;
}
