/**
 * `midcall desk`: the web host over one or more servers. Prints where it is in one line, opens it where asked and where
 * there is a display, and takes its servers with it when it ends.
 */

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isMidcallError } from '@midcall/core/errors';
import { openUrl } from '@midcall/core/node';
import { Connection, commandTarget, detectWorkspace, type ServerEntry, urlTarget } from '@midcall/host';
import { type RunningDesk, startDesk } from '@midcall/host/web';
import type { Command } from 'commander';
import { configPath, ownCommand, ownVersion } from '../install/index.ts';
import { copySamples } from '../notes/index.ts';
import { exitCodes } from './exit-codes.ts';
import { type HostFlags, hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders, offerFolders } from './offer-folders.ts';
import { endOnSignal } from './on-signal.ts';
import { portNumber } from './port-number.ts';
import { repeatable } from './repeatable.ts';
import { chooseEra, nameOf, readServerList } from './server-choice.ts';

interface DeskFlags extends HostFlags {
  readonly samples?: boolean;
  readonly open?: boolean;
  readonly port?: number;
  readonly url?: readonly string[];
  readonly config?: readonly string[];
  readonly root?: readonly string[];
  readonly models?: string;
  readonly era?: string;
}

/** Adds `midcall desk`. */
export function register(command: Command): void {
  command
    .argument('[command...]', 'after --: the command that starts a server')
    .usage('[options] [-- <command that starts a server…>]')
    .option('--samples', 'start the notes server on a fresh copy of the sample notes')
    .option('--url <url>', 'a server that runs already, at this address; repeatable', repeatable)
    .option('--config <file>', 'every server of an mcp.json; repeatable', repeatable)
    .option(
      '--root <directory>',
      'a folder the servers may use; DIR=/path where a container has it there; repeatable',
      repeatable,
    )
    .option('--models <file>', 'module whose default export is a list of models, or a sampling model')
    .option('--era <era>', 'protocol revision: auto, 2026-07-28 or 2025-11-25', 'auto')
    .option('--port <port>', 'the port to listen on; a free one where absent', portNumber)
    .option('--audit <file>', 'keep the audit log in this file')
    .option('--rules <file>', 'where decisions of yours that hold for good are kept', configPath('rules.json'))
    .option('--open', 'open the page in a browser, where there is a display')
    .action(async (command: readonly string[], flags: DeskFlags) => {
      try {
        await runDesk(command, flags);
      } catch (error) {
        if (!isMidcallError(error, 'host/refused')) throw error;
        process.stderr.write(`midcall: ${error.message}\n`);
        process.exitCode = exitCodes.noServer.code;
      }
    });
}

/** A server, and the folders it is granted. */
interface Planned {
  readonly entry: ServerEntry;
  readonly roots: readonly string[];
}

async function plan(command: readonly string[], flags: DeskFlags): Promise<{ servers: Planned[]; samples?: string }> {
  const roots = (flags.root ?? []).map(path => resolve(path));
  const servers: Planned[] = [];
  const add = (entry: ServerEntry, own = roots): void => {
    const taken = servers.filter(each => each.entry.id === entry.id || each.entry.id.startsWith(`${entry.id}-`)).length;
    servers.push({ entry: taken === 0 ? entry : { ...entry, id: `${entry.id}-${taken + 1}` }, roots: own });
  };
  const samples = flags.samples ? await copySamples() : undefined;
  if (samples !== undefined) {
    add({ id: 'notes', target: commandTarget([process.execPath, ownCommand, 'notes']) }, [samples, ...roots]);
  }
  for (const file of flags.config ?? []) {
    for (const entry of readServerList(file)) add(entry);
  }
  for (const url of flags.url ?? []) {
    const target = urlTarget(url);
    add({ id: new URL(url).hostname, target });
  }
  if (command.length > 0) add({ id: nameOf(command), target: commandTarget(command) });
  return { servers, ...(samples !== undefined && { samples }) };
}

async function runDesk(command: readonly string[], flags: DeskFlags): Promise<void> {
  const { servers, samples } = await plan(command, flags);
  const era = chooseEra(flags.era === undefined ? {} : { era: flags.era });
  const model = await chooseModel(flags.models);
  const complain = (error: unknown): void =>
    void process.stderr.write(`midcall: ${error instanceof Error ? error.message : String(error)}\n`);
  const { host, keptRules } = hostParts(flags, complain);
  const { roots } = host;
  const client = { name: 'midcall-desk', title: 'Midcall desk', version: ownVersion() };
  await offerFolders(roots, flags.root ?? []);
  for (const { entry, roots: own } of servers) await grantFolders(roots, entry.id, own);
  const workspace = await detectWorkspace(process.cwd(), { home: homedir() });
  const desk = await startDesk({
    ...host,
    keptRules,
    connect: entry => new Connection(entry, { client, ...host, era, sampling: { model } }),
    ...(flags.models !== undefined && { models: model }),
    environment: process.env,
    ...(workspace && { proposedRoot: workspace.path }),
    onError: complain,
    ...(flags.port !== undefined && { port: flags.port }),
  });
  endOnSignal(() => desk.close());
  const start = desk.startUrl();
  process.stdout.write(`Midcall desk: ${start}\n`);
  if (samples !== undefined) process.stdout.write(`Sample notes: ${samples}\n`);
  for (const { entry } of servers) desk.addServer(entry).catch(complain);
  if (flags.open && isSeen(process.env)) await openUrl(start);
  offerLinks(desk);
}

/** True where a browser window, if there is one to open, would be seen by the person who typed the command. */
const isSeen = (environment: NodeJS.ProcessEnv): boolean => !environment['CI'] && !environment['SSH_CONNECTION'];

/** A start link works once, so Enter prints another. */
function offerLinks(desk: RunningDesk): void {
  if (!process.stdin.isTTY) return;
  process.stderr.write('The link works once. Enter prints another; Ctrl-C ends the desk and its servers.\n');
  createInterface({ input: process.stdin }).on('line', () => {
    process.stdout.write(`Midcall desk: ${desk.startUrl()}\n`);
  });
}
