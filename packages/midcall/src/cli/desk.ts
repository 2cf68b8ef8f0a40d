/**
 * `midcall desk`: the web host for one or more servers, and for all bridges of this OS user. Uses the desk that is running, or
 * becomes it. Prints a link to it on one line, opens that if asked and if there is a display. A desk stops its servers when it
 * ends.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { isMidcallError, MidcallError, messageOf } from '@midcall/core/errors';
import { isRecord } from '@midcall/core/json';
import { hasBrowser, openUrl, writeWhole } from '@midcall/core/node';
import { visible } from '@midcall/core/text';
import { systemClock } from '@midcall/core/time';
import {
  Connection,
  commandTarget,
  detectWorkspace,
  rootsFile,
  type ServerEntry,
  tasksFile,
  withFileLock,
} from '@midcall/host';
import { browsersFile, callFile, deskDeclares, deskFile, type RunningDesk, startDesk } from '@midcall/host/web';
import { type Command, Option } from 'commander';
import { configPath, ownCommand, ownVersion } from '../install/index.ts';
import { ownSamples, sampleTries } from '../notes/index.ts';
import {
  type DeskSocket,
  deskSocketPath,
  endWhenIdle,
  findDesk,
  handedOver,
  listenForBridges,
  type Peer,
} from '../shared-desk/index.ts';
import { addRulesFlags, callRules, type RulesFlags, storedConsent } from './call-rules.ts';
import { exitCodes } from './exit-codes.ts';
import { portNumber, repeatable } from './flag-values.ts';
import { type HostFlags, hostParts } from './host-parts.ts';
import { chooseModel } from './model-choice.ts';
import { grantFolders, offerFolders, storedFolders } from './offer-folders.ts';
import { stopOnSignal } from './on-signal.ts';
import { secretBox } from './secret-box.ts';
import { chooseEra, named, readServerList, targetAt } from './server-choice.ts';
import { addUrlFlags, onlyAfterDashes } from './server-flags.ts';
import { usage } from './usage.ts';

interface DeskFlags extends HostFlags, RulesFlags {
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
  readonly stop?: boolean;
  readonly background?: boolean;
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
    .option(
      '--port <port>',
      `the port of the desk from now on (default: ${defaultPort}; with --no-keep, any free one)`,
      portNumber,
    )
    .option('--audit <file>', 'keep the audit log in this file')
    .option('--keep <folder>', 'where the servers, folders and settings of the desk are kept', configPath('desk'))
    .option('--no-keep', 'a desk of its own, which stores nothing and ends with this command')
    .option('--stop', 'stop the desk that is running')
    .addOption(new Option('--background', 'serve bridges without a terminal').hideHelp())
    .option('--decisions <file>', 'where your permanent decisions are kept', configPath('decisions.json'))
    .option('--tasks <file>', 'where calls that continue by themselves are kept', configPath('tasks.json'))
    .option('--open', 'open the page in a browser, if there is a display')
    .action(async (command: readonly string[], flags: DeskFlags, self: Command) => {
      const startOptions = ['port', 'models', 'era', 'audit', 'keep', 'decisions', 'rules', 'observe', 'tasks'];
      const chosen = startOptions.filter(name => self.getOptionValueSource(name) === 'cli').map(name => `--${name}`);
      try {
        if (flags.stop) await stopDesk();
        else await runDesk(onlyAfterDashes(command, process.argv), flags, chosen);
      } catch (error) {
        if (!isMidcallError(error, 'host/refused')) throw error;
        const cannotListen = (error.cause as NodeJS.ErrnoException | undefined)?.syscall === 'listen';
        const how = cannotListen ? ` For example: midcall desk --port ${flags.port === 4_000 ? 4_001 : 4_000}` : '';
        process.stderr.write(`midcall: ${error.message}${how}\n`);
        process.exitCode = exitCodes.noServer.code;
      }
    });
  addRulesFlags(command);
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
  for (const url of urls) add(named(targetAt(url, flags)));
  if (command.length > 0) add(named(commandTarget(command)));
  return { servers, ...(samples !== undefined && { samples }) };
}

/** The port of a person's desk, unless they have chosen another. */
const defaultPort = 18_450;

