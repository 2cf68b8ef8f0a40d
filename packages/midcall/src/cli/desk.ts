/**
 * `midcall desk`: the web host for one or more servers. Prints its address on one line, opens it if asked and if there is a
 * display, and stops its servers when it ends.
 */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { isMidcallError } from '@midcall/core/errors';
import { openUrl } from '@midcall/core/node';
import { visible } from '@midcall/core/text';
import { Connection, commandTarget, detectWorkspace, rootsFile, type ServerEntry, tasksFile } from '@midcall/host';
import { callFile, deskDeclares, deskFile, type RunningDesk, startDesk } from '@midcall/host/web';
import type { Command } from 'commander';
import { configPath, ownCommand, ownVersion } from '../install/index.ts';
import { ownSamples, sampleTries } from '../notes/index.ts';
import { exitCodes } from './exit-codes.ts';
import { type HostFlags, hostParts } from './host-parts.ts';
import { keptFolders } from './kept-folders.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders, offerFolders } from './offer-folders.ts';
import { endOnSignal } from './on-signal.ts';
import { portNumber } from './port-number.ts';
import { repeatable } from './repeatable.ts';
import { secretBox } from './secret-box.ts';
import { chooseEra, nameOf, readServerList, targetAt } from './server-choice.ts';
import { addUrlFlags, onlyAfterDashes } from './server-flags.ts';
import { usage } from './usage.ts';

interface DeskFlags extends HostFlags {
  readonly samples?: boolean;
  readonly resetSamples?: boolean;
  readonly open?: boolean;
  readonly port?: number;
  readonly url?: readonly string[];
  readonly header?: readonly string[];
  readonly serverAuth?: string;
  readonly config?: readonly string[];
  readonly root?: readonly string[];
  readonly models?: string;
  readonly era?: string;
  readonly tasks: string;
  readonly keep: string | false;
}

