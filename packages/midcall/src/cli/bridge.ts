/** `midcall bridge -- <server>`: between any host and any server. Logs go to standard error only. */
import { setMaxListeners } from 'node:events';
import { isMidcallError } from '@midcall/core/errors';
import { Connection } from '@midcall/host';
import { startDesk } from '@midcall/host/web';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { type Bridge, startBridge } from '../bridge/index.ts';
import { configPath, ownVersion } from '../install/index.ts';
import type { BridgeFlags } from './bridge-flags.ts';
import { bridgeHttp, checkHttpFlags } from './bridge-http.ts';
import { bridgeComplaint as complain, bridgeLog as log, openPage } from './bridge-log.ts';
import { exitCodes } from './exit-codes.ts';
import { hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders } from './offer-folders.ts';
import { origin } from './origin.ts';
import { portNumber } from './port-number.ts';
import { repeatable } from './repeatable.ts';
import { addServerFlags, chooseEra, chooseServer, wordsAfterDashes } from './server-choice.ts';

/** Adds `midcall bridge`. */
export function register(command: Command): void {
  addServerFlags(
    command
      .argument('[server...]', 'after --: the command that starts the server')
      .usage('[options] [-- <command that starts the server…>]'),
  )
    .option(
      '--root <directory>',
      'a folder the server may use, in place of the host’s roots; DIR=/path where a container has it there; repeatable',
      repeatable,
    )
    .option('--models <file>', 'module whose default export is a list of models, or a sampling model')
    .option('--trust-host', 'take answers of the host that come faster than a person reads, such as those of a script')
    .option('--link', 'where no browser can be opened: print the link of the desk on standard error')
    .option(
      '--http <port>',
      'serve hosts over Streamable HTTP on this port (0: any free one): at /mcp, or each server of --config at /mcp/<name>',
      portNumber,
    )
    .option('--host <address>', 'with --http: the address to listen on (default: 127.0.0.1)')
    .option(
      '--auth <file>',
      'with --http: who may call, as a JSON file of bearer tokens or of an OpenID Connect issuer',
    )
    .option('--public-url <origin>', 'with --auth: where hosts on other machines reach the bridge', origin)
    .option('--allow-host <name>', 'with --auth: host name under which hosts reach the bridge; repeatable', repeatable)
    .option('--allow-origin <name>', 'with --http: host name of pages that may call the bridge; repeatable', repeatable)
    .option('--audit <file>', 'keep the audit log in this file')
    .option('--rules <file>', 'where decisions of yours that hold for good are kept', configPath('rules.json'))
    .action((_: readonly string[], flags: BridgeFlags) => bridge(flags));
}

async function bridge(flags: BridgeFlags): Promise<void> {
  checkHttpFlags(flags);
  if (flags.http !== undefined) return bridgeHttp(flags, flags.http);
  const entry = chooseServer(flags, wordsAfterDashes(process.argv));
  const era = chooseEra(flags);
  const model = await chooseModel(flags.models);
  const { host, keptRules } = hostParts(flags, complain);
  if (flags.root) await grantFolders(host.roots, entry.id, flags.root);
  const client = { name: 'midcall-bridge', title: 'Midcall bridge', version: ownVersion() };
  const connecting = { client, ...host, era };
  log(`waiting for a host on standard input, to stand before '${entry.id}'`);
  const stdio = new StdioServerTransport();
  // Any number of messages may wait for a host that reads slowly; a warning of Node about that is nobody's to read.
  setMaxListeners(0, process.stdout);
  let served: Bridge | undefined;
  let ending = false;
  const end = (atOnce: boolean): void => {
    ending = true;
    if (served) void served.close({ atOnce }).finally(() => process.exit(0));
    // The server that is being started is stopped with it.
    else void stdio.close();
  };
  // A host that goes ends our standard input, and then sends SIGTERM, some at once: the server must not outlive us.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(true));
  process.on('SIGINT', () => (ending ? process.exit(130) : end(false)));
  try {
    served = await startBridge(entry, {
      ...connecting,
      host: stdio,
      onError: complain,
      ownRoots: flags.root !== undefined,
      sampling: { model, always: flags.models !== undefined },
      warn: log,
      ...(flags.trustHost && { suspectBelowMs: 0 }),
      async startDesk(connection) {
        const desk = await startDesk({
          ...host,
          keptRules,
          connect: other =>
            other === entry ? connection : new Connection(other, { ...connecting, sampling: { model } }),
          ...(flags.models !== undefined && { models: model }),
          environment: process.env,
          onError: complain,
        });
        await desk.addServer(entry);
        return desk;
      },
      openPage: url => openPage(url, flags.link === true),
    });
  } catch (error) {
    if (!isMidcallError(error, 'host/not-found')) throw error;
    log(error.message);
    process.exitCode = exitCodes.noServer.code;
    return;
  }
  if (!served) return;
  const { gone } = served;
  if (gone.aborted) end(false);
  else gone.addEventListener('abort', () => end(false), { once: true });
}