/** Where the desk is found, for as long as the person does not change it. */
interface Address {
  readonly port: number;
}

const isAddress = (value: unknown): value is Address => isRecord(value) && Number.isInteger(value['port']);

/** @returns undefined if none is stored @throws MidcallError `cli/usage` for a file that cannot be understood */
async function storedAddress(path: string): Promise<Address | undefined> {
  try {
    const address: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isAddress(address)) return address;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  }
  throw usage(`${path} does not hold the address of a desk: { "port": 18450 }. Remove it to start over.`);
}

export const complain = (error: unknown): void =>
  void process.stderr.write(`midcall: ${visible(messageOf(error), { max: 2_000 })}\n`);

/** Uses the desk that is running, or becomes it. @param startOptions - the options given that apply only to a desk that starts */
async function runDesk(command: readonly string[], flags: DeskFlags, startOptions: readonly string[]): Promise<void> {
  if (flags.keep === false) return void (await serveDesk(command, flags));
  const socket = deskSocketPath();
  const claim = async (): Promise<void> => {
    const found = await findDesk(socket, { role: 'command' }, () => undefined);
    const state = found && (await handedOver(found));
    if (typeof state === 'number') {
      found?.peer.close();
      throw new MidcallError(
        'host/refused',
        `An older desk is running, and questions are open there: ${state}. It ends when they are answered; then start this one.`,
      );
    }
    if (found && state === 'ready')
      await useRunning(found.peer, command, flags, startOptions).finally(() => found.peer.close());
    else await serveDesk(command, flags, { socket });
  };
  // If two start at once, one becomes the desk, and the other finds it.
  await withFileLock(socket, claim, { timeoutMs: 60_000 });
}

async function useRunning(
  peer: Peer,
  command: readonly string[],
  flags: DeskFlags,
  startOptions: readonly string[],
): Promise<void> {
  if (flags.background) return;
  if (startOptions.length > 0)
    throw usage(
      `A desk is running already; ${startOptions.join(', ')} can only be given when it starts. To stop it: midcall desk --stop`,
    );
  const stored = await deskFile(
    join(resolve(flags.keep as string), 'desk.json'),
    secretBox(resolve(flags.keep as string)),
  ).read();
  const { servers, samples } = await plan(command, flags, stored.servers);
  const { url } = (await peer.ask('link', { servers })) as { readonly url: string };
  process.stdout.write(`Midcall desk: ${url}\n`);
  if (samples !== undefined) process.stdout.write(`Sample notes: ${samples}\n`);
  if (flags.open && isSeen(process.env)) await openUrl(url);
}

async function stopDesk(): Promise<void> {
  const found = await findDesk(deskSocketPath(), { role: 'command' }, () => undefined);
  if (!found) return void process.stdout.write('No desk is running.\n');
  const { open } = (await found.peer.ask('stop')) as { readonly open: number };
  await new Promise<void>(ended => found.peer.onClosed(ended));
  const left = open === 0 ? '' : ` Questions of bridges stay open there, and are on the desk again when it starts.`;
  process.stdout.write(`The desk has stopped.${left}\n`);
}

/** How a desk is served, apart from what the command line says. */
export interface ServeDeskOptions {
  /** Where bridges and commands reach the desk; absent for one of its own. */
  readonly socket?: string;
  /** Called with each connection to a server, before it starts. */
  readonly onConnection?: (connection: Connection) => void;
}

