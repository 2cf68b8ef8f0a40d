/** `midcall bridge -- <server>`: between any host and any server, over standard input and output. Logs go to standard error only. */
import { resolve } from 'node:path';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { type Bridge, startBridge } from '../bridge/index.ts';
import { configPath } from '../config-path.ts';
import { isMidcallError } from '../errors.ts';
import {
  Audit,
  auditFile,
  Connection,
  Inbox,
  machineDisk,
  openUrl,
  originOf,
  Policy,
  RootsManager,
  rulesFile,
} from '../host/index.ts';
import { startDesk } from '../host/web/index.ts';
import { ownVersion } from '../own-version.ts';
import { exitCodes } from './exit-codes.ts';
import { chooseModel } from './model-choice.ts';
import { offerFolders } from './offer-folders.ts';
import { repeatable } from './repeatable.ts';
import { addServerFlags, chooseEra, chooseServer, type ServerFlags, wordsAfterDashes } from './server-choice.ts';

interface BridgeFlags extends ServerFlags {
  readonly root?: readonly string[];
  readonly models?: string;
  readonly rules: string;
  readonly audit?: string;
  readonly link?: boolean;
  readonly trustHost?: boolean;
}

/** Adds `midcall bridge`. */
export function registerBridge(program: Command): void {
  addServerFlags(
    program
      .command('bridge')
      .description('stand between a host and a server: what the host cannot ask, you answer in your browser')
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
  const inbox = new Inbox({ onError: complain });
  const keptRules = rulesFile(resolve(flags.rules), { onError: complain });
  const policy = new Policy({ kept: keptRules.current });
  const audit = new Audit({
    onError: complain,
    ...(flags.audit !== undefined && { sink: auditFile(resolve(flags.audit)) }),
  });
  const roots = new RootsManager({ disk: machineDisk, onError: complain });
  const own = await offerFolders(roots, flags.root ?? []);
  if (flags.root)
    await roots.grant(
      entry.id,
      own.map(root => root.uri),
    );
  const client = { name: 'midcall-bridge', title: 'Midcall bridge', version: ownVersion() };
  const stands = { client, inbox, policy, audit, roots, era };
  log(`waiting for a host on standard input, to stand before ${originOf(entry.target)}`);
  let served: Bridge | undefined;
  try {
    served = await startBridge(entry, {
      ...stands,
      front: new StdioServerTransport(),
      onError: complain,
      ownRoots: flags.root !== undefined,
      sampling: { model, always: flags.models !== undefined },
      warn: log,
      ...(flags.trustHost && { suspectBelowMs: 0 }),
      async startDesk(connection) {
        const desk = await startDesk({
          inbox,
          policy,
          audit,
          roots,
          keptRules,
          connect: other => (other === entry ? connection : new Connection(other, { ...stands, sampling: { model } })),
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
  const { close } = served;
  let ending = false;
  const end = (): void => {
    if (ending) process.exit(130);
    ending = true;
    void close().finally(() => process.exit(0));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  process.stdin.on('end', end);
}

/** Opens the desk in a browser, or says where it is. @returns false where neither is possible */
async function openPage(url: string, print: boolean): Promise<boolean> {
  if (await openUrl(url)) return true;
  if (print) log(`a question waits at ${url} (the link works once)`);
  else log('a question needs the desk, and no browser can be opened here. Start the bridge with --link to get a link.');
  return print;
}