/** Adds `midcall desk`. */
export function register(command: Command): void {
  addUrlFlags(
    command
      .argument('[command...]', 'after --: the command that starts a server')
      .usage('[options] [-- <command that starts a server…>]')
      .option('--samples', 'start the notes server on sample notes of your own, which stay as you leave them')
      .option('--reset-samples', 'the same, with the sample notes as they were at first')
      .option('--url <url>', 'a running server at this address; repeatable', repeatable),
  )
    .option('--config <file>', 'every server of an mcp.json; repeatable', repeatable)
    .option(
      '--root <directory>',
      'a folder the servers may use; DIR=/path where a container has it there; repeatable',
      repeatable,
    )
    .option('--models <file>', 'module whose default export is a list of models, or a sampling model')
    .option('--era <era>', 'protocol revision: auto, 2026-07-28 or 2025-11-25', 'auto')
    .option('--port <port>', 'the port to listen on (default: any free one)', portNumber)
    .option('--audit <file>', 'keep the audit log in this file')
    .option('--keep <folder>', 'where the servers, folders and settings of the desk are kept', configPath('desk'))
    .option('--no-keep', 'store nothing for the next session')
    .option('--rules <file>', 'where your permanent decisions are kept', configPath('rules.json'))
    .option('--tasks <file>', 'where calls that continue by themselves are kept', configPath('tasks.json'))
    .option('--open', 'open the page in a browser, if there is a display')
    .action(async (command: readonly string[], flags: DeskFlags) => {
      try {
        await runDesk(onlyAfterDashes(command, process.argv), flags);
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

/** @param stored - the servers that are on the desk already */
async function plan(
  command: readonly string[],
  flags: DeskFlags,
  stored: readonly ServerEntry[],
): Promise<{ servers: Planned[]; samples?: string }> {
  const roots = (flags.root ?? []).map(path => resolve(path));
  const servers: Planned[] = [];
  const add = (entry: ServerEntry, own = roots): void => {
    // A name identifies one server, and so do the grants made to it.
    const another = (id: string): boolean =>
      servers.some(each => each.entry.id === id) ||
      stored.some(each => each.id === id && !isDeepStrictEqual(each.target, entry.target));
    let id = entry.id;
    for (let at = 2; another(id); at += 1) id = `${entry.id}-${at}`;
    servers.push({ entry: { ...entry, id }, roots: own });
  };
  const reset = flags.resetSamples === true;
  const samples = flags.samples || reset ? await ownSamples({ reset }) : undefined;
  if (samples !== undefined) {
    add({ id: 'notes', target: commandTarget([process.execPath, ownCommand, 'notes']) }, [samples, ...roots]);
  }
  for (const file of flags.config ?? []) {
    for (const entry of readServerList(file)) add(entry);
  }
  const { url: urls = [], header, serverAuth } = flags;
  // Settings for one server must not reach another.
  if (urls.length !== 1 && (header ?? serverAuth) !== undefined)
    throw usage(
      `--header and --server-auth go with one --url; there are ${urls.length}. Name several servers in an mcp.json, with --config.`,
    );
  for (const url of urls) {
    const target = targetAt(url, flags);
    add({ id: new URL(url).hostname, target });
  }
  if (command.length > 0) add({ id: nameOf(command), target: commandTarget(command) });
  return { servers, ...(samples !== undefined && { samples }) };
}

async function runDesk(command: readonly string[], flags: DeskFlags): Promise<void> {
  const folder = flags.keep === false ? undefined : resolve(flags.keep);
  const memory = folder === undefined ? undefined : deskFile(join(folder, 'desk.json'), secretBox(folder));
  const { servers, samples } = await plan(command, flags, (await memory?.read())?.servers ?? []);
  const era = chooseEra(flags.era === undefined ? {} : { era: flags.era });
  const model = await chooseModel(flags.models);
  const complain = (error: unknown): void =>
    void process.stderr.write(
      `midcall: ${visible(error instanceof Error ? error.message : String(error), { max: 2_000 })}\n`,
    );
  const folders = folder === undefined ? undefined : keptFolders(rootsFile(join(folder, 'roots.json')));
  const { host, keptRules, authorization } = hostParts(flags, complain, folders?.memory);
  const { roots } = host;
  await roots.load();
  const client = { name: 'midcall-desk', title: 'Midcall desk', version: ownVersion() };
  const offer = async (): Promise<void> => {
    await offerFolders(roots, flags.root ?? []);
    for (const { entry, roots: own } of servers)
      if (own.length > 0 || roots.granted(entry.id) === undefined) await grantFolders(roots, entry.id, own);
  };
  await (folders ? folders.forSession(offer) : offer());
  const workspace = await detectWorkspace(process.cwd(), { home: homedir() });
  const tasks = tasksFile(resolve(flags.tasks));
  const desk = await startDesk({
    ...host,
    keptRules,
    tasks,
    ...(memory && { memory }),
    ...(folder !== undefined && { calls: callFile(join(folder, 'calls.jsonl')) }),
    connect: entry =>
      new Connection(entry, {
        client,
        ...host,
        authorization,
        era,
        sampling: { model },
        tasks,
        declares: deskDeclares,
        onError: complain,
      }),
    ...(flags.models !== undefined && { models: model }),
    environment: process.env,
    ...(workspace && { proposedRoot: workspace.path }),
    ...(samples !== undefined && { tries: sampleTries(samples, servers[0]!.entry.id) }),
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

/** True if a browser window, if one can be opened, would be seen by the person who typed the command. */
const isSeen = (environment: NodeJS.ProcessEnv): boolean => !environment['CI'] && !environment['SSH_CONNECTION'];

/** A start link works once, so Enter prints another. */
function offerLinks(desk: RunningDesk): void {
  if (!process.stdin.isTTY) return;
  process.stderr.write('The link works once. Enter prints another; Ctrl-C ends the desk and its servers.\n');
  createInterface({ input: process.stdin }).on('line', () => {
    process.stdout.write(`Midcall desk: ${desk.startUrl()}\n`);
  });
}