/** Becomes the desk. */
export async function serveDesk(
  command: readonly string[],
  flags: DeskFlags,
  { socket, onConnection }: ServeDeskOptions = {},
): Promise<void> {
  const folder = flags.keep === false ? undefined : resolve(flags.keep);
  const memory = folder === undefined ? undefined : deskFile(join(folder, 'desk.json'), secretBox(folder));
  const { servers, samples } = await plan(command, flags, (await memory?.read())?.servers ?? []);
  const era = chooseEra(flags.era === undefined ? {} : { era: flags.era });
  const model = await chooseModel(flags.models);
  const folders = folder === undefined ? undefined : storedFolders(rootsFile(join(folder, 'roots.json')));
  const { host, storedDecisions, authorization } = hostParts(flags, complain, folders?.memory);
  const rules = callRules(flags, line => complain(new Error(line)));
  const { roots } = host;
  await roots.load();
  const client = { name: 'midcall-desk', title: 'Midcall desk', version: ownVersion() };
  const offer = (planned: readonly Planned[]): Promise<void> => {
    const grant = async (): Promise<void> => {
      await offerFolders(roots, flags.root ?? []);
      for (const { entry, roots: own } of planned)
        if (own.length > 0 || roots.granted(entry.id) === undefined) await grantFolders(roots, entry.id, own);
    };
    return folders ? folders.forSession(grant) : grant();
  };
  await offer(servers);
  const workspace = flags.background ? undefined : await detectWorkspace(process.cwd(), { home: homedir() });
  const tasks = tasksFile(resolve(flags.tasks));
  const address = folder === undefined ? undefined : join(folder, 'address.json');
  const port = flags.port ?? (address ? ((await storedAddress(address))?.port ?? defaultPort) : 0);
  const desk = await startDesk({
    ...host,
    storedDecisions,
    consent: storedConsent(),
    tasks,
    ...(memory && { memory }),
    ...(folder !== undefined && {
      calls: callFile(join(folder, 'calls.jsonl')),
      browsers: browsersFile(join(folder, 'browsers.json')),
    }),
    connect(entry) {
      const connection = new Connection(entry, {
        client,
        ...host,
        ...(rules && { rules }),
        authorization,
        era,
        sampling: { model },
        tasks,
        declares: deskDeclares,
        onError: complain,
      });
      onConnection?.(connection);
      return connection;
    },
    ...(flags.models !== undefined && { models: model }),
    environment: process.env,
    ...(workspace && { proposedRoot: workspace.path }),
    ...(samples !== undefined && { tries: sampleTries(samples, servers[0]!.entry.id) }),
    onError: complain,
    port,
  });
  if (flags.port && address !== undefined) {
    await mkdir(dirname(address), { recursive: true, mode: 0o700 });
    await writeWhole(address, `${JSON.stringify({ port })}\n`);
  }
  const add = (planned: readonly Planned[]): void => {
    for (const { entry } of planned) desk.addServer(entry).catch(complain);
  };
  let bridges: DeskSocket | undefined;
  const end = stopOnSignal(async () => {
    await desk.stop();
    await bridges?.close();
  });
  if (socket !== undefined)
    bridges = await listenForBridges({
      path: socket,
      desk,
      inbox: host.inbox,
      policy: host.policy,
      clock: systemClock,
      addServers: async planned => {
        await offer(planned as readonly Planned[]);
        add(planned as readonly Planned[]);
      },
      ...(hasBrowser() && isSeen(process.env) && { open: (url: string) => openUrl(url) }),
      end,
    });
  if (flags.background) return endWhenIdle(() => desk.isIdle && bridges?.isIdle === true, end, systemClock);
  const start = desk.startUrl();
  process.stdout.write(`Midcall desk: ${start}\n`);
  if (samples !== undefined) process.stdout.write(`Sample notes: ${samples}\n`);
  add(servers);
  if (flags.open && isSeen(process.env)) await openUrl(start);
  offerLinks(desk);
}

/** True if a browser window, if one can be opened, would be seen by the person who typed the command. */
const isSeen = (environment: NodeJS.ProcessEnv): boolean => !environment['CI'] && !environment['SSH_CONNECTION'];

/** A start link works once, so Enter prints another. */
function offerLinks(desk: RunningDesk): void {
  if (!process.stdin.isTTY) return;
  process.stderr.write('The link works once. Enter prints another; Ctrl-C ends the desk and its servers.\n');
  createInterface({ input: process.stdin })
    .on('line', () => void process.stdout.write(`Midcall desk: ${desk.startUrl()}\n`))
    // A terminal that is gone asks for no more links.
    .on('error', () => {});
}
