/**
 * The roots and files of one call. On 2025-11-25 the client's list is kept current for the whole session; on 2026-07-28 there
 * is no session, so it is asked per call, as part of a round, and only if the author opted in (roots are deprecated in that
 * revision).
 */
import { MidcallError } from '@midcall/core/errors';
import { afterClose } from '@midcall/core/sdk-seam';
import { documentation } from '@midcall/core/text';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Json, roundsRevision } from '../base/index.ts';
import type { Run } from '../engine/index.ts';
import { type Observer, observed } from '../observe/index.ts';
import { type CallRun, type ClientAsk, readRecording } from '../questions/index.ts';
import { type CallRequest, type Config, inRounds, isOverHttp } from '../request/index.ts';
import {
  type Boundary,
  boundaryOf,
  type Ceiling,
  type FileHandle,
  type Files,
  type LiveRoots,
  listedRoots,
  liveRoots,
  type Root,
  type RootsAnswer,
} from '../roots/index.ts';
import { requestUntil } from '../sdk-seam/index.ts';

export interface FileAccess {
  roots(run: CallRun): Promise<readonly Root[] | undefined>;
  files(run: CallRun): Promise<Files>;
}

const deprecated =
  `midcall: this server asks for roots on ${roundsRevision}, where they are deprecated. ` +
  `${documentation('roots.md')} says what to use instead.`;
const rootsList = (timeoutMs: number): ClientAsk => ({
  to: 'client',
  channel: 'native',
  method: 'roots/list',
  params: {},
  timeoutMs,
});
const rootsAsk = { kind: 'roots', label: 'roots/list' } as const;
/** A client answers `roots/list` by itself, without waiting for a person. */
const LIST_TIMEOUT_MS = 20_000;

/** The part of a request that roots need. */
type Asking = Pick<CallRequest, 'server' | 'ctx' | 'client'>;

/** Files for calls that may ask, and for handlers that cannot. */
export interface FileAccesses {
  of(request: CallRequest): FileAccess;
  /** The operator's directories, for a call without a client. */
  readonly ofNobody: FileAccess;
  /** Opens files outside any call; undefined if the client's roots would have to be asked for and cannot be. */
  unasked(request: Asking): Promise<Files | undefined>;
}

interface Guard {
  <T>(operation: () => Promise<T>): Promise<T>;
  /** For an operation that changes something: its name, for test observers. */
  change<T>(name: string, operation: () => Promise<T>): Promise<T>;
}

/** Files of a call. No operation on them starts once the round of the call has been sent, or its run is closed. */
function guardedFiles(files: Files, run: Pick<Run<unknown>, 'guarded' | 'asking'>, observe?: Observer): Files {
  const guard: Guard = Object.assign(<T>(operation: () => Promise<T>) => run.guarded(operation), {
    change: <T>(name: string, operation: () => Promise<T>) =>
      run.guarded(() => observed(observe, run, { by: 'files', name: `files.${name}` }, operation)),
  });
  return {
    roots: files.roots,
    leftOut: files.leftOut,
    guarantee: files.guarantee,
    open: async (path, mode) => guardedHandle(await guard(() => files.open(path, mode)), guard),
    read: (path, options) => guard(() => files.read(path, options)),
    readText: path => guard(() => files.readText(path)),
    stream: path => guard(() => files.stream(path)),
    write: (path, data) => guard.change(`write ${path}`, () => files.write(path, data)),
    append: (path, data) => guard.change(`append ${path}`, () => files.append(path, data)),
    create: (path, data) => guard.change(`create ${path}`, () => files.create(path, data)),
    list: path => guard(() => files.list(path)),
    async *walk(path, options) {
      const entries = files.walk(path, options)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await guard(async () => entries.next());
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await entries.return?.();
      }
    },
    stat: path => guard(() => files.stat(path)),
    exists: path => guard(() => files.exists(path)),
    mkdir: path => guard.change(`mkdir ${path}`, () => files.mkdir(path)),
    rename: (from, to) => guard.change(`rename ${from} -> ${to}`, () => files.rename(from, to)),
    copy: (from, to) => guard.change(`copy ${from} -> ${to}`, () => files.copy(from, to)),
    remove: path => guard.change(`remove ${path}`, () => files.remove(path)),
    removeTree: path => guard.change(`removeTree ${path}`, () => files.removeTree(path)),
    absolute: path => guard(() => files.absolute(path)),
    close: () => files.close(),
    [Symbol.asyncDispose]: () => files.close(),
  };
}

