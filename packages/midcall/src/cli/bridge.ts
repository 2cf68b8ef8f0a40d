/** `midcall bridge -- <server>`: between any host and any server, over standard input and output. Logs go to standard error only. */
import { setMaxListeners } from 'node:events';
import { isMidcallError } from '@midcall/core/errors';
import { Connection, openUrl } from '@midcall/host';
import { startDesk } from '@midcall/host/web';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { type Bridge, startBridge } from '../bridge/index.ts';
import { configPath, ownVersion } from '../install/index.ts';
import { exitCodes } from './exit-codes.ts';
import { type HostFlags, hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders } from './offer-folders.ts';
import { repeatable } from './repeatable.ts';
import { addServerFlags, chooseEra, chooseServer, type ServerFlags, wordsAfterDashes } from './server-choice.ts';

interface BridgeFlags extends ServerFlags, HostFlags {
  readonly root?: readonly string[];
  readonly models?: string;
  readonly link?: boolean;
  readonly trustHost?: boolean;
}

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
    .option('--audit <file>', 'keep the audit log in this file')
    .option('--rules <file>', 'where decisions of yours that hold for good are kept', configPath('rules.json'))
    .action((_: readonly string[], flags: BridgeFlags) => bridge(flags));
}

const log = (message: string): void => void process.stderr.write(`midcall bridge: ${message}\n`);
const complain = (error: unknown): void => log(error instanceof Error ? error.message : String(error));

async function bridge(flags: BridgeFlags): Promise<void> {
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
        await desk.workspace.servers.add(entry);
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

/** Opens the desk in a browser, or says where it is. @returns false where neither is possible */
async function openPage(url: string, print: boolean): Promise<boolean> {
  if (await openUrl(url)) return true;
  if (print) log(`a question waits at ${url} (the link works once)`);
  else log('a question needs the desk, and no browser can be opened here. Start the bridge with --link to get a link.');
  return print;
}
