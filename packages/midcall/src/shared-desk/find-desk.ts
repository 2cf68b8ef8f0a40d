/** Finds the desk of this OS user, or starts it in the background. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { MidcallError } from '@midcall/core/errors';
import { type Clock, pause } from '@midcall/core/time';
import { ownCommand } from '../install/index.ts';
import { type Hear, Peer, protocolVersion } from './peer.ts';

/** The longest path of a socket on every system, in bytes. */
const longest = 103;

/**
 * Makes the folder in which the processes of one OS user meet, and which only this user can enter. Hosts start servers with little of
 * their environment, so a bridge may lack what a terminal has: the usual place of `XDG_RUNTIME_DIR` counts even if the variable is
 * absent, and without that, a folder in the person's home is used.
 * @returns the path of the desk's socket in it
 * @throws MidcallError `host/refused` if the folder is somebody else's, or open to others
 */
export function deskSocketPath(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const usual = `/run/user/${process.getuid?.() ?? ''}`;
  const runtime = environment['XDG_RUNTIME_DIR'] || (existsSync(usual) ? usual : undefined);
  const folder = runtime ? join(runtime, 'midcall') : join(homedir(), '.local', 'state', 'midcall', 'run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const { uid, mode } = found;
  const isOurs = process.getuid === undefined || uid === process.getuid();
  const isPrivate = process.platform === 'win32' || (mode & 0o077) === 0;
  if (!found.isDirectory() || !isOurs || !isPrivate)
    throw new MidcallError(
      'host/refused',
      `${folder} must be a folder that only you can enter (mode 0700), because the desk is reached there. Remove it, or set XDG_RUNTIME_DIR.`,
    );
  const path = join(folder, 'desk.sock');
  if (Buffer.byteLength(path) > longest)
    throw new MidcallError(
      'host/refused',
      `The path of the desk's socket may have ${longest} bytes: ${path} is longer. Set XDG_RUNTIME_DIR to a shorter one.`,
    );
  return path;
}

/** What an end says of itself first. */
export interface Hello {
  readonly role: 'bridge' | 'command' | 'inbox';
  /** True for a bridge that can open a page in the person's browser. */
  readonly opensPages?: boolean;
}

/** A desk that was found. */
export interface FoundDesk {
  readonly peer: Peer;
  /** The version of the protocol that it speaks. */
  readonly version: number;
}

/** @returns undefined if no desk listens there */
export async function findDesk(path: string, hello: Hello, hear: Hear): Promise<FoundDesk | undefined> {
  const socket = await connected(path);
  if (!socket) return undefined;
  const peer = new Peer(socket, hear);
  try {
    const { version } = (await peer.ask('hello', { ...hello })) as { readonly version: number };
    return { peer, version };
  } catch {
    // It ended in that moment.
    return undefined;
  }
}

function connected(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined);
      else reject(error);
    });
  });
}

/**
 * Asks a desk of an older version to hand over; one of the same version stays.
 * @returns `ready` if it can be used; `ended` if it has ended, so that another can be started; otherwise how many questions are
 *   open there: it ends with the last of them
 * @throws MidcallError `host/refused` if the desk is newer than this program
 */
export async function handedOver({ peer, version }: FoundDesk): Promise<'ready' | 'ended' | number> {
  if (version === protocolVersion) return 'ready';
  if (version > protocolVersion)
    throw new MidcallError(
      'host/refused',
      'The desk that is running is of a newer version of midcall than this program. Update it, or stop the desk: midcall desk --stop',
    );
  const { open } = (await peer.ask('hand-over')) as { readonly open: number };
  if (open > 0) return open;
  await new Promise<void>(resolve => peer.onClosed(resolve));
  return 'ended';
}

/** Where a desk in the background writes what goes wrong. */
function deskLogPath(): string {
  return join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'midcall', 'desk.log');
}

/** A desk outlives the host that made a bridge start it, so it is given nothing of that host's environment but this. */
const passedOn =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|DISPLAY|WAYLAND_DISPLAY|WSL_INTEROP|DBUS_SESSION_BUS_ADDRESS|NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|NO_PROXY)$/i;

/** The log begins anew at the next start when it has this many bytes. */
const largestLog = 1_000_000;

/** Milliseconds between two looks for a desk that is starting. */
const lookEveryMs = 50;

/**
 * Starts a desk in the background, and finds it.
 * @throws MidcallError `host/refused` if it does not start, with its last words
 */
export async function startDeskInBackground(path: string, hello: Hello, hear: Hear, clock: Clock): Promise<FoundDesk> {
  const log = deskLogPath();
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const descriptor = openSync(log, 'a', 0o600);
  if (statSync(log).size > largestLog) truncateSync(log);
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));
  const child = spawn(process.execPath, [ownCommand, 'desk', '--background'], {
    cwd: homedir(),
    detached: true,
    stdio: ['ignore', descriptor, descriptor],
    env: environment,
    windowsHide: true,
  });
  closeSync(descriptor);
  child.unref();
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  for (;;) {
    const hasEnded = ended;
    const found = await findDesk(path, hello, hear);
    if (found) return found;
    if (hasEnded) {
      const last = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '';
      throw new MidcallError('host/refused', `${last.replace(/^midcall: /, '')} (${log})`);
    }
    await pause(lookEveryMs, clock);
  }
}