function guardedHandle(handle: FileHandle, guard: Guard): FileHandle {
  return {
    path: handle.path,
    read: options => guard(() => handle.read(options)),
    write: (data, options) => guard.change(`write ${handle.path}`, () => handle.write(data, options)),
    stat: () => guard(() => handle.stat()),
    close: () => handle.close(),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Follows the roots of sessions, and gives each call its files. */
export function fileAccess(config: Config): FileAccesses {
  const leftOut: LeftOut = sentence => config.warnOnce(`roots ${sentence}`, `midcall: ${sentence}`);
  let drawn: { readonly under: Ceiling; readonly boundary: Boundary } | undefined;
  /** What the operator allows now. */
  const current = (): Boundary => {
    if (drawn?.under !== config.ceiling) drawn = { under: config.ceiling, boundary: boundaryOf(config.ceiling) };
    return drawn.boundary;
  };
  const sessions = new WeakMap<McpServer, { readonly boundary: Boundary; readonly roots: SessionRoots }>();
  const sessionOf = (server: McpServer): SessionRoots => {
    const boundary = current();
    const session = sessions.get(server);
    if (session?.boundary === boundary) return session.roots;
    const roots = followRoots(server, boundary, leftOut);
    sessions.set(server, { boundary, roots });
    return roots;
  };

  const judge = (request: Asking): { perRequest: boolean; asks: boolean; untold: boolean; unbounded: boolean } => {
    const { client } = request;
    const { mode, directories } = config.ceiling;
    const perRequest = client.asks !== 'push' || inRounds(request);
    const counts = client.can.roots && mode !== 'ignore';
    const asks = counts && (client.asks === 'push' || config.rootsOn2026);
    // The client has roots that may be narrower than the operator's directories: without asking it, nothing is allowed.
    const untold = counts && !asks;
    // A remote client could name any directory on this machine, and nothing would check it.
    const unbounded = counts && mode === 'narrow' && directories.length === 0 && isOverHttp(request.ctx);
    return { perRequest, asks, untold, unbounded };
  };

  const unasked = async (request: Asking): Promise<Files | undefined> => {
    const { perRequest, asks, untold, unbounded } = judge(request);
    if (unbounded) throw nothingToNarrow();
    if (untold) return undefined;
    if (!asks) return current().files(undefined);
    return perRequest ? undefined : sessionOf(request.server).files(request, false);
  };

  const of = (request: CallRequest): FileAccess => {
    const { server } = request;
    const { perRequest, asks, untold, unbounded } = judge(request);
    let listing: Promise<RootsAnswer> | undefined;
    let opened: Promise<Files> | undefined;
    /** True once the session was asked in this call: the whole call works under one list, as on 2026-07-28. */
    let inSession = false;
    const askedBefore = (): boolean => {
      const before = inSession;
      inSession = true;
      return before;
    };
    let warned = false;

    const ask = async (run: CallRun): Promise<RootsAnswer> => {
      if (!asks) return undefined;
      if (!perRequest) return run.guarded(() => sessionOf(server).roots(request, askedBefore()));
      if (request.client.asks === 'rounds') config.warnOnce('roots', deprecated);
      const detail = rootsList(config.askTimeoutMs);
      const { value } = await run.ask({ ...rootsAsk, identity: 'roots/list', detail });
      warned = true;
      return readRoots(value, leftOut);
    };
    /** A step's function must not wait for the client's list, whoever asked for it first. */
    const refuseNested = (run: CallRun): void => {
      if (asks && perRequest && !warned) run.refuseNested(rootsAsk);
    };
    const once = async (run: CallRun): Promise<RootsAnswer> => {
      refuseNested(run);
      listing ??= ask(run);
      return listing;
    };
    const open = async (run: CallRun): Promise<Files> => {
      if (unbounded) throw nothingToNarrow();
      if (untold) throw unaskedRoots();
      const clientRoots = perRequest ? await once(run) : undefined;
      const files = await run.guarded(() =>
        perRequest || !asks ? current().files(clientRoots) : sessionOf(server).files(request, askedBefore()),
      );
      run.defer(() => files.close());
      return guardedFiles(files, run, config.observe);
    };
    return {
      async roots(run) {
        const clientRoots = await once(run);
        return Array.isArray(clientRoots) ? clientRoots : undefined;
      },
      async files(run) {
        refuseNested(run);
        opened ??= open(run);
        return opened;
      },
    };
  };
  const ofNobody: FileAccess = {
    roots: async () => undefined,
    async files(run) {
      const files = await run.guarded(() => current().files(undefined));
      run.defer(() => files.close());
      return guardedFiles(files, run);
    },
  };
  return { of, ofNobody, unasked };
}

const unaskedRoots = () =>
  new MidcallError(
    'roots/none',
    `The client has roots, and this server does not ask for them on ${roundsRevision}, so no folder is allowed. Its author ` +
      "can set roots.askWhereDeprecated to ask, or roots.mode to 'ignore' to go by the operator's directories alone.",
  );

const nothingToNarrow = () =>
  new MidcallError(
    'roots/none',
    'No folder is allowed: over HTTP, the roots of a client name directories of the machine this server runs on, so they count ' +
      'only inside the directories that its operator allows, and there are none. Its author can set roots.ceiling to allow ' +
      "some, or roots.mode to 'replace' if every client may name any directory.",
  );

/** The result of asking; an answer that is not a list of roots allows nothing, whatever the operator's directories are. */
function readRoots(value: Json, leftOut: LeftOut): RootsAnswer {
  const recording = readRecording(value);
  try {
    return listedRoots(recording.kind === 'answered' ? recording.got : undefined, leftOut);
  } catch (error) {
    return { failed: error };
  }
}

/** Lets each entry of a list be read by itself: the SDK's own schema refuses all if it refuses one. */
const anyResult = z.looseObject({});

/** Gets one sentence about each entry of a client's list that is no root. */
type LeftOut = (sentence: string) => void;

interface SessionRoots {
  /** @param asked - true if this call has asked already */
  roots(request: Asking, asked: boolean): Promise<readonly Root[] | undefined>;
  files(request: Asking, asked: boolean): Promise<Files>;
}

/**
 * The roots of one 2025-11-25 session. A list is requested through a running call if there is one, since a client without an
 * open GET stream sees no other request; if there is none, over HTTP the next call asks before it gets its files.
 */
function followRoots(server: McpServer, boundary: Boundary, leftOut: LeftOut): SessionRoots {
  const calls = new Set<Asking>();
  let overHttp = false;
  let stale = false;

  const list = async (): Promise<readonly Root[]> => {
    const call = calls.values().next().value;
    if (!call) {
      const asked = { method: 'roots/list' } as const;
      return listedRoots(await server.server.request(asked, anyResult, { timeout: LIST_TIMEOUT_MS }), leftOut);
    }
    const inTime = AbortSignal.timeout(LIST_TIMEOUT_MS);
    const answer = await requestUntil(inTime, server, call.ctx, rootsList(LIST_TIMEOUT_MS));
    return listedRoots(answer, leftOut);
  };
  let live: LiveRoots | undefined;
  const follow = (request: Asking): LiveRoots => {
    live ??= liveRoots({ boundary, list, announces: request.client.announcesRoots });
    return live;
  };
  server.server.setNotificationHandler('notifications/roots/list_changed', async () => {
    if (overHttp && calls.size === 0) stale = true;
    else await live?.changed();
  });
  const during = async <T>(request: Asking, use: (live: LiveRoots) => Promise<T>): Promise<T> => {
    overHttp ||= request.ctx.http !== undefined;
    calls.add(request);
    try {
      const followed = follow(request);
      if (stale) {
        stale = false;
        await followed.changed();
      }
      return await use(followed);
    } finally {
      calls.delete(request);
    }
  };
  afterClose(server.server, () => void live?.close());
  return {
    roots: (request, askedBefore) => during(request, each => each.roots(askedBefore)),
    files: (request, askedBefore) => during(request, each => each.files(askedBefore)),
  };
}
