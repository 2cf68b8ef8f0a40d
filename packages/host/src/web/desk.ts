/** Starts the desk: a web application on loopback, reached through a start link that works once. */
import type { Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { MidcallError } from '@midcall/core/errors';
import { type HttpListener, listenHttp, type RequestHandler, readTarget } from '@midcall/core/node';
import { anything, checkOptions, func, having, type Kinds, name, port, required } from '@midcall/core/options';
import { type StopOptions, stopKinds, stopParts } from '@midcall/core/stop';
import { type Clock, clockKind, machineZone } from '@midcall/core/time';
import { originOf, type ServerEntry } from '../index.ts';
import { AppDocuments } from './apps/index.ts';
import { clientFolder } from './client-folder.ts';
import type { BrowserMemory } from './keeping/index.ts';
import { deskApp, Guard, loadAssets, securityHeaders, via } from './routes/index.ts';
import {
  type DeskConnection,
  type HostWait,
  Live,
  type TryView,
  Workspace,
  type WorkspaceParts,
} from './workspace/index.ts';

/** What a desk shows, and how it is served. */
export interface DeskOptions extends WorkspaceParts {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** The person's time zone, by IANA name; the machine's if absent. */
  readonly zone?: string;
  /** What `${NAME}` stands for in a pasted mcp.json. Nothing if absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The browsers that find their way in again after the desk was started again; none does if absent. */
  readonly browsers?: BrowserMemory;
  /** A directory suggested in the form for a new folder, such as the workspace that the desk was started in. */
  readonly proposedRoot?: string;
  /** Calls that the first page offers until they have been made; nothing if absent. */
  readonly tries?: readonly TryView[];
  /** The folder of the bundled client script; that of this package if absent. */
  readonly client?: URL;
  /** Called with errors of rendering pages, and with anything that could not be stored. */
  readonly onError?: (error: unknown) => void;
}

const kinds: Kinds<DeskOptions> = {
  inbox: required(having('an Inbox', 'ask', 'reply', 'present')),
  policy: required(having('a Policy', 'judge', 'count')),
  audit: required(having('an Audit', 'record')),
  roots: required(having('an OfferedRoots', 'granted', 'subscribe')),
  models: anything,
  storedDecisions: anything,
  consent: having('what keeps the consent, such as consentFile(path)', 'current', 'change'),
  tasks: having('a place for tasks, such as tasksFile(…)', 'list', 'drop'),
  memory: having('what keeps the desk, such as deskFile(path, box)', 'read', 'change'),
  calls: having('what keeps calls, such as callFile(path)', 'read', 'add', 'clear'),
  connect: required({
    ...func,
    words: 'a function that makes the connection of a server: entry => new Connection(entry, …)',
  }),
  clock: clockKind,
  port,
  zone: name,
  environment: anything,
  browsers: having('what keeps browsers, such as browsersFile(path)', 'list', 'add'),
  proposedRoot: name,
  tries: anything,
  client: anything,
  onError: func,
};

/** A desk that is listening. */
export interface RunningDesk {
  /**
   * Puts a server on the desk and starts it, unless it is running. A server that was stored in an earlier session keeps its
   * entry; if another server has its name, it gets a similar one.
   * @throws MidcallError `host/not-found` if it could not be started; it stays on the desk, with what went wrong
   */
  addServer(entry: ServerEntry): Promise<void>;
  /**
   * Puts a server of another process on the desk; it stays there, as gone, when its connection has failed for good.
   * @param make - makes its connection, by the name that it has here
   * @returns that name
   */
  join(proposed: string, make: (id: string) => DeskConnection): string;
  /** The host that made a call in another process waits for the person, or no longer does. */
  tellWait(callId: string, wait: HostWait): void;
  /** Stops a server and removes it from the desk; its calls stay in the history. */
  removeServer(id: string): Promise<void>;
  /** `http://127.0.0.1:<port>/<secret>/`: the address of its pages, for a browser in which a start link was opened. */
  readonly url: string;
  /** A link that opens the desk once, at a question if one is named; the previous link stops working. */
  startUrl(question?: string): string;
  /** How many pages are listening for changes. */
  readonly viewers: number;
  /** True if no question is open, no call is running, and no page is listening. */
  readonly isIdle: boolean;
  /**
   * Refuses new calls, ends open questions, lets running calls end and be recorded, stops every server, and stops listening. Tasks
   * and their questions are left to the next desk.
   * @param options - `within`: milliseconds that running calls may take; 10,000 if absent
   */
  stop(options?: StopOptions): Promise<void>;
}

/**
 * Starts a desk on 127.0.0.1.
 * @throws MidcallError `host/refused` if the port is taken; `cli/usage` if a stored file cannot be parsed
 * @example
 * ```ts
 * const connect = (entry: ServerEntry) => new Connection(entry, { client: about, inbox });
 * const desk = await startDesk({ inbox, policy, audit, roots: offeredRoots, connect });
 * console.error(`Open ${desk.url}`);
 * ```
 */
export async function startDesk(options: DeskOptions): Promise<RunningDesk> {
  checkOptions('startDesk', options, kinds);
  const before = await options.memory?.read();
  const workspace = new Workspace(options, before, await options.calls?.read());
  for (const entry of before?.servers ?? []) {
    const remembered = before?.offers?.[entry.id];
    await workspace.servers.add(entry, { start: false, stored: true, ...(remembered && { remembered }) });
  }
  return serveDesk(workspace, options);
}

/** How a desk is served, whatever it shows. */
export type ServingOptions = Omit<DeskOptions, Exclude<keyof WorkspaceParts, 'onError'>>;

/** Serves the pages of a workspace. @throws MidcallError `host/refused` if the port is taken; the workspace is closed then */
export async function serveDesk(workspace: Workspace, options: ServingOptions): Promise<RunningDesk> {
  const guard = new Guard();
  const live = new Live(workspace.clock);
  const assets = loadAssets(options.client ?? clientFolder);
  const app = deskApp({
    workspace,
    guard,
    live,
    browsers: options.browsers,
    apps: new AppDocuments(id => workspace.servers.connection(id)),
    assets,
    zone: options.zone ?? machineZone(),
    environment: options.environment ?? {},
    proposedRoot: options.proposedRoot,
    tries: options.tries ?? [],
    port: () => port,
    onError: options.onError ?? (() => {}),
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const handle: RequestHandler = async (req, res) => {
    const target = readTarget(req);
    if (!target) return void res.writeHead(400, securityHeaders).end();
    req.url = target.path;
    await listener(req, res);
  };
  const { server, port } = await listening(handle, options).catch(async error => {
    await workspace.close();
    throw error;
  });
  const detach = workspace.inbox.present({ via, show: () => {} });
  const stopTelling = workspace.subscribe(announcement => live.changed(announcement));
  const origin = `http://127.0.0.1:${port}`;
  let stopping: Promise<void> | undefined;
  return {
    async addServer(entry) {
      const { servers } = workspace;
      const same = servers.get(entry.id)?.origin === originOf(entry.target);
      if (same) await servers.restart(entry.id);
      else await servers.add({ ...entry, id: servers.freeId(entry.id) });
    },
    join: (proposed, make) => workspace.servers.join(proposed, make),
    tellWait: (callId, wait) => workspace.calls.waited(callId, wait),
    removeServer: id => workspace.servers.remove(id),
    url: `${origin}${guard.base}/`,
    startUrl: question => {
      const at = question === undefined ? '' : `&question=${encodeURIComponent(question)}`;
      return `${origin}/start?key=${guard.newStartKey()}${at}`;
    },
    get viewers() {
      return live.listeners;
    },
    get isIdle() {
      const { inbox, calls } = workspace;
      return live.listeners === 0 && inbox.list().length === 0 && calls.list().every(({ outcome }) => outcome);
    },
    stop(how = {}) {
      checkOptions('desk.stop', how, stopKinds);
      stopping ??= stopParts([workspace.stopPart], how, workspace.clock).then(async () => {
        detach();
        stopTelling();
        live.close();
        await workspace.close();
        await closed(server, workspace.clock);
      });
      return stopping;
    },
  };
}

async function listening(handle: RequestHandler, { port = 0, onError }: ServingOptions): Promise<HttpListener> {
  try {
    return await listenHttp(handle, { port, onError });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? `Port ${port} on 127.0.0.1 is taken.`
        : `The desk cannot listen on port ${port}: ${message}.`;
    throw new MidcallError('host/refused', `${why} Choose another, or 0 for any free one.`, { cause });
  }
}

/** How long open connections may take to finish, in milliseconds. */
const graceMs = 500;

function closed(server: Server, clock: Clock): Promise<void> {
  return new Promise(resolve => {
    const stop = clock.after(graceMs, () => server.closeAllConnections());
    server.close(() => {
      stop();
      resolve();
    });
    server.closeIdleConnections();
  });
}
